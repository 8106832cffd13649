#include "app/ui/flow/flow_panel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/ui/control_focus.h"
#include "app/ui/flow/flow_drawing.h"
#include "app/ui/flow/flow_parts.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/tip_place.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

float between(float a, float b, float t) { return a + (b - a) * t; }

Rect between(const Rect& a, const Rect& b, float t) {
  return {{between(a.a.x, b.a.x, t), between(a.a.y, b.a.y, t)},
          {between(a.b.x, b.b.x, t), between(a.b.y, b.b.y, t)}};
}

FlowEdge between(const FlowEdge& a, const FlowEdge& b, float t) {
  return {between(a.x, b.x, t), between(a.top, b.top, t), between(a.bottom, b.bottom, t)};
}

void moveFrom(FlowBlock& item, const FlowBlock& from, float t) {
  item.rect = between(from.rect, item.rect, t);
}
void moveFrom(FlowBadge& item, const FlowBadge& from, float t) {
  item.rect = between(from.rect, item.rect, t);
}
void moveFrom(FlowRibbon& item, const FlowRibbon& from, float t) {
  item.from = between(from.from, item.from, t);
  item.to = between(from.to, item.to, t);
}
template <typename Text>  // a label or a note
void moveFrom(Text& item, const Text& from, float t) {
  item.x = between(from.x, item.x, t);
  item.y = between(from.y, item.y, t);
}

/// How to remove an item that only the first layout has.
enum class Gone { fades, vanishes };

template <typename Item>
std::vector<Item> blendItems(const std::vector<Item>& from, const std::vector<Item>& to, float t,
                             Gone gone) {
  std::map<FlowId, const Item*> before;
  for (const Item& item : from) before.emplace(item.id, &item);
  std::vector<Item> result;
  for (Item item : to) {
    const auto found = before.find(item.id);
    if (found == before.end()) {
      item.opacity *= t;
    } else {
      moveFrom(item, *found->second, t);
      item.opacity = between(found->second->opacity, item.opacity, t);
      before.erase(found);
    }
    result.push_back(std::move(item));
  }
  if (gone == Gone::vanishes) return result;
  for (const auto& [id, item] : before) {
    result.push_back(*item);
    result.back().opacity *= 1 - t;
  }
  return result;
}

constexpr double kMovingSeconds = 0.25;

float easeOut(double t) {
  const auto left = static_cast<float>(1 - t);
  return 1 - left * left * left;
}

/// The size of the tooltip's content.
ImVec2 sizeOf(const FrameContext& look, const FlowDescription& text, const std::string& term) {
  const Fonts& fonts = look.fonts;
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  ImVec2 size = richTextSize(fonts, fonts.regular, text.title);
  if (!text.shape.empty()) size.x += look.px(10) + textSize(fonts.mono, text.shape).x;
  const auto below = [&](ImVec2 more) {
    size = {std::max(size.x, more.x), size.y + spacing + more.y};
  };
  if (!text.about.empty()) below(richTextSize(fonts, fonts.small, text.about));
  if (!term.empty()) below(textSize(fonts.small, term));
  return size;
}

void flowTooltip(const FrameContext& look, const FlowDescription& text) {
  const Fonts& fonts = look.fonts;
  const ImVec2 padding(look.px(10), look.px(8));
  const std::string term =
      text.term.empty() ? "" : wrapped(fonts.small, termText(text.term), look.px(340));
  const ImVec2 content = sizeOf(look, text, term);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float around = look.px(24);  // of a block
  placeTooltipNextTo({{mouse.x - around, mouse.y - around}, {mouse.x + around, mouse.y + around}},
                     {content.x + 2.0F * padding.x, content.y + 2.0F * padding.y},
                     look.space.small);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::BeginTooltip();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImVec2 size = richTextSize(fonts, fonts.regular, text.title);
  drawRichText(ImGui::GetWindowDrawList(), fonts, fonts.regular, at, look.theme.text, text.title);
  ImGui::Dummy(size);
  if (!text.shape.empty()) {
    ImGui::SameLine(0, look.px(10));
    label(fonts.mono, look.theme.textMuted, text.shape);
  }
  if (!text.about.empty()) {
    size = richTextSize(fonts, fonts.small, text.about);
    drawRichText(ImGui::GetWindowDrawList(), fonts, fonts.small, ImGui::GetCursorScreenPos(),
                 look.theme.textMuted, text.about);
    ImGui::Dummy(size);
  }
  if (!term.empty()) label(fonts.small, look.theme.textMuted, term);
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

}  // namespace

