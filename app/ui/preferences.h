// Preferences: how things are shown and animated, whatever is selected. A session stores all of
// them but theme, palette, scale and language, which belong to the screen and its user.
#pragma once

#include <string>

#include "app/ui/term_order.h"
#include "app/ui/theme.h"

namespace headscope::ui {

struct Preferences {
  ThemeKind theme = ThemeKind::light;
  Palette palette = Palette::usual;
  float scale = 1.0F;    // scale of the interface, kMinScale … kMaxScale
  std::string language;  // of the interface from the next start on; empty: English
  int colorMaps = 0;     // index of the pair of maps
  bool animate = true;
  float playSpeed = 1.0F;
  bool learnHeads = true;     // learns heads at sizes without learned ones; else designed ones
  bool faintColumns = false;  // step 1 also shows the nearly empty columns of X
  TermOrder termOrder;
  bool decodeShowsSize = false;  // KV cache: its size, not the work, where only one has room

  bool operator==(const Preferences&) const = default;
};

inline constexpr float kMinScale = 1.0F;
inline constexpr float kMaxScale = 3.0F;

}  // namespace headscope::ui
