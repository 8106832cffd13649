#include "app/ui/tip_place.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace headscope::ui {
namespace {

float distance(ImVec2 point, const Rect& to) {
  const float x = std::max({to.a.x - point.x, point.x - to.b.x, 0.0F});
  const float y = std::max({to.a.y - point.y, point.y - to.b.y, 0.0F});
  return std::hypot(x, y);
}

/// A start within [0, room] that is as near to `wished` as a length allows.
float within(float wished, float length, float room) {
  return std::clamp(wished, 0.0F, std::max(0.0F, room - length));
}

}  // namespace

ImVec2 besideOf(const Rect& thing, ImVec2 size, ImVec2 display, ImVec2 mouse, float gap) {
  // in line with the thing where that is as narrow, else with the mouse
  const bool narrow = thing.width() <= size.x;
  const bool right = thing.centre().x > display.x * 0.5F;
  const float x = within(!narrow ? mouse.x - size.x * 0.5F
                         : right ? thing.b.x - size.x
                                 : thing.a.x,
                         size.x, display.x);
  const float y = within(mouse.y - size.y * 0.5F, size.y, display.y);
  const ImVec2 corners[] = {{x, thing.b.y + gap},
                            {x, thing.a.y - gap - size.y},
                            {thing.b.x + gap, y},
                            {thing.a.x - gap - size.x, y}};
  const auto fits = [&](const Rect& place) {
    return place.a.x >= 0.0F && place.a.y >= 0.0F && place.b.x <= display.x &&
           place.b.y <= display.y;
  };
  std::optional<Rect> best;
  for (const ImVec2& corner : corners) {
    const Rect place = Rect::at(corner, size);
    const bool above = &corner == &corners[1];  // only where there is no room below
    if (!fits(place) || (above && best)) continue;
    if (!best || distance(mouse, place) < distance(mouse, *best)) best = place;
  }
  if (best) return best->a;
  const float away = 2.0F * gap;
  const ImVec2 aside{mouse.x > display.x * 0.5F ? mouse.x - size.x - away : mouse.x + away,
                     mouse.y > display.y * 0.5F ? mouse.y - size.y - away : mouse.y + away};
  return {within(aside.x, size.x, display.x), within(aside.y, size.y, display.y)};
}

void placeNextBeside(const Rect& thing, ImVec2 size, float gap) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetNextWindowPos(besideOf(thing, size, io.DisplaySize, io.MousePos, gap),
                          ImGuiCond_Always);
}

}  // namespace headscope::ui
