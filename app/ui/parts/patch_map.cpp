#include "app/ui/parts/patch_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr float kMostOfMap = 0.72F;  // opacity at the row's largest weight
constexpr float kVeilOfMap = 0.16F;  // over the whole picture, so that its own colours stand back

}  // namespace

float largestOnPatch(const std::vector<Rect>& patches, const float* row) {
  float most = 1e-30F;
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (!patches[i].empty()) most = std::max(most, row[i]);
  }
  return most;
}

float fullWeight(std::span<const float> row) {
  if (row.empty()) return 1.0F;
  return std::max(*std::ranges::max_element(row), 4.0F / static_cast<float>(row.size()));
}

void drawPatchMap(const FrameContext& look, ImDrawList* list, const std::vector<Rect>& patches,
                  const float* row, ImU32 color, float full) {
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (patches[i].empty()) continue;
    list->AddRectFilled(patches[i].a, patches[i].b, withAlpha(look.theme.panel, kVeilOfMap));
    list->AddRectFilled(patches[i].a, patches[i].b,
                        withAlpha(color, kMostOfMap * std::clamp(row[i] / full, 0.0F, 1.0F)));
  }
}

void patchMapLegend(const FrameContext& look, float largest) {
  label(look.fonts.small, look.theme.textMuted, "weight 0");
  ImGui::SameLine(0.0F, look.space.small);
  const float line = fontSize(look.fonts.small);
  const Rect bar = Rect::at(ImGui::GetCursorScreenPos(), {look.px(70), line});
  const ImU32 none = withAlpha(look.theme.accent, 0.0F);
  const ImU32 full = withAlpha(look.theme.accent, kMostOfMap);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilledMultiColor(bar.a, bar.b, none, full, full, none);
  list->AddRect(bar.a, bar.b, look.theme.panelBorder);
  ImGui::Dummy(bar.size());
  ImGui::SameLine(0.0F, look.space.small);
  const std::string most = largest > 0.0F
                               ? trFormat("{:.3f}, the largest on a patch in this row", largest)
                               : std::string(tr("the largest on a patch of its picture"));
  wrappedLabel(look.fonts.small, look.theme.textMuted, most);
}

}  // namespace headscope::ui
