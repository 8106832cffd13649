// The columns of tokens and the ribbons between them (see looks.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/looks.h"
#include "app/ui/hover.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/scene_commands.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kLeastPitch = 3.5F;
constexpr float kMostPitch = 40.0F;

/// One of the two columns. Its tokens are buttons; a button also covers the tokens whose labels do
/// not fit.
class ColumnOfTokens {
 public:
  /// `edge` is the x at which the lines begin.
  ColumnOfTokens(const PanelContext& panel, const TokenColumn& place, Lane lane, float edge,
                 float width)
      : panel_(panel),
        look_(panel.look),
        place_(place),
        query_(lane == Lane::query),
        curves_(laneCurves(look_, panel.trace, lane, panel.selection.item)),
        strip_(curves_.room(look_.fonts.regular)),
        edge_(query_ ? edge - strip_ : edge + strip_),
        width_(width),
        font_(place.pitch >= fontSize(panel.look.fonts.regular) * 1.1F ? panel.look.fonts.regular
              : place.pitch >= fontSize(panel.look.fonts.small)        ? panel.look.fonts.small
                                                                       : panel.look.fonts.tiny),
        every_(std::max<Index>(
            1, static_cast<Index>(std::ceil(fontSize(font_) * 0.98F / place_.pitch)))),
        seen_(place.visible()),
        start_((seen_.first + every_ - 1) / every_ * every_) {
    if (start_ >= seen_.first + seen_.count) start_ = seen_.first;
  }

  struct Found {
    Index hovered = -1, clicked = -1;  // −1: none
  };
  Found buttons() {
    Found found;
    const Index end = seen_.first + seen_.count;
    for (Index i = start_; i < end; i += every_) button(i, std::min(i + every_, end), found);
    return found;
  }
  void labels(Index lit) const {
    const Index end = seen_.first + seen_.count;
    if (lit < seen_.first || lit >= end) lit = -1;
    for (Index i = start_; i < end; i += every_) {
      if (lit < 0 || std::abs(i - lit) >= every_) label(i, false);  // not over the lit one
    }
    if (lit >= 0) label(lit, true);
    if (curves_.empty()) return;
    AxisCurves seen = curves_;
    seen.first = seen_.first;
    const float top = place_.y(seen_.first) - place_.pitch * 0.5F;
    const float gap = look_.space.tight;
    const float from = query_ ? edge_ : edge_ - strip_ + gap;
    seen.drawDown(
        ImGui::GetWindowDrawList(),
        {{from, top}, {from + strip_ - gap, top + place_.pitch * static_cast<float>(seen_.count)}},
        seen_.count, lit < 0 ? -1 : lit - seen_.first);
  }

 private:
  void button(Index token, Index until, Found& found) {
    const float top = std::max(place_.top, place_.y(token) - place_.pitch * 0.5F);
    const float bottom = std::min(place_.bottom, place_.y(until - 1) + place_.pitch * 0.5F);
    if (bottom - top < 1.0F) return;
    ImGui::SetCursorScreenPos({query_ ? edge_ - width_ : edge_, top});
    ImGui::PushID(static_cast<int>(token));
    const bool pressed = ImGui::InvisibleButton(query_ ? "query" : "key", {width_, bottom - top});
    ImGui::PopID();
    const float y = ImGui::GetIO().MousePos.y;
    const bool byMouse = y >= top && y < bottom && ImGui::IsItemHovered();
    const Index meant = byMouse ? std::clamp(place_.at(y), token, until - 1) : token;
    if (pressed) found.clicked = meant;
    if (ImGui::IsItemHovered()) found.hovered = meant;
  }

