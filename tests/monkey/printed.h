// Printed: the numbers written on the screen that are none.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace headscope::monkey {

/// Looks for "nan" and "inf" as numbers are printed, with no letter beside them. Words of the
/// interface and of texts are written otherwise ("NaN", "∞").
class Printed {
 public:
  /// In the frame rendered last: what it stands in.
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
