#include "app/ui/tools/mask_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "app/ui/axis_labels.h"
#include "app/ui/matrix_view.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"
#include "core/weights/random.h"

namespace headscope::ui {
namespace {

constexpr float kTint = 0.26F;
constexpr float kLargestCell = 34.0F;  // at scale 1
constexpr std::uint64_t kPlaceKey = hashBytes("mask painter");

const std::vector<std::string>& tokensOf(const std::vector<std::vector<std::string>>& all,
                                         Index item) {
  static const std::vector<std::string> kNone;
  return item < static_cast<Index>(all.size()) ? all[static_cast<std::size_t>(item)] : kNone;
}

float labelLimit(const Look& look) { return look.px(84); }

/// 0 where some pair of a cell of `rows` × `cols` is allowed, else masked.
void fillMask(const ShownMask& shown, int rows, int cols, float* out) {
  std::fill_n(out, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols),
              gl::kMaskedCell);
  std::vector<std::size_t> column(static_cast<std::size_t>(shown.keys()));
  for (Index j = 0; j < shown.keys(); ++j) {
    column[static_cast<std::size_t>(j)] = static_cast<std::size_t>(j * cols / shown.keys());
  }
  for (Index i = 0; i < shown.queries(); ++i) {
    const AllowedKeys allowed = allowedKeys(shown.mask(), shown.item(), i, shown.keys());
    float* line = out + (i * rows / shown.queries()) * cols;
    for (Index j = allowed.begin; j < allowed.end; ++j) {
      if (allowed(j)) line[column[static_cast<std::size_t>(j)]] = 0.0F;
    }
  }
}

void drawCells(const Panel& panel, const ShownMask& shown, const MaskPlace& p) {
  const Look& look = panel.look;
  const float pixels = look.scene.pixelsPerPoint;
  const auto resolution = [&](Index cells, float length) {
    return static_cast<int>(std::clamp<Index>(static_cast<Index>(length * pixels), 1, cells));
  };
  gl::HeatmapBatch batch;
  gl::HeatmapSource source;
  source.key = kPlaceKey;
  source.revision = shown.revision();
  source.rows = resolution(p.queries, p.b.y - p.a.y);
  source.cols = resolution(p.keys, p.b.x - p.a.x);
  source.fill = [&shown, rows = source.rows, cols = source.cols](float* out) {
    fillMask(shown, rows, cols, out);
  };
  gl::HeatmapQuad quad;
  quad.rect = {p.a.x, p.a.y, p.b.x, p.b.y};
  quad.low = -1.0F;
  quad.high = 1.0F;
  quad.colorMap = ColorMaps::diverging(panel.view.colorMaps, look.theme.kind);
  quad.gap = look.px(1);
  batch.sources.push_back(std::move(source));
  batch.quads.push_back(quad);
  addHeatmaps(ImGui::GetWindowDrawList(), look.scene, std::move(batch));
}

/// One strip per query, or per point where queries are thinner.
void drawTints(const Look& look, const ShownMask& shown, const MaskPlace& p) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 cell = p.cell();
  const Index strips =
      std::min<Index>(p.queries, std::max<Index>(1, static_cast<Index>(p.b.y - p.a.y)));
  const float height = (p.b.y - p.a.y) / static_cast<float>(strips);
  for (Index s = 0; s < strips; ++s) {
    const Index query = s * p.queries / strips;
    const float y = p.a.y + static_cast<float>(s) * height;
    for (const RuleRun& run : ruleRuns(shown.mask(), shown.item(), query, p.keys)) {
      list->AddRectFilled({p.a.x + static_cast<float>(run.begin) * cell.x, y},
                          {p.a.x + static_cast<float>(run.end) * cell.x, y + height},
                          ruleTint(look.theme, run.rule));
    }
  }
}

/// A mark between a query's label and its row, where no key is left.
void markFullyMasked(const Look& look, const ShownMask& shown, const MaskPlace& p) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float cell = p.cell().y;
  float drawnTo = p.a.y - 1.0F;  // marks closer than a point are one
  for (const Index query : shown.fullyMasked()) {
    const float top = p.a.y + static_cast<float>(query) * cell;
    if (top + cell <= drawnTo) continue;
    drawnTo = std::max(top + cell, top + 1.0F);
    const float inset = cell > look.px(8) ? look.px(2) : 0.0F;
    list->AddRectFilled({p.a.x - look.px(6), top + inset}, {p.a.x - look.px(2), drawnTo - inset},
                        look.theme.bad);
  }
}

