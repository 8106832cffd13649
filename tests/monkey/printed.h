// Printed: the numbers written on the screen that are none.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace headscope::monkey {

/// Finds "nan" and "inf" as printed numbers, with no letter next to them. Words of the interface
/// are written otherwise ("NaN", "∞").
class Printed {
 public:
  /// The window and texts of such a number in the last rendered frame, if any.
  std::optional<std::string> notFinite();

 private:
  void learn();
  char letter(const ImDrawVert* corner) const;

  // letters of all fonts by the place of their picture in the atlas, for as long as it is the same
  const ImFontAtlas* atlas_ = nullptr;
  float size_ = 0.0F;
  std::unordered_map<std::uint64_t, char> letters_;
};

}  // namespace headscope::monkey
