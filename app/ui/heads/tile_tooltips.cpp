// What is shown of the tokens, and the cell of a head's tile under the mouse in words (see
// all_heads.h).
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/heads/all_heads.h"
#include "app/ui/heads/figure_words.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/widgets.h"
#include "core/analysis/weight_readings.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr double kTooltipMass = 0.9;  // of a row's weights, in the tooltip of lines
constexpr std::size_t kTooltipKeys = 4;

std::vector<std::string> tokenTexts(const Panel& panel, Lane lane, const TokenRange& range) {
  const auto& tokens = laneTokens(panel.trace, lane, panel.view.item);
  std::vector<std::string> labels;
  for (Index i = range.first; i < range.first + range.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    labels.push_back(at < tokens.size() ? tokens[at] : fmt::format("{}", i));
  }
  return labels;
}

/// A cell of one head, whatever is shown of it.
bool isOfHead(const HeadPicture& picture) {
  return picture.of != HeadPicture::Of::mean && picture.of != HeadPicture::Of::difference;
}

/// What is drawn where a cell is one of many.
std::string blockWords(const HeadTileGroup& group, std::size_t at, Index row, Index col) {
  const auto& [rows, cols] = group.set->spec.blocks;
  if (!group.set->spec.blocks.several() || !rows.holds(row, 1) || !cols.holds(col, 1)) return {};
  const Index block =
      (row - rows.first) / rows.step * cols.blocks() + (col - cols.first) / cols.step;
  const float value = group.set->cells[at][static_cast<std::size_t>(block)];
  if (value <= gl::kMaskedCell) return {};
  return fmt::format("\none of {} × {} drawn as one: {} {}", rows.step, cols.step,
                     group.set->spec.how == Reduction::mean ? "mean" : "maximum", number(value, 4));
}

void cellTooltip(const Panel& panel, const HeadTileGroup& group, const HeadTile& tile,
                 const CellRef& cell) {
  const GridContent content = panel.view.heads.content;
  const HeadPicture& picture = tile.picture;
  const HeadPictures& drawn = *group.drawn;
  if (picture.of == HeadPicture::Of::mean && drawn.parts->mean.empty()) return;
  const PictureReader reader(panel.trace, panel.view.item, content, *drawn.parts);
  const float value = reader.cell(picture, cell.row, cell.col);
  const std::string place =
      fmt::format("[{}, {}]", placeName(panel.trace, Axis::query, cell.item, cell.row),
                  placeName(panel.trace, Axis::key, cell.item, cell.col));
  const bool normWeighted =
      content == GridContent::normWeighted && picture.of != HeadPicture::Of::plain;
  const char* symbol = normWeighted ? "‖A v W_O‖" : "A";
  const std::string shift =
      picture.of == HeadPicture::Of::shift ? " as a share of its row − A" : "";
  std::string text = fmt::format("{}{}{}", symbol, place, shift);
  text += value <= gl::kMaskedCell ? " is masked" : " = " + number(value, 6);
  if (normWeighted && picture.of == HeadPicture::Of::head) {
    text += " of a weight of " + number(panel.trace.value(cell), 4);
  }
  text += "\n" + nameOf(picture);
  if (isOfHead(picture)) text += " · " + toString(cell);
  if (group.set != nullptr) {
    if (const auto at = group.set->find(picture))
      text += blockWords(group, *at, cell.row, cell.col);
  }
  if (isOfHead(picture) && group.figures != nullptr) {
    const auto head = static_cast<std::size_t>(picture.head);
    text += "\n" + labelWithRule(group.figures->report.labels[head]);
  }
  ImGui::SetTooltip("%s", text.c_str());
}

/// The keys a query looks at most, in words; gives the first of them.
Index linesTooltip(const Panel& panel, const HeadTileGroup& group, const HeadTile& tile,
                   const VisibleTokens& shown, Index row) {
  const PictureReader reader(panel.trace, panel.view.item, panel.view.heads.content,
                             *group.drawn->parts);
  std::vector<float> cells(static_cast<std::size_t>(shown.keys.count));
  if (tile.picture.of == HeadPicture::Of::mean && group.drawn->parts->mean.empty()) return 0;
  reader.row(tile.picture, row, shown.keys.first, cells);
  std::replace(cells.begin(), cells.end(), gl::kMaskedCell, 0.0F);
  const std::vector<Index> largest = largestOfMass(cells, kTooltipMass);
  std::string text = nameOf(tile.picture) + " · " +
                     placeName(panel.trace, Axis::query, panel.view.item, row) + " →";
  for (std::size_t i = 0; i < std::min(largest.size(), kTooltipKeys); ++i) {
    const Index key = shown.keys.first + largest[i];
    text += fmt::format("{} {} {}", i > 0 ? "," : "",
                        placeName(panel.trace, Axis::key, panel.view.item, key),
                        number(cells[static_cast<std::size_t>(largest[i])], 3));
  }
  if (largest.size() > kTooltipKeys)
    text += fmt::format(" … {} more", largest.size() - kTooltipKeys);
  ImGui::SetTooltip("%s", text.c_str());
  return shown.keys.first + (largest.empty() ? 0 : largest.front());
}

}  // namespace

VisibleTokens visibleTokens(const Panel& panel) {
  const AttentionConfig& c = panel.trace.config();
  const HeadsView& view = panel.view.heads;
  VisibleTokens shown;
  shown.queries = shownOf(view.queries, c.seqLen);
  shown.keys = shownOf(view.keys, c.keys());
  shown.queryLabels = tokenTexts(panel, Lane::query, shown.queries);
  shown.keyLabels = tokenTexts(panel, Lane::key, shown.keys);
  return shown;
}

std::optional<Hover> pickInTiles(const Panel& panel, const HeadTileGroup& group,
                                 const VisibleTokens& shown) {
  // a click is over only after its button was held
  const bool here = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  if (group.drawn == nullptr || !here) return std::nullopt;
  for (std::size_t i = 0; i < group.tiles.size(); ++i) {
    const HeadTile& tile = group.tiles[i];
    const MatrixPlace place = group.place(i, shown);
    if (!ImGui::IsMouseHoveringRect(place.at.a, place.at.b)) continue;
    const MatrixCell at = place.nearest(ImGui::GetIO().MousePos);
    const Index head = isOfHead(tile.picture) ? tile.picture.head : panel.view.head;
    CellRef cell{TensorId::weights, panel.view.item, head, shown.queries.first + at.row, 0};
    if (group.lines) {
      cell.col = linesTooltip(panel, group, tile, shown, cell.row);
      return Hover{cell, Lane::query, Lane::none, cell.row, -1};
    }
    cell.col = shown.keys.first + at.col;
    cellTooltip(panel, group, tile, cell);
    return Hover{cell, Lane::query, Lane::key, cell.row, cell.col};
  }
  return std::nullopt;
}

}  // namespace headscope::ui
