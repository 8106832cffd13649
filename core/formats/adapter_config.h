// Adapter configuration: adapter_config.json of a LoRA adapter (Hu et al. 2021), as PEFT writes it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/index.h"
#include "core/model/model_notes.h"

namespace headscope::formats {

inline constexpr const char* kAdapterConfig = "adapter_config.json";
inline constexpr const char* kAdapterWeights = "adapter_model.safetensors";

struct AdapterConfig {
  std::filesystem::path file;
  std::string base;         // base_model_name_or_path: a folder or a name of the hub; empty: none
  Index rank = 8;           // r
  double alpha = 8.0;       // lora_alpha
  bool rootOfRank = false;  // use_rslora: α/√r (Kalajdzievski 2023)
  std::vector<std::string> targets;     // names of modules; empty: those of the weights' file
  std::vector<std::string> savedWhole;  // modules_to_save
  std::vector<std::pair<std::string, double>> ranks, alphas;  // by module: the first that fits

  Index rankOf(std::string_view module) const;
  /// The factor of B·A: α/r, or α/√r.
  double factorOf(std::string_view module) const;
  bool isTarget(std::string_view module) const;
  bool isSavedWhole(std::string_view module) const;
};

/// Reads the file. Throws UserError that names the field and, for an adapter of another kind, the
/// mathematics that it asks for. `notes` receives the unknown fields.
AdapterConfig readAdapterConfig(const std::filesystem::path& folder, model::ModelNotes& notes);

/// The base that the file names; empty where it names none or cannot be read.
std::string adapterBase(const std::filesystem::path& folder);

}  // namespace headscope::formats
