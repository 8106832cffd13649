// Theme: every colour of the interface, light and dark, the colours of heads, and the style of Dear
// ImGui's own widgets.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <string_view>

namespace headscope::ui {

enum class ThemeKind { light, dark };

/// The colours of heads, of Q, K and V, and of good and bad. `safe`: distinct in grey print, and
/// by people who lack one kind of cones; fewer hues, wider apart in lightness.
enum class Palette { usual, safe };

struct Theme {
  ThemeKind kind = ThemeKind::light;
  Palette palette = Palette::usual;
  ImU32 window, panel, panelBorder, field, fieldHover, fieldActive;
  ImU32 text, textMuted, textOnAccent, accent, accentSoft, accentText;
  ImU32 good, bad, badSoft, divider;
  ImU32 query, key, value, input, output;           // blocks: X, Q, K, V and output
  ImU32 queryText, keyText, valueText, outputText;  // for text on a panel (contrast ≥ 4.5)
  ImU32 hatch, maskedFill, flash;
};

const Theme& theme(ThemeKind kind, Palette palette = Palette::usual);

/// The colour of a head. The first 8 differ for people who lack one kind of cones, too; the first
/// 12 differ from each other and from Q, K and V; then they repeat (heads are also numbered).
ImU32 headColor(const Theme& theme, std::size_t head);

ImU32 withAlpha(ImU32 color, float alpha);
/// WCAG 2.1 contrast ratio, 1 … 21.
double contrast(ImU32 a, ImU32 b);
/// Black or white, whichever reads better on `background`.
ImU32 legibleOn(ImU32 background);

/// Sets the current context's style: the theme's colours, all lengths times `scale`.
void applyStyle(const Theme& theme, float scale);

}  // namespace headscope::ui
