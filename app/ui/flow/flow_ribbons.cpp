// The ribbons of the dimension flow (see flow_drawing.h).
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/flow/flow_drawing.h"
#include "app/ui/flow/flow_parts.h"
#include "app/ui/head_switch.h"
#include "app/ui/scene_commands.h"

namespace headscope::ui {
namespace {

// Opacities in the current step and elsewhere.
struct Strength {
  float lit, dim;
};
constexpr Strength kStrengthShared = {0.36F, 0.2F};  // ribbons all heads share
constexpr Strength kStrengthChosen = {0.72F, 0.46F};
constexpr Strength kStrengthOther = {0.34F, 0.17F};
constexpr Strength kStrengthFan = {0.62F, 0.34F};  // all heads' fans together
constexpr Strength kStrengthBlock = {1.0F, 0.85F};
constexpr Strength kStrengthHidden = {0.2F, 0.12F};
constexpr float kAlphaDark = 1.25F;     // a factor on dark panels
constexpr float kAlphaHovered = 0.15F;  // added for the ribbon under the mouse
constexpr float kAlphaOff = 0.12F;

/// Returns the colours at a ribbon's two ends.
std::pair<ImU32, ImU32> ribbonEnds(const FlowStress& stress, FlowId id) {
  const Theme& t = stress.theme;
  if (standsForHidden(stress.layout, id) || stress.off(id)) return {t.textMuted, t.textMuted};
  const FlowPartInfo& part = infoOf(id.part);
  const Ink own = lookOf(part.tensor).ink;
  const auto [from, to] = part.ends.value_or(std::pair(own, own));
  const Index head = std::max<Index>(id.head, 0);
  return {areaColor(t, from, head), areaColor(t, to, head)};
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
  return block.opacity * (lit ? kStrengthBlock.lit : kStrengthBlock.dim) *
         (off(block.id) ? 0.5F : 1);
}

float FlowStress::ribbon(const FlowRibbon& ribbon, std::size_t overlapping) const {
  const FlowId id = ribbon.id;
  const auto pick = [&](Strength s) { return lights(id.part, step) ? s.lit : s.dim; };
  const bool own = belongsToHead(id.part) && !standsForHidden(layout, id);
  float alpha = pick(!own ? kStrengthShared : chosen(id) ? kStrengthChosen : kStrengthOther);
  if (id.part == FlowPart::fan && !chosen(id)) {
    // n ribbons on top of each other reach the opacity of kStrengthFan.
    alpha = 1 - std::pow(1 - pick(kStrengthFan), 1 / static_cast<float>(overlapping));
  } else if (standsForHidden(layout, id)) {
    alpha = pick(kStrengthHidden);
  }
  if (off(id)) alpha = kAlphaOff;
  if (theme.kind == ThemeKind::dark) alpha *= kAlphaDark;
  if (hovered == id) alpha += kAlphaHovered;
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
      const auto [from, to] = ribbonEnds(stress, ribbon.id);
      batch.ribbons.push_back({origin.x + ribbon.from.x, origin.y + ribbon.from.top,
                               origin.y + ribbon.from.bottom, origin.x + ribbon.to.x,
                               origin.y + ribbon.to.top, origin.y + ribbon.to.bottom,
                               ribbonColor(from, alpha), ribbonColor(to, alpha)});
    }
  }
  return batch;
}

}  // namespace headscope::ui
