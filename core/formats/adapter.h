// Adapter: a LoRA adapter on the tensors of its base model. A matrix W becomes
// W + strength · factor · B·A, and a tensor that the adapter saves whole moves by `strength` from
// the base's to the adapter's.
//
//   const Adapter adapter({"my-lora", 0.5}, files, inByOut, notes);
//   Tensor w = adapter.applied("h.0.attn.c_attn.weight", files.read("h.0.attn.c_attn.weight"));
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/adapter_config.h"
#include "core/formats/weight_file.h"
#include "core/model/model_notes.h"

namespace headscope::formats {

/// The adapter to put onto a model.
struct AdapterChoice {
  std::filesystem::path folder;  // empty: none
  double strength = 1.0;         // 0: the base as it is; 1: the adapter as it was trained

  bool operator==(const AdapterChoice&) const = default;
};

/// Returns whether a folder holds an adapter and no model.
bool isAdapter(const std::filesystem::path& folder);
/// The folder of the base that an adapter names; nothing where it is no folder of this machine.
std::optional<std::filesystem::path> adapterBaseFolder(const std::filesystem::path& folder);

/// A model's folder with the adapter to put onto it. A folder that holds an adapter alone stands
/// for its base with that adapter, at the strength of `adapter`; where the base is not found, and
/// for every other folder, both are returned as they are.
struct AdaptedFolder {
  std::filesystem::path model;
  AdapterChoice adapter;
};
AdaptedFolder adaptedFolder(const std::filesystem::path& folder, const AdapterChoice& adapter);

class Adapter {
 public:
  /// The tensors of the base: their names, and the shape of one.
  struct Base {
    std::vector<std::string> names;
    std::function<Shape(const std::string& name)> shape;
    bool inByOut = false;  // matrices are (in, out), as GPT-2's
  };

  /// Finds the tensor of every change. Throws UserError that names the file and the field or
  /// tensor: for a strength outside of 0 to 1, for another kind of adapter, and where a tensor of
  /// the adapter does not fit the base.
  Adapter(const AdapterChoice& choice, const Base& base, model::ModelNotes& notes);

  double strength() const { return strength_; }
  bool changes(const std::string& tensor) const { return changes_.contains(tensor); }
  /// Returns the tensor `own` of the base with its change, or itself where it has none.
  Tensor applied(const std::string& name, Tensor own) const;
  bool changedOnDisk() const { return file_->changed(); }

 private:
  /// The tensors of the adapter's file that change one of the base.
  struct Change {
    std::string a, b;   // of B·A
    std::string whole;  // or one in its place
    double factor = 1.0;
    bool turned = false;  // the base's matrix is (in, out)
  };

  void add(const std::string& name, const Base& base, model::ModelNotes& notes);
  void addProduct(const std::string& nameOfA, const std::string& nameOfB, const std::string& module,
                  const Base& base);
  std::string tensorOf(const std::string& module, const std::string& end, const Base& base) const;
  [[noreturn]] void refuse(const std::string& tensor, const std::string& why) const;

  double strength_;
  AdapterConfig config_;
  WeightFilePtr file_;
  std::map<std::string, Change> changes_;
};

}  // namespace headscope::formats
