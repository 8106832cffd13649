#include "app/ui/parts/layout.h"

namespace headscope::ui {
namespace {

/// The part of a length that a strip takes, alone and with its gap.
struct StripCut {
  float strip, all;
  StripCut(float wanted, float gap, float there)
      : strip(std::clamp(wanted, 0.0F, std::max(there, 0.0F))),
        all(std::min(strip + gap, std::max(there, 0.0F))) {}
};

}  // namespace

Rect Rect::rest() { return at(ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()); }

Rect Rect::cutTop(float wanted, float gap) {
  const StripCut cut(wanted, gap, height());
  const Rect strip{a, {b.x, a.y + cut.strip}};
  a.y += cut.all;
  return strip;
}

Rect Rect::cutBottom(float wanted, float gap) {
  const StripCut cut(wanted, gap, height());
  const Rect strip{{a.x, b.y - cut.strip}, b};
  b.y -= cut.all;
  return strip;
}

Rect Rect::cutLeft(float wanted, float gap) {
  const StripCut cut(wanted, gap, width());
  const Rect strip{a, {a.x + cut.strip, b.y}};
  a.x += cut.all;
  return strip;
}

Rect Rect::cutRight(float wanted, float gap) {
  const StripCut cut(wanted, gap, width());
  const Rect strip{{b.x - cut.strip, a.y}, b};
  b.x -= cut.all;
  return strip;
}

Rect Rect::column(int i, int count, float gap) const {
  const float each = (width() - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  const float left = a.x + static_cast<float>(i) * (each + gap);
  return {{left, a.y}, {left + each, b.y}};
}

Rect Rect::row(int i, int count, float gap) const {
  const float each = (height() - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  const float top = a.y + static_cast<float>(i) * (each + gap);
  return {{a.x, top}, {b.x, top + each}};
}

Rect Rect::placed(ImVec2 size, float along, float down) const {
  return at({a.x + (width() - size.x) * along, a.y + (height() - size.y) * down}, size);
}

}  // namespace headscope::ui