void outline(const Look& look, const MaskPlace& p, const Pair& pair, ImU32 color, float width) {
  const ImVec2 cell = p.cell();
  const float x = p.a.x + static_cast<float>(pair.key) * cell.x;
  const float y = p.a.y + static_cast<float>(pair.query) * cell.y;
  const float least = look.px(4);
  const float growX = std::max(0.0F, least - cell.x) * 0.5F;
  const float growY = std::max(0.0F, least - cell.y) * 0.5F;
  ImGui::GetWindowDrawList()->AddRect({x - growX, y - growY},
                                      {x + cell.x + growX, y + cell.y + growY}, color, 0, 0,
                                      look.px(width));
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

ImVec2 MaskPlace::cell() const {
  return {(b.x - a.x) / static_cast<float>(keys), (b.y - a.y) / static_cast<float>(queries)};
}

PairBlock MaskPlace::pairsAt(ImVec2 point) const {
  // the cells from the point's start to its end where several share it
  const auto along = [](float offset, float size, Index count, Index* from, Index* to) {
    const float start = size < 1.0F ? std::floor(offset) : offset;
    *from = std::clamp<Index>(static_cast<Index>(std::floor(start / size)), 0, count - 1);
    const auto end = size < 1.0F ? static_cast<Index>(std::ceil((start + 1.0F) / size)) : 0;
    *to = std::clamp<Index>(end, *from + 1, count);
  };
  PairBlock block;
  along(point.y - a.y, cell().y, queries, &block.row0, &block.row1);
  along(point.x - a.x, cell().x, keys, &block.col0, &block.col1);
  return block;
}

MaskLayout layoutMask(const Panel& panel, const ShownMask& shown, ImVec2 at, ImVec2 room) {
  const Look& look = panel.look;
  const Input& input = *panel.document.input;
  const auto& queries = tokensOf(input.tokens, shown.item());
  const auto& keys = tokensOf(input.keyTokens(), shown.item());
  const float lineHeight = look.px(15);
  const float left = lineHeight + labelWidth(look.fonts.small, queries, labelLimit(look)) +
                     look.px(10);   // "query", labels, marks
  const float right = look.px(44);  // "key →"
  const float keyWidth = labelWidth(look.fonts.small, keys, labelLimit(look));
  const ImVec2 most(std::max(room.x - left - right, look.px(40)), room.y - look.px(4));
  const auto rows = static_cast<float>(shown.queries());
  const auto cols = static_cast<float>(shown.keys());
  const auto sized = [&](float below) {
    const float height = std::max(most.y - below, look.px(40));
    ImVec2 cell(std::min(most.x / cols, look.px(kLargestCell)),
                std::min(height / rows, look.px(kLargestCell)));
    // square cells, unless one axis is so much longer that the other would vanish
    const float side = std::min(cell.x, cell.y);
    if (side * std::min(rows, cols) >= look.px(60)) cell = {side, side};
    return cell;
  };
  ImVec2 cell = sized(lineHeight);
  if (keyWidth > cell.x - 3.0F) {
    cell = sized(std::min(keyWidth * 0.72F + look.px(10), most.y * 0.3F));
  }
  MaskLayout layout;
  MaskPlace& place = layout.place;
  place = {
      {std::floor(at.x + left), std::floor(at.y + look.px(2))}, {}, shown.queries(), shown.keys()};
  // whole points, so that pairs that share a point share its pixels
  place.b = {place.a.x + std::floor(cell.x * cols), place.a.y + std::floor(cell.y * rows)};
  layout.width = left + cell.x * cols + right;
  return layout;
}

void drawMask(const Panel& panel, const ShownMask& shown, const MaskPlace& p,
              std::optional<Pair> lit, std::optional<Pair> cursor) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawCells(panel, shown, p);
  drawTints(look, shown, p);
  list->AddRect(p.a, p.b, t.panelBorder);
  markFullyMasked(look, shown, p);

  const Input& input = *panel.document.input;
  const auto& queries = tokensOf(input.tokens, shown.item());
  const auto& keys = tokensOf(input.keyTokens(), shown.item());
  const ImVec2 cell = p.cell();
  const auto& shownPair = lit ? lit : cursor;
  const float limit = labelLimit(look);
  drawRowLabels(list, queries, {p.a.x - look.px(9), p.a.y}, cell.y, limit,
                {look.fonts.small, t.text, t.queryText, shownPair ? shownPair->query : -1});
  drawColumnLabels(list, keys, {p.a.x, p.b.y + look.px(3)}, cell.x,
                   labelWidth(look.fonts.small, keys, limit) * 0.72F + look.px(10),
                   {look.fonts.small, t.text, t.keyText, shownPair ? shownPair->key : -1});
  const float length = textSize(look.fonts.small, "query").x;
  drawTurnedText(list, look.fonts.small,
                 {p.a.x - labelWidth(look.fonts.small, queries, limit) - look.px(25),
                  (p.a.y + p.b.y + length) * 0.5F},
                 t.textMuted, "query", -90.0F);
  drawText(list, look.fonts.small, {p.b.x + look.px(6), p.b.y - look.px(13)}, t.textMuted, "key →");
  if (lit) outline(look, p, *lit, t.accent, 1.5F);
  if (cursor) outline(look, p, *cursor, t.text, 2.0F);
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
