#include "app/ui/tools/mask_picture.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/compat.h"
#include "app/ui/hover.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/document/document.h"

namespace headscope::ui {
namespace {

constexpr float kTint = 0.26F;
constexpr float kLargestPair = 34.0F;  // the largest side of a pair's cell, at scale 1

/// Returns the tokens along the queries' or the keys' side.
AxisLabels pairLabels(const PanelContext& panel, const ShownMask& shown, bool queries, Index lit) {
  const Theme& t = panel.look.theme;
  const Input& input = *panel.document.input;
  const auto& all = queries ? input.tokens : input.keyTokens();
  AxisLabels labels;
  if (shown.item() < std::ssize(all)) labels.texts = all[static_cast<std::size_t>(shown.item())];
  labels.font = panel.look.fonts.small;
  labels.color = t.text;
  labels.litColor = queries ? t.queryText : t.keyText;
  labels.lit = lit;
  labels.chosen = chosenAlong(queries ? Lane::query : Lane::key, panel.selection.cell);
  labels.limit = panel.look.px(84);
  labels.curves = inputCurves(panel.look, input, shown.item());
  return labels;
}

/// Returns the mask as cells: 0 where a pair is allowed, else masked.
CellRows pairCells(const ShownMask& shown) {
  const auto read = [&shown](Index query, std::span<float> cells) {
    const AllowedKeys allowed = allowedKeys(shown.mask(), shown.item(), query, shown.keys());
    for (Index j = 0; j < shown.keys(); ++j) {
      cells[static_cast<std::size_t>(j)] = allowed(j) ? 0.0F : gl::kMaskedCell;
    }
  };
  return {shown.queries(), shown.keys(), read};
}

/// Draws the tints in one strip per query, or per point where queries are thinner.
void drawTints(const FrameContext& look, const ShownMask& shown, const MatrixPlace& place) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Index strips = std::clamp<Index>(static_cast<Index>(place.at.height()), 1, place.rows);
  const MatrixPlace lines{place.at, strips, place.cols};
  for (Index s = 0; s < strips; ++s) {
    const Index query = s * place.rows / strips;
    for (const RuleRun& run : ruleRuns(shown.mask(), shown.item(), query, place.cols)) {
      const Rect at = lines.block(static_cast<double>(s), 1, static_cast<double>(run.begin),
                                  static_cast<double>(run.end - run.begin));
      list->AddRectFilled(at.a, at.b, ruleTint(look.theme, run.rule));
    }
  }
}

/// Draws a mark between the label and the row of each query without a key.
void markFullyMasked(const FrameContext& look, const ShownMask& shown, const MatrixPlace& place) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float cell = place.cell().y;
  const float left = place.at.a.x - look.space.small;
  float drawnTo = place.at.a.y - 1.0F;  // the lower end of the last mark
  for (const Index query : shown.fullyMasked()) {
    const float top = place.at.a.y + static_cast<float>(query) * cell;
    if (top + cell <= drawnTo) continue;
    drawnTo = std::max(top + cell, top + 1.0F);
    const float inset = cell > look.space.medium ? look.space.thin : 0.0F;
    list->AddRectFilled({left, top + inset}, {left + look.space.tight, drawnTo - inset},
                        look.theme.bad);
  }
}

float captionHeight(const FrameContext& look) {
  return fontSize(look.fonts.small) + look.space.thin;
}

}  // namespace

void ShownMask::update(const Document& document, Index item) {
  const AttentionConfig& c = document.config;
  const bool zero = c.mistakes.zeroForMasked;
  if (item == item_ && c.seqLen == queries_ && c.keys() == keys_ && zero == zeroForMasked_ &&
      c.mask == mask_) {
    return;
  }
  mask_ = c.mask;
  item_ = item;
  queries_ = c.seqLen;
  keys_ = c.keys();
  zeroForMasked_ = zero;
  ++revision_;
  fullyMasked_.clear();
  if (!zero) fullyMasked_ = fullyMaskedQueries(mask_, item, queries_, keys_);
  allowedPairs_ = 0;
  for (Index i = 0; i < queries_; ++i) allowedPairs_ += allowedKeys(mask_, item, i, keys_).count();
}

