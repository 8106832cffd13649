#include "app/ui/tip_place.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/scene_commands.h"

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

/// A tooltip that is to be placed.
struct Tip {
  Rect thing;
  ImVec2 size, display, mouse;
  float gap = 0.0F;
};

/// The places of a side: in line with the thing or the mouse, then with either of its edges and its
/// middle.
constexpr std::size_t kInLine = 4;
constexpr std::size_t kNextTo = 4 * kInLine;      // below, above, right, left
using TipPlaces = std::array<Rect, kNextTo + 4>;  // and the corners of the display
/// The share of a tooltip that its place next to the thing must cover before a corner is better.
constexpr float kTooMuch = 0.25F;

TipPlaces placesOfTip(const Tip& tip) {
  const auto& [thing, size, display, mouse, gap] = tip;
  // in line with the thing where that is as narrow, else with the mouse
  const bool narrow = thing.width() <= size.x;
  const bool right = thing.centre().x > display.x * 0.5F;
  const std::array<float, kInLine> xs{!narrow ? mouse.x - size.x * 0.5F
                                      : right ? thing.b.x - size.x
                                              : thing.a.x,
                                      thing.a.x, thing.b.x - size.x,
                                      thing.centre().x - size.x * 0.5F};
  const std::array<float, kInLine> ys{mouse.y - size.y * 0.5F, thing.a.y, thing.b.y - size.y,
                                      thing.centre().y - size.y * 0.5F};
  TipPlaces places;
  for (std::size_t i = 0; i < kInLine; ++i) {
    const float x = within(xs[i], size.x, display.x);
    const float y = within(ys[i], size.y, display.y);
    places[i] = Rect::at({x, thing.b.y + gap}, size);
    places[kInLine + i] = Rect::at({x, thing.a.y - gap - size.y}, size);
    places[2 * kInLine + i] = Rect::at({thing.b.x + gap, y}, size);
    places[3 * kInLine + i] = Rect::at({thing.a.x - gap - size.x, y}, size);
  }
  for (std::size_t i = 0; i < places.size() - kNextTo; ++i) {
    const ImVec2 corner{i % 2 == 0 ? gap : display.x - gap - size.x,
                        i / 2 == 0 ? gap : display.y - gap - size.y};
    places[kNextTo + i] = Rect::at(corner, size);
  }
  return places;
}

bool fits(const Rect& place, ImVec2 display) {
  return place.a.x >= 0.0F && place.a.y >= 0.0F && place.b.x <= display.x && place.b.y <= display.y;
}

/// The number of the best place; nothing where none has room on the display.
std::optional<std::size_t> bestOf(const TipPlaces& places, const Tip& tip, const Covered& covered) {
  std::optional<std::size_t> best;
  float bestCovered = 0.0F, bestDistance = 0.0F;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool corner = i >= kNextTo;
    if (!fits(places[i], tip.display) || (corner && places[i].overlaps(tip.thing))) continue;
    const float covers = (covered ? covered(places[i]) : 0.0F) +
                         (corner ? kTooMuch * tip.size.x * tip.size.y : 0.0F);
    const float away = distance(tip.mouse, places[i]);
    const bool above = i / kInLine == 1;  // only where no other place is as free
    const bool better =
        !best || covers < bestCovered || (covers == bestCovered && !above && away < bestDistance);
    if (!better) continue;
    best = i;
    bestCovered = covers;
    bestDistance = away;
  }
  return best;
}

ImVec2 awayFromTheMiddle(const Tip& tip) {
  const auto& [thing, size, display, mouse, gap] = tip;
  const float away = 2.0F * gap;
  const ImVec2 aside{mouse.x > display.x * 0.5F ? mouse.x - size.x - away : mouse.x + away,
                     mouse.y > display.y * 0.5F ? mouse.y - size.y - away : mouse.y + away};
  return {within(aside.x, size.x, display.x), within(aside.y, size.y, display.y)};
}

/// The keys of what the tooltip's window keeps: the thing that it explains, its size and its gap;
/// and the number of its place, −1 where none was found.
constexpr ImGuiID kKept = 0x71a9e001;
constexpr ImGuiID kPlace = kKept + 7;

void keepTip(ImGuiStorage& kept, const Tip& tip) {
  ImGuiID id = kKept;
  for (const float each : {tip.thing.a.x, tip.thing.a.y, tip.thing.b.x, tip.thing.b.y, tip.size.x,
                           tip.size.y, tip.gap}) {
    kept.SetFloat(id++, each);
  }
}

Tip keptTip(const ImGuiStorage& kept) {
  const auto at = [&](ImGuiID i) { return kept.GetFloat(kKept + i); };
  const ImGuiIO& io = ImGui::GetIO();
  return {{{at(0), at(1)}, {at(2), at(3)}}, {at(4), at(5)}, io.DisplaySize, io.MousePos, at(6)};
}

/// The window that Dear ImGui draws tooltips in; null before the first one.
ImGuiWindow* tipWindow() {
  const auto& all = GImGui->Windows;
  const auto found = std::find_if(all.begin(), all.end(), [](const ImGuiWindow* each) {
    return (each->Flags & ImGuiWindowFlags_Tooltip) != 0;
  });
  return found == all.end() ? nullptr : *found;
}

