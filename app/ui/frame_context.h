// FrameContext: the look of a frame: theme, fonts, scale and time. Parts that only draw need
// nothing else.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/fonts.h"
#include "app/ui/parts/layout.h"
#include "app/ui/theme.h"

namespace headscope::gl {
struct Scene;
}  // namespace headscope::gl

namespace headscope::ui {

class ColorMaps;
struct TokenPictures;
struct TypedText;

/// The seconds between frames that show the progress of a long computation.
inline constexpr double kProgressPace = 0.1;

/// The text that stands for a cell of the step view, FrameState::soughtCell.
inline constexpr std::string_view kSoughtCell = "the cell";

/// A control that a lesson points at, by the text on it: "causal". The control that is drawn with
/// this text notes its place (noteControl() in widgets.h); of kSoughtCell the step view does.
struct SoughtControl {
  std::string text;  // empty: none
  std::optional<Rect> at;
};

struct FrameContext {
  const Theme& theme;
  const Fonts& fonts;
  const ColorMaps& maps;
  gl::Scene& scene;
  TypedText& typed;              // the text field that has the keyboard
  double now;                    // seconds, from the host's clock
  float scale;                   // scale of the interface
  double mouseStill;             // seconds since the mouse last moved
  bool clickedHere;              // the mouse was clicked and has not moved since
  bool* wantsFrame;              // set to draw again at once (animation)
  double* nextChange = nullptr;  // the seconds until the picture changes by itself
  int mapPair = 0;               // index of the chosen pair of colour maps
  Spacing space{scale};
  SoughtControl* sought = nullptr;
  const TokenPictures* pictures = nullptr;  // of the document's tokens, where they are patches
  bool still = false;  // of one card for a file: what controls would choose is written as text

  /// Requests a frame in this many seconds, for changes less frequent than an animation.
  void changesIn(double seconds) const {
    if (nextChange != nullptr) *nextChange = std::min(*nextChange, seconds);
  }

  /// Returns this look with other fonts, which must outlive it.
  FrameContext withFonts(const Fonts& others) const {
    return {theme,       others,     maps,       scene,   typed, now,    scale,    mouseStill,
            clickedHere, wantsFrame, nextChange, mapPair, space, sought, pictures, still};
  }

  /// Converts a length in points at scale 1 to this frame's points.
  float px(float length) const { return length * scale; }
};

}  // namespace headscope::ui
