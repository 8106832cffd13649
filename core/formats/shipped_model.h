// Shipped models: whole models that come with the program, trained by it, which opens wherever a
// model's folder is expected: its name, "headscope:induction", replaces the path.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::formats {

/// Two layers, four heads each, that have learned the task `induction`.
inline constexpr const char* kInductionModel = "headscope:induction";
/// A GPT-2 of two layers with six heads each that has learned the next words of stories.
inline constexpr const char* kStoriesModel = "headscope:stories";

/// A ViT of two layers with four heads each that has learned to name drawn shapes. It has no
/// pictures as files: shipped_picture.h draws them.
inline constexpr const char* kShapesModel = "headscope:shapes";
inline constexpr std::array kShippedModels{kInductionModel, kStoriesModel, kShapesModel};

class ShippedModel {
 public:
  explicit ShippedModel(std::string name) : name_(std::move(name)) {}

  /// "config.json", "model.safetensors" or, of a model that reads text, "tokenizer.json".
  std::string_view file(std::string_view name) const;
  bool hasTokenizer() const { return name_ != "shapes"; }
  /// The file's name in messages.
  std::string fileName(std::string_view name) const;
  std::string title() const { return "headscope " + name_; }

 private:
  std::string name_;  // "induction"
};

/// Returns whether the text has the form of a shipped model's name, not of a path.
bool isShipped(const std::filesystem::path& folder);
/// Returns the model of a name; nothing for the path of a folder. Throws UserError that lists the
/// models for an unknown name.
std::optional<ShippedModel> shippedModel(const std::filesystem::path& folder);

}  // namespace headscope::formats