CellBlock pairsAt(const MatrixPlace& place, ImVec2 point) {
  // where several cells share the point, all cells from its start to its end
  const auto along = [](float offset, float size, Index count, Index& first, Index& cells) {
    const float start = size < 1.0F ? std::floor(offset) : offset;
    first = std::clamp<Index>(static_cast<Index>(std::floor(start / size)), 0, count - 1);
    const auto end = size < 1.0F ? static_cast<Index>(std::ceil((start + 1.0F) / size)) : 0;
    cells = std::clamp<Index>(end, first + 1, count) - first;
  };
  CellBlock block;
  const ImVec2 cell = place.cell();
  along(point.y - place.at.a.y, cell.y, place.rows, block.row, block.rows);
  along(point.x - place.at.a.x, cell.x, place.cols, block.col, block.cols);
  return block;
}

MaskLayout layoutMask(const PanelContext& panel, const ShownMask& shown, const Rect& room) {
  const FrameContext& look = panel.look;
  const float left = captionHeight(look) + pairLabels(panel, shown, true, -1).width() +
                     look.space.medium;  // "query", labels, marks
  const float right = textSize(look.fonts.small, "key →").x + look.space.medium;
  const ImVec2 most(std::max(room.width() - left - right, look.px(40)),
                    room.height() - look.space.tight);
  const auto rows = static_cast<float>(shown.queries());
  const auto cols = static_cast<float>(shown.keys());
  const auto sized = [&](float below) {
    const float height = std::max(most.y - below, look.px(40));
    ImVec2 cell(std::min(most.x / cols, look.px(kLargestPair)),
                std::min(height / rows, look.px(kLargestPair)));
    // square cells, unless one axis is so much longer that the other would vanish
    const float side = std::min(cell.x, cell.y);
    if (side * std::min(rows, cols) >= look.px(60)) cell = {side, side};
    return cell;
  };
  const AxisLabels keys = pairLabels(panel, shown, false, -1);
  ImVec2 cell = sized(captionHeight(look));
  MaskLayout layout;
  layout.below = most.y * 0.3F;
  cell = sized(ColumnLabels(look, keys, cell.x * cols, layout.below).room());
  // whole points, so that pairs that share a point share its pixels
  const ImVec2 corner(std::floor(room.a.x + left), std::floor(room.a.y + look.space.thin));
  const ImVec2 size(std::floor(cell.x * cols), std::floor(cell.y * rows));
  layout.place = {Rect::at(corner, size), shown.queries(), shown.keys()};
  layout.width = left + cell.x * cols + right;
  return layout;
}

void drawMask(const PanelContext& panel, const ShownMask& shown, const MaskLayout& layout,
              const std::optional<MatrixCell>& lit, const std::optional<MatrixCell>& cursor) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const MatrixPlace& place = layout.place;
  const Rect& at = place.at;
  Heatmaps cells(look);
  cells.add(Fingerprint("mask painter"), Fingerprint("mask", shown.revision()), pairCells(shown),
            divergingScale(look, 1.0F), at);
  cells.draw(list);
  drawTints(look, shown, place);
  list->AddRect(at.a, at.b, t.panelBorder);
  markFullyMasked(look, shown, place);

  const auto& pair = lit ? lit : cursor;
  const AxisLabels queries = pairLabels(panel, shown, true, pair ? pair->row : -1);
  const AxisLabels keys = pairLabels(panel, shown, false, pair ? pair->col : -1);
  drawRowLabels(list, queries, at, look.space.medium);
  ColumnLabels(look, keys, at.width(), layout.below).draw(list, at);
  ImFont* font = look.fonts.small;
  const float middle = at.centre().y + textSize(font, "query").x * 0.5F;
  drawTurnedText(list, font,
                 {at.a.x - queries.width() - captionHeight(look) - look.space.medium, middle},
                 t.textMuted, "query", -90.0F);
  drawText(list, font, {at.b.x + look.space.small, at.b.y - fontSize(font)}, t.textMuted, "key →");
  const auto outline = [&](const std::optional<MatrixCell>& cell, ImU32 color, float points) {
    if (!cell) return;
    const Rect block = place.block(static_cast<double>(cell->row), 1,
                                   static_cast<double>(cell->col), 1, look.space.tight);
    list->AddRect(block.a, block.b, color, 0, 0, look.px(points));
  };
  outline(lit, t.accent, 1.5F);
  outline(cursor, t.text, 2.0F);
}

ImU32 ruleTint(const Theme& theme, MaskRule rule) {
  switch (rule) {
    case MaskRule::causal:
      return withAlpha(theme.accent, kTint);
    case MaskRule::window:
      return withAlpha(theme.output, kTint);
    case MaskRule::padding:
      return withAlpha(theme.key, kTint);
    case MaskRule::painted:
      break;
  }
  return withAlpha(theme.panel, 0.0F);
}

}  // namespace headscope::ui
