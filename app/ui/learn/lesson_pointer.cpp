#include "app/ui/learn/lesson_pointer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

constexpr double kWay = 0.9;      // seconds from the button to the control
constexpr double kSearch = 0.15;  // seconds after which a control counts as out of sight
constexpr double kAfter = 0.7;    // seconds for which the ring stays at a control that was used

/// An arrow as a mouse pointer, its tip at `at`.
void drawArrow(const FrameContext& look, ImDrawList* list, ImVec2 at) {
  const float s = look.px(1.1F);
  const ImVec2 points[] = {{at.x, at.y},
                           {at.x, at.y + 17 * s},
                           {at.x + 4.5F * s, at.y + 13 * s},
                           {at.x + 12 * s, at.y + 12 * s}};
  list->AddTriangleFilled(points[0], points[1], points[2], look.theme.accent);
  list->AddTriangleFilled(points[0], points[2], points[3], look.theme.accent);
  list->AddPolyline(points, 4, look.theme.panel, ImDrawFlags_Closed, look.px(1.5F));
}

}  // namespace

void LessonPointer::go(const std::string& control, ImVec2 from, double now) {
  sought_ = {control, {}};
  from_ = from;
  goes_ = true;
  seen_ = false;
  since_ = now;
}

bool LessonPointer::takeArrival(double now) {
  if (!goes_) return false;
  const double passed = now - since_.value_or(now);
  if (passed < (seen_ ? kWay : kSearch)) return false;
  goes_ = false;
  since_ = now;
  if (!seen_) stop();
  return true;
}

void LessonPointer::mark(const std::string& control) {
  marked_ = control;
  if (!since_) sought_ = {control, {}};
}

void LessonPointer::stop() {
  goes_ = false;
  since_.reset();
  marked_.clear();
  sought_ = {};
}

void LessonPointer::draw(const FrameContext& look) {
  const std::optional<Rect> at = std::exchange(sought_.at, std::nullopt);
  seen_ = seen_ || at;
  if (since_) *look.wantsFrame = true;
  if (since_ && !goes_ && look.now - *since_ > kAfter) {
    since_.reset();
    sought_ = {marked_, {}};
    return;
  }
  if (!at) return;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const float beyond = look.px(4);
  const Rect ring{{at->a.x - beyond, at->a.y - beyond}, {at->b.x + beyond, at->b.y + beyond}};
  list->AddRect(ring.a, ring.b, look.theme.accent, look.px(7), 0, look.px(2.5F));
  if (!since_) return;
  const double passed = look.now - *since_;
  const auto share = goes_ ? static_cast<float>(std::clamp(passed / kWay, 0.0, 1.0)) : 1.0F;
  const float eased = share * share * (3.0F - 2.0F * share);
  const ImVec2 to = at->centre();
  drawArrow(look, list, {from_.x + (to.x - from_.x) * eased, from_.y + (to.y - from_.y) * eased});
}

}  // namespace headscope::ui
