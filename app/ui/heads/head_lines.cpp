#include "app/ui/heads/head_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/analysis/accumulated_mass.h"

namespace headscope::ui {
namespace {

constexpr float kMostLines = 12000.0F;  // in all pictures together
constexpr float kThickest = 3.2F;       // points

/// The middle of a block, as a share of the tokens shown.
float placeOf(Index first, Index step, Index block, const TokenRange& shown) {
  const auto middle = static_cast<float>(first + block * step) + static_cast<float>(step) * 0.5F;
  return (middle - static_cast<float>(shown.first)) / static_cast<float>(shown.count);
}

}  // namespace

Index lineEnds(float height, Index heads, float scale) {
  const float apart = height / (5.0F * scale);
  const float quick = std::sqrt(kMostLines / static_cast<float>(heads));
  return std::max<Index>(4, static_cast<Index>(std::min(apart, quick)));
}

void drawHeadLines(const Panel& panel, const LinesPicture& picture, ImVec2 a, ImVec2 b) {
  const Look& look = panel.look;
  const CellBlocks& blocks = picture.blocks;
  const auto across = static_cast<std::size_t>(blocks.across());
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = b.y - a.y;
  list->PushClipRect(a, b, true);
  for (Index r = 0; r < blocks.down(); ++r) {
    const float from = placeOf(blocks.row0, blocks.rowStep, r, picture.queries);
    if (from < 0.0F || from > 1.0F) continue;
    const auto row = picture.shares.subspan(static_cast<std::size_t>(r) * across, across);
    const Index first = blocks.row0 + r * blocks.rowStep;
    const bool lit = picture.litQuery >= first && picture.litQuery < first + blocks.rowStep;
    const float strength = picture.litQuery < 0 || lit ? 1.0F : 0.15F;
    for (const Index k : largestOfMass(row, panel.view.heads.lineMass)) {
      const float to = placeOf(blocks.col0, blocks.colStep, k, picture.keys);
      const float share = std::abs(row[static_cast<std::size_t>(k)]);
      const float weight = std::clamp(share / picture.strongest, 0.0F, 1.0F);
      const float alpha = (0.12F + 0.78F * weight) * strength;
      list->AddLine({a.x, a.y + from * height}, {b.x, a.y + to * height},
                    withAlpha(picture.color, alpha), look.px(0.6F + (kThickest - 0.6F) * weight));
    }
  }
  list->PopClipRect();
}

}  // namespace headscope::ui