float shared(const Rect& one, const Rect& other) {
  const float width = std::min(one.b.x, other.b.x) - std::max(one.a.x, other.a.x);
  const float height = std::min(one.b.y, other.b.y) - std::max(one.a.y, other.a.y);
  return std::max(width, 0.0F) * std::max(height, 0.0F);
}

/// A part of what a frame shows, and how much it counts where it is covered.
struct Seen {
  Rect at;
  float counts = 1.0F;
};
constexpr float kPicture = 4.0F;  // a picture is looked at as a whole, a text is passed over

/// Adds what a command of a draw list shows: heatmaps, ribbons and pictures of the scene, else the
/// letters and images, which are rectangles with a part of a texture.
void addShown(const ImDrawList& list, const ImDrawCmd& command, std::vector<Seen>& shown) {
  if (const gl::Scene::Command* scene = sceneCommandOf(command)) {
    const auto add = [&](const auto& quads) {
      for (const auto& quad : quads) {
        const gl::Bounds& at = quad.rect;
        shown.push_back({{{at.x0, at.y0}, {at.x1, at.y1}}, kPicture});
      }
    };
    if (const auto* maps = std::get_if<gl::HeatmapBatch>(&scene->batch)) add(maps->quads);
    if (const auto* bands = std::get_if<gl::RibbonBatch>(&scene->batch)) {
      for (const gl::Ribbon& each : bands->ribbons) {
        shown.push_back({{{each.x0, std::min(each.top0, each.top1)},
                          {each.x1, std::max(each.bottom0, each.bottom1)}},
                         kPicture});
      }
    }
    if (const auto* pictures = std::get_if<gl::PictureBatch>(&scene->batch)) add(pictures->quads);
    return;
  }
  if (command.UserCallback != nullptr) return;
  const ImVec4& within = command.ClipRect;
  const Rect clip{{within.x, within.y}, {within.z, within.w}};
  const auto vertex = [&](unsigned at) -> const ImDrawVert& {
    const ImDrawIdx index = list.IdxBuffer[static_cast<int>(command.IdxOffset + at)];
    return list.VtxBuffer[static_cast<int>(command.VtxOffset + index)];
  };
  for (unsigned at = 0; at + 2 < command.ElemCount; at += 3) {
    const ImDrawVert &first = vertex(at), &last = vertex(at + 2);
    const bool oneColor = first.uv.x == last.uv.x || first.uv.y == last.uv.y;
    const Rect letter{first.pos, last.pos};
    if (!oneColor && letter.overlaps(clip)) shown.push_back({letter});
  }
}

/// Returns whether a window is the card of the open lesson, which is kept free as a whole.
bool isLessonCard(const ImGuiWindow& window) {
  return std::string_view(window.Name).find("/lesson_") != std::string_view::npos;
}

/// Returns the places of all letters and pictures of this frame, but for those of tooltips.
std::vector<Seen> shownNow() {
  std::vector<Seen> shown;
  for (const ImGuiWindow* window : GImGui->Windows) {
    const bool isTip = (window->Flags & ImGuiWindowFlags_Tooltip) != 0;
    if (!window->Active || window->Hidden || isTip) continue;
    if (isLessonCard(*window)) shown.push_back({Rect::at(window->Pos, window->Size), kPicture});
    for (const ImDrawCmd& command : window->DrawList->CmdBuffer) {
      addShown(*window->DrawList, command, shown);
    }
  }
  return shown;
}

}  // namespace

ImVec2 tooltipCorner(const Rect& thing, ImVec2 size, ImVec2 display, ImVec2 mouse, float gap,
                     const Covered& covered) {
  const Tip tip{thing, size, display, mouse, gap};
  const TipPlaces places = placesOfTip(tip);
  const auto best = bestOf(places, tip, covered);
  return best ? places[*best].a : awayFromTheMiddle(tip);
}

void placeTooltipNextTo(const Rect& thing, ImVec2 size, float gap) {
  const ImGuiIO& io = ImGui::GetIO();
  const Tip tip{thing, size, io.DisplaySize, io.MousePos, gap};
  const TipPlaces places = placesOfTip(tip);
  auto place = bestOf(places, tip, {});
  if (ImGuiWindow* window = tipWindow()) {
    keepTip(window->StateStorage, tip);
    const int kept = window->WasActive ? window->StateStorage.GetInt(kPlace, -1) : -1;
    const auto at = static_cast<std::size_t>(std::max(kept, 0));
    if (kept >= 0 && fits(places[at], tip.display)) place = at;
  }
  ImGui::SetNextWindowPos(place ? places[*place].a : awayFromTheMiddle(tip), ImGuiCond_Always);
}

bool settleTip() {
  ImGuiWindow* window = tipWindow();
  if (window == nullptr || !window->Active) return false;
  const Tip tip = keptTip(window->StateStorage);
  const std::vector<Seen> shown = shownNow();
  const auto best = bestOf(placesOfTip(tip), tip, [&](const Rect& place) {
    float sum = 0.0F;
    for (const Seen& each : shown) sum += each.counts * shared(place, each.at);
    return sum;
  });
  const int found = best ? static_cast<int>(*best) : -1;
  const bool moves = found != window->StateStorage.GetInt(kPlace, -1);
  window->StateStorage.SetInt(kPlace, found);
  return moves;
}

}  // namespace headscope::ui
