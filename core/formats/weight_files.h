// Weight files: the tensors of a Hugging Face model directory by name, whether they lie in one file
// (model.safetensors, pytorch_model.bin) or in several that an index lists
// (model.safetensors.index.json).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/formats/adapter.h"
#include "core/formats/weight_file.h"
#include "core/model/model_notes.h"
#include "core/tensor/read_floats.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {

/// Copies share the open files.
class WeightFiles {
 public:
  /// Throws UserError for a directory without weights, an index that names missing files or files
  /// outside the directory, and a damaged file. `notes`: as of weightsIn.
  WeightFiles(const std::filesystem::path& directory, model::ModelNotes& notes);
  /// For weights that are all in one file.
  WeightFiles(const std::filesystem::path& directory, SafetensorsFile file);
  WeightFiles(const std::filesystem::path& directory, WeightFilePtr file);

  /// Puts a LoRA adapter onto the tensors. Throws as Adapter does. `inByOut`: as of TensorNames.
  void adapt(const AdapterChoice& choice, bool inByOut, model::ModelNotes& notes);

  const std::filesystem::path& directory() const { return directory_; }
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return where_.contains(name); }
  const Shape& shape(const std::string& name) const { return fileOf(name).shape(name); }
  const std::string& dtype(const std::string& name) const { return fileOf(name).dtype(name); }
  std::string keptAs(const std::string& name) const { return fileOf(name).keptAs(name); }
  /// Reads a tensor as float32, with its change by the adapter. Throws UserError that names the
  /// tensor and the file, and a cell that is not finite.
  Tensor read(const std::string& name) const;
  /// Reads a matrix as its file keeps it: in 16 bits where the adapter does not change it.
  StoredMatrix readStored(const std::string& name) const;
  /// Returns whether a file on the disk is no longer the one that was opened.
  bool changed() const;
  /// The path of the file that a tensor is in.
  const std::filesystem::path& path(const std::string& name) const { return fileOf(name).path(); }

 private:
  void openIndex(const std::filesystem::path& index);
  void add(const std::string& name, std::size_t file) { where_.emplace(name, file); }
  const WeightFile& fileOf(const std::string& name) const;

  std::filesystem::path directory_;
  std::vector<WeightFilePtr> files_;
  std::map<std::string, std::size_t> where_;
  std::shared_ptr<const Adapter> adapter_;  // null: none
};

}  // namespace headscope::formats
