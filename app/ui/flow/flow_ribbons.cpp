#include "app/ui/flow/flow_ribbons.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/flow/flow_parts.h"
#include "app/ui/head_switch.h"

namespace headscope::ui {
namespace {

// Opacities: (in the current step, elsewhere).
struct Strength {
  float lit, dim;
};
constexpr Strength kShared = {0.36F, 0.2F};  // ribbons all heads share
constexpr Strength kChosen = {0.72F, 0.46F};
constexpr Strength kOther = {0.34F, 0.17F};
constexpr Strength kFan = {0.62F, 0.34F};  // all heads' fans together
constexpr Strength kBlock = {1.0F, 0.85F};
constexpr Strength kHidden = {0.2F, 0.12F};
constexpr float kDark = 1.25F;     // times, on a dark panel
constexpr float kHovered = 0.15F;  // added
constexpr float kOff = 0.12F;

gl::Rgba rgba(ImU32 color, float alpha) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
  return {c.x, c.y, c.z, alpha};
}

/// Colours at a ribbon's two ends.
std::pair<ImU32, ImU32> colors(const FlowStress& stress, FlowId id) {
  const Theme& t = stress.theme;
  const ImU32 head = headColor(t, static_cast<std::size_t>(std::max<Index>(id.head, 0)));
  if (standsForHidden(stress.layout, id) || stress.off(id)) return {t.textMuted, t.textMuted};
  switch (id.part) {
    case FlowPart::inputQuery:
    case FlowPart::splitQuery:
      return {t.query, t.query};
    case FlowPart::inputKey:
    case FlowPart::splitKey:
      return {t.key, t.key};
    case FlowPart::inputValue:
    case FlowPart::splitValue:
    case FlowPart::carryValue:
    case FlowPart::underValue:
    case FlowPart::meetValue:
      return {t.value, t.value};
    case FlowPart::scoreQuery:
      return {t.query, head};
    case FlowPart::scoreKey:
      return {t.key, head};
    case FlowPart::fan:
      return {head, t.output};
    default:
      return {head, head};
  }
}

}  // namespace

bool FlowStress::chosen(FlowId id) const { return onPathOf(id, head, config); }

bool FlowStress::off(FlowId id) const {
  const bool afterGain = id.part == FlowPart::headOutput || id.part == FlowPart::gather ||
                         id.part == FlowPart::rowBlock || id.part == FlowPart::fan;
  return afterGain && !standsForHidden(layout, id) && isOff(config, id.head);
}

float FlowStress::block(const FlowBlock& block) const {
  const bool lit = lights(block.id.part, step) || hovered == block.id;
  return block.opacity * (lit ? kBlock.lit : kBlock.dim) * (off(block.id) ? 0.5F : 1);
}

float FlowStress::ribbon(const FlowRibbon& ribbon, std::size_t overlapping) const {
  const FlowId id = ribbon.id;
  const auto pick = [&](Strength s) { return lights(id.part, step) ? s.lit : s.dim; };
  const bool own = belongsToHead(id.part) && !standsForHidden(layout, id);
  float alpha = pick(!own ? kShared : chosen(id) ? kChosen : kOther);
  if (id.part == FlowPart::fan && !chosen(id)) {
    // So that n of them, one over the other, come to the opacity of kFan.
    alpha = 1 - std::pow(1 - pick(kFan), 1 / static_cast<float>(overlapping));
  } else if (standsForHidden(layout, id)) {
    alpha = pick(kHidden);
  }
  if (off(id)) alpha = kOff;
  if (theme.kind == ThemeKind::dark) alpha *= kDark;
  if (hovered == id) alpha += kHovered;
  return std::min(alpha, 1.0F) * ribbon.opacity;
}

gl::RibbonBatch flowRibbons(const FlowStress& stress, ImVec2 origin) {
  const auto& ribbons = stress.layout.ribbons;
  const auto fans = static_cast<std::size_t>(
      std::count_if(ribbons.begin(), ribbons.end(),
                    [](const FlowRibbon& ribbon) { return ribbon.id.part == FlowPart::fan; }));
  gl::RibbonBatch batch;
  for (const bool chosen : {false, true}) {
    for (const FlowRibbon& ribbon : ribbons) {
      if (stress.chosen(ribbon.id) != chosen) continue;
      const float alpha = stress.ribbon(ribbon, fans);
      const auto [from, to] = colors(stress, ribbon.id);
      batch.ribbons.push_back({origin.x + ribbon.from.x, origin.y + ribbon.from.top,
                               origin.y + ribbon.from.bottom, origin.x + ribbon.to.x,
                               origin.y + ribbon.to.top, origin.y + ribbon.to.bottom,
                               rgba(from, alpha), rgba(to, alpha)});
    }
  }
  return batch;
}

}  // namespace headscope::ui
