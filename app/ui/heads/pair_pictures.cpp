#include "app/ui/heads/pair_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/matrix_view.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kOneLine = 190.0F;  // a relation and its number, in points
constexpr std::uint64_t kPlace = 0x57485953ULL;

/// A matrix's numbers below its name: each beside what it is of, or below it where there is little
/// width.
struct Numbers {
  std::string name;
  ImU32 color;
  std::array<std::pair<std::string, std::string>, 3> lines;
};

void drawNumbers(const Look& look, const Numbers& numbers, ImVec2 at, float width, bool beside) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto line = [&](ImFont* font, ImU32 color, const std::string& text, float room) {
    drawText(list, font, at, color, elided(font, text, room));
  };
  const auto next = [&](ImFont* font) { at.y += fontSize(font) + look.px(4); };
  line(look.fonts.semibold, numbers.color, numbers.name, width);
  next(look.fonts.semibold);
  for (const auto& [what, value] : numbers.lines) {
    const float taken = beside ? textSize(look.fonts.mono, value).x + look.px(10) : 0.0F;
    line(look.fonts.small, look.theme.textMuted, what, width - taken);
    if (beside) {
      drawText(list, look.fonts.mono, {at.x + width - taken + look.px(10), at.y}, look.theme.text,
               value);
    } else {
      next(look.fonts.small);
      line(look.fonts.mono, look.theme.text, value, width);
    }
    next(look.fonts.mono);
  }
}

/// "Head 1 · scores × 0.41"
std::string nameOf(const HeadRelation& head, double gain) {
  const std::string name = fmt::format("Head {}", head.head + 1);
  return gain == 1.0 ? name : name + fmt::format(" · scores × {}", number(gain, 2));
}

}  // namespace

std::string scoreText(const Measured& score) {
  return score ? fmt::format("{:.2f}", *score) : score.why;
}

void pairPictures(const Panel& panel, const WhySeveralMemory& memory) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const WhySeveralFigures& figures = *memory.figures;
  const auto& [a, b] = figures.pair;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto& queries = laneTokens(panel.trace, Lane::query, panel.view.item);
  const auto& keys = laneTokens(panel.trace, Lane::key, panel.view.item);
  const float labels = labelWidth(look.fonts.tiny, queries, look.px(56)) + look.px(6);
  const float below = look.px(30);
  const float third = room.x / 3.0F;
  const float words = std::min(look.px(250), third * 0.45F);
  const float widest = third - labels - look.px(20);
  const float lines =
      fontSize(look.fonts.semibold) +
      (widest < look.px(kOneLine) ? 6.0F : 3.0F) * (fontSize(look.fonts.mono) + look.px(4)) +
      look.px(12);
  const float sideBeside = std::min(third - labels - words - look.px(30), room.y - below);
  const float sideAbove = std::min(widest, room.y - below - lines);
  const bool above = sideAbove > sideBeside;
  const float side = std::max(look.px(20), above ? sideAbove : sideBeside);
  const ImVec2 size(
      c.keys() >= c.seqLen ? side
                           : side * static_cast<float>(c.keys()) / static_cast<float>(c.seqLen),
      c.seqLen >= c.keys() ? side
                           : side * static_cast<float>(c.seqLen) / static_cast<float>(c.keys()));
  const ColorScale scale = colorScale(look, panel.view, TensorId::weights, 1.0F);
  gl::HeatmapBatch batch;
  const std::array<std::string, 3> names{nameOf(a, figures.measured.gains[0]),
                                         nameOf(b, figures.measured.gains[1]),
                                         std::string("One head for both")};
  const std::array<ImU32, 3> colors{headColor(t, static_cast<std::size_t>(a.head)),
                                    headColor(t, static_cast<std::size_t>(b.head)), t.text};
  for (std::size_t i = 0; i < 3; ++i) {
    const ImVec2 corner(at.x + static_cast<float>(i) * third + labels, at.y);
    const ImVec2 end(corner.x + size.x, corner.y + size.y);
    gl::HeatmapSource source;
    source.key = kPlace + i;
    source.revision = memory.serial;
    source.rows = static_cast<int>(figures.rows);
    source.cols = static_cast<int>(figures.cols);
    source.fill = [held = memory.figures, i](float* out) {
      std::copy(held->cells[i].begin(), held->cells[i].end(), out);
    };
    addSource(batch, look, std::move(source), scale, corner, end);
    const LabelStyle style{look.fonts.tiny, t.textMuted, t.textMuted};
    drawRowLabels(list, queries, {corner.x - look.px(4), corner.y},
                  size.y / static_cast<float>(c.seqLen), labels, style);
    drawColumnLabels(list, keys, {corner.x, end.y + look.px(3)},
                     size.x / static_cast<float>(c.keys()), below, style);
    const auto& of = figures.measured;
    const Numbers numbers{names[i],
                          colors[i],
                          {{{a.relation.name, scoreText(of.scores[i][0])},
                            {b.relation.name, scoreText(of.scores[i][1])},
                            {"entropy, bits", scoreText(of.entropy[i])}}}};
    const ImVec2 place = above ? ImVec2(corner.x, end.y + below + look.px(6))
                               : ImVec2(end.x + look.px(12), corner.y);
    const float right = at.x + static_cast<float>(i + 1) * third - look.px(8);
    const float width =
        above ? std::min(std::max(size.x, look.px(kOneLine)), widest) : right - place.x;
    drawNumbers(look, numbers, place, width, width >= look.px(kOneLine));
  }
  addHeatmaps(list, look.scene, std::move(batch));
}

}  // namespace headscope::ui