  void label(Index token, bool lit) const {
    const Theme& t = look_.theme;
    const std::string text =
        elided(font_, tokenName(headsState(panel_), query_ ? Lane::query : Lane::key, token),
               width_ - look_.space.small);
    const ImVec2 size = textSize(font_, text);
    const float x = query_ ? edge_ - look_.space.small - size.x : edge_ + look_.space.small;
    const ImU32 color = !lit ? t.text : query_ ? t.queryText : t.keyText;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 at(x, place_.y(token) - size.y * 0.5F);
    drawText(list, font_, at, color, text);
    if (lit) {
      list->AddLine({at.x, at.y + size.y}, {at.x + size.x, at.y + size.y}, color, look_.space.hair);
    }
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const TokenColumn& place_;
  bool query_;
  AxisCurves curves_;  // curves of a series, between the names and the lines
  float strip_;
  float edge_, width_;  // of the names
  ImFont* font_;
  Index every_;  // one label per this many tokens
  TokenRange seen_;
  Index start_;  // the first label
};

constexpr float kThickestRibbon = 7.0F;  // width of the largest possible weight
constexpr float kThinnestRibbon = 0.8F;  // width of the smallest
constexpr float kRibbonSteepness =
    1.3F;  // a typical slope of the curve; ~1.5 at its steepest, 0 at its ends

bool holds(const TokenColumn& column, Index token) {
  return token >= column.range.first && token < column.range.first + column.range.count;
}

bool isSeen(const TokenColumn& column, Index token) {
  const float y = column.y(token);
  return y >= column.top - 1.0F && y <= column.bottom + 1.0F;
}

/// Returns a weight as a short label; tiny ones are "<.01".
std::string weightLabel(float weight) {
  const std::string text = fmt::format("{:.2f}", weight);
  return text == "0.00" || text == "-0.00" ? "<.01" : text;
}

}  // namespace

bool TokenColumns::scrolls() const {
  const auto more = [](const TokenColumn& c) {
    return static_cast<float>(c.range.count) > c.shown() + 0.01F;
  };
  return more(queries) || more(keys);
}

TokenColumns tokenColumns(const PanelContext& panel, const Rect& room, float scrolled,
                          const LooksAt& at) {
  const ImVec2 a = room.a, b = room.b;
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const Trace& trace = panel.trace;
  const HeadsView& heads = panel.headsView;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = look.fonts.small;
  const float title = fontSize(small) + look.space.small;
  const float limit = std::min((b.x - a.x) * 0.26F, look.px(120));
  const auto widthOf = [&](Lane lane, Index count) {
    const auto& names = laneTokens(panel.trace, lane, panel.selection.item);
    const float least = textSize(look.fonts.regular, trFormat("query {}", count)).x;
    const float widest =
        names.empty() ? least : AxisLabels{names, look.fonts.regular, 0, 0, -1, limit}.width();
    return std::clamp(widest + look.space.medium, look.px(44), limit);
  };
  TokenColumns columns;
  const auto place = [&](const TokenRange& range, Index tokens) {
    return placeColumn(shownOf(range, tokens), a.y + title, b.y, look.px(kLeastPitch),
                       look.px(kMostPitch), scrolled);
  };
  columns.queries = place(heads.queries, trace.queries());
  columns.keys = place(heads.keys, trace.keys());
  const float queryWidth = widthOf(Lane::query, trace.queries());
  const float keyWidth = widthOf(Lane::key, trace.keys());
  const float strip =
      laneCurves(look, panel.trace, Lane::query, panel.selection.item).room(look.fonts.regular);
  columns.left = a.x + queryWidth + strip;
  columns.right = b.x - keyWidth - strip;
  const char* keyTitle = has(trace.config(), TensorId::memory) ? tr("key (memory)") : tr("key");
  drawText(list, small, {columns.left - look.space.small - textSize(small, tr("query")).x, a.y},
           t.queryText, tr("query"));
  const float keyX = columns.right + look.space.small;
  drawText(list, small, {std::min(keyX, b.x - textSize(small, keyTitle).x), a.y}, t.keyText,
           keyTitle);
  list->PushClipRect({a.x, a.y + title - look.space.thin}, {b.x, b.y + look.space.thin}, true);
  ColumnOfTokens left(panel, columns.queries, Lane::query, columns.left, queryWidth);
  ColumnOfTokens right(panel, columns.keys, Lane::key, columns.right, keyWidth);
  const auto query = left.buttons();
  const auto key = right.buttons();
  columns.at = at;
  if (query.hovered >= 0) {
    columns.at = {query.hovered, -1};
  } else if (key.hovered >= 0) {
    columns.at = {-1, key.hovered};
  }
  left.labels(columns.at.query);
  right.labels(columns.at.key);
  list->PopClipRect();
  // a click chooses one token; a click on the chosen token clears the choice
  if (query.clicked >= 0) {
    columns.chosen = LooksAt{query.clicked == heads.query ? -1 : query.clicked, -1};
  } else if (key.clicked >= 0) {
    columns.chosen = LooksAt{-1, key.clicked == heads.key && heads.query < 0 ? -1 : key.clicked};
  }
  return columns;
}
Index drawLines(const PanelContext& panel, const TokenColumns& columns, const LineChoice& choice) {
  const FrameContext& look = panel.look;
  const bool dark = look.theme.kind == ThemeKind::dark;
  const float across = std::max(columns.right - columns.left, 1.0F);
  const float pitch = std::min(columns.queries.pitch, columns.keys.pitch);
  const float thickest = std::clamp(pitch * 0.5F, look.px(2.0F), look.px(kThickestRibbon));
  const WeightRange range = weightRange(panel.trace, panel.selection.item, -1);
  const float most = range.magnitude();
  gl::RibbonBatch batch;
  batch.ribbons.reserve(choice.lines.size());
  for (const Line& line : choice.lines) {
    if (!holds(columns.queries, line.query) || !holds(columns.keys, line.key)) continue;
    if (!isSeen(columns.queries, line.query) && !isSeen(columns.keys, line.key)) continue;
    const float weight = std::min(std::abs(line.weight) / most, 1.0F);
    const float y0 = columns.queries.y(line.query);
    const float y1 = columns.keys.y(line.key);
    const float slope = kRibbonSteepness * (y1 - y0) / across;  // converts to upright width
    const float half = 0.5F * std::max(look.px(kThinnestRibbon), weight * thickest) *
                       std::sqrt(1.0F + slope * slope);
    const float alpha = (dark ? 0.36F : 0.26F) + 0.5F * std::sqrt(weight);
    const gl::Rgba color = ribbonColor(headColor(look.theme, static_cast<std::size_t>(line.head)),
                                       std::min(alpha, 0.85F));
    gl::Ribbon ribbon;
    ribbon.x0 = columns.left;
    ribbon.top0 = y0 - half;
    ribbon.bottom0 = y0 + half;
    ribbon.x1 = columns.right;
    ribbon.top1 = y1 - half;
    ribbon.bottom1 = y1 + half;
    ribbon.from = ribbon.to = color;
    batch.ribbons.push_back(ribbon);
  }
  const auto drawn = static_cast<Index>(batch.ribbons.size());
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float top = std::min(columns.queries.top, columns.keys.top) - look.px(3);
  const float bottom = std::max(columns.queries.bottom, columns.keys.bottom) + look.px(3);
  list->PushClipRect({columns.left, top}, {columns.right, bottom}, true);
  addRibbons(list, look.scene, std::move(batch));
  list->PopClipRect();
  return drawn;
}