FlowLayout blend(const FlowLayout& from, const FlowLayout& to, float t) {
  FlowLayout result;
  result.featureHeight = between(from.featureHeight, to.featureHeight, t);
  result.headFeatureHeight = between(from.headFeatureHeight, to.headFeatureHeight, t);
  result.stripeWidth = between(from.stripeWidth, to.stripeWidth, t);
  result.blocks = blendItems(from.blocks, to.blocks, t, Gone::fades);
  result.ribbons = blendItems(from.ribbons, to.ribbons, t, Gone::fades);
  result.badges = blendItems(from.badges, to.badges, t, Gone::vanishes);
  result.labels = blendItems(from.labels, to.labels, t, Gone::vanishes);
  result.notes = blendItems(from.notes, to.notes, t, Gone::vanishes);
  return result;
}

const FlowLayout& FlowMemory::update(const Wanted& wanted, const FlowMetrics& metrics) {
  const bool sameSize =
      width_ == wanted.width && height_ == wanted.height && scale_ == metrics.scale;
  if (!sameSize || config_ != wanted.config || head_ != wanted.head) {
    const bool first = !config_.has_value();
    to_ = layoutFlow(wanted.config, wanted.head, wanted.width, wanted.height, metrics);
    moving_ = !first && sameSize;
    from_ = std::move(shown_);
    since_ = wanted.now;
    config_ = wanted.config;
    head_ = wanted.head;
    width_ = wanted.width;
    height_ = wanted.height;
    scale_ = metrics.scale;
    shown_ = to_;
  }
  if (!moving_) return shown_;
  const double t = (wanted.now - since_) / kMovingSeconds;
  moving_ = wanted.animate && t < 1;
  shown_ = moving_ ? blend(from_, to_, easeOut(t)) : to_;
  return shown_;
}

void flowPanel(const PanelContext& panel, FlowMemory& memory, ImVec2 size) {
  const Fonts fonts = panel.slide ? fontsForARoom(panel.look.fonts) : panel.look.fonts;
  const FrameContext look = panel.look.withFonts(fonts);
  const float bottom = ImGui::GetCursorScreenPos().y + size.y;
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  const ImVec2 origin(std::floor(cursor.x), std::floor(cursor.y + look.space.tight));
  const float height = std::floor(bottom - origin.y);
  if (size.x < 1 || height < 1) return;

  // The layout, as the heatmaps, belongs to the last finished pass.
  const AttentionConfig& config = panel.trace.config();
  const Index head = std::clamp<Index>(panel.selection.head, 0, config.numHeads - 1);
  const FlowLayout& layout = memory.update(
      {config, head, size.x, height, panel.preferences.animate, look.now}, flowMetrics(look));
  if (memory.moving()) *look.wantsFrame = true;

  ImGui::SetCursorScreenPos(origin);
  const bool clicked = pictureArea("flow", {size.x, height});
  std::optional<FlowId> hovered;
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetMousePos();
    hovered = hitTest(layout, mouse.x - origin.x, mouse.y - origin.y);
    if (hovered) hovered = forHead(*hovered, head, config);
  }
  drawFlow(panel, layout, origin, hovered, look);
  if (!hovered) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  flowTooltip(look, describe(*hovered, config));
  if (clicked) choose(*hovered, layout, config, panel.selection);
}

}  // namespace headscope::ui
