// Model notes: the contents of a model's folder that the model's pass leaves out, as sentences and
// as data.
#pragma once

#include <string>
#include <vector>

namespace headscope::model {

struct ModelNotes {
  struct Field {
    std::string name;   // "rope_parameters.beta_fast"
    std::string value;  // as JSON
  };
  std::vector<Field> unknownFields;        // of config.json
  std::vector<std::string> unusedTensors;  // names, as the file has them
  std::vector<std::string> files;  // a sentence each: a file not read, or one with another name

  bool empty() const;
  /// One sentence for each field and file, one for all tensors.
  std::vector<std::string> sentences() const;
};

/// Throws UserError with the first sentence of the notes, if there is one; `folder` is the model's
/// folder.
void refuseNotes(const ModelNotes& notes, const std::string& folder);

}  // namespace headscope::model