void drawWeights(const PanelContext& panel, const TokenColumns& columns, const LineChoice& choice) {
  if (!columns.at.any()) return;
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const bool byQuery = columns.at.query >= 0;
  const TokenColumn& column = byQuery ? columns.keys : columns.queries;
  std::map<Index, std::vector<const Line*>> byToken;  // strongest first
  std::vector<Index> order;                           // tokens, strongest first
  for (auto line = choice.lines.rbegin(); line != choice.lines.rend(); ++line) {
    const Index token = byQuery ? line->key : line->query;
    if (!holds(column, token) || !isSeen(column, token)) continue;
    auto& lines = byToken[token];
    if (lines.empty()) order.push_back(token);
    lines.push_back(&*line);
  }
  ImFont* font =
      column.pitch >= fontSize(look.fonts.monoSmall) ? look.fonts.monoSmall : look.fonts.tiny;
  const float height = fontSize(font);
  const float most = (columns.right - columns.left) * 0.6F;
  ImDrawList* list = ImGui::GetWindowDrawList();
  std::vector<float> taken;
  for (const Index token : order) {
    const float y = column.y(token);
    const auto close = [&](float other) { return std::abs(other - y) < height * 0.95F; };
    if (std::any_of(taken.begin(), taken.end(), close)) continue;
    taken.push_back(y);
    std::vector<std::pair<std::string, ImU32>> texts;
    float width = 0.0F;
    for (const Line* line : byToken[token]) {
      texts.emplace_back(weightLabel(line->weight),
                         headColor(t, static_cast<std::size_t>(line->head)));
      const float more = textSize(font, texts.back().first).x + look.px(5);
      if (width + more > most) {
        texts.back() = {"…", t.textMuted};
        width += textSize(font, "…").x + look.px(5);
        break;
      }
      width += more;
    }
    float x = byQuery ? columns.right - width : columns.left + look.px(5);
    list->AddRectFilled({x - look.px(3), y - height * 0.5F},
                        {x + width - look.px(3), y + height * 0.5F}, withAlpha(t.panel, 0.85F),
                        look.px(3));
    for (const auto& [text, color] : texts) {
      drawText(list, font, {x, y - height * 0.5F}, color, text);
      x += textSize(font, text).x + look.px(5);
    }
  }
}

}  // namespace headscope::ui
