// Shipped model: a whole model that comes with the program, trained by it, which opens wherever a
// model's folder is asked for: its name, "headscope:induction", stands in the place of the path.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::formats {

/// Two layers, four heads each, that have learned the task `induction`.
inline constexpr const char* kShippedModel = "headscope:induction";

class ShippedModel {
 public:
  explicit ShippedModel(std::string name) : name_(std::move(name)) {}

  /// "config.json", "model.safetensors" or "tokenizer.json".
  std::string_view file(std::string_view name) const;
  /// As messages call it.
  std::string fileName(std::string_view name) const;
  std::string title() const { return "headscope " + name_; }

 private:
  std::string name_;  // "induction"
};

/// Whether it is meant for such a name, and for no path.
bool isShipped(const std::filesystem::path& folder);
/// Nothing for the path of a folder. Throws UserError that lists what there is for a name of the
/// kind that no model has.
std::optional<ShippedModel> shippedModel(const std::filesystem::path& folder);

}  // namespace headscope::formats
