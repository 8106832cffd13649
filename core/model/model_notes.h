// Model notes: what a model's folder holds that the model's pass leaves out, in the words of a
// sentence each, and as data.
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
  std::vector<std::string> files;  // a sentence each: a file that is not read, or another name

  bool empty() const;
  /// One sentence for each field and file, one for all tensors.
  std::vector<std::string> sentences() const;
};

/// Throws UserError with the first sentence where there is one; `folder` is the model's.
void refuseNotes(const ModelNotes& notes, const std::string& folder);

}  // namespace headscope::model
