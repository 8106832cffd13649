// Rotation: RoPE as rotating hands. It shows a query's and a key's pairs of coordinates at their
// positions, their product when the sentence is shifted, and their product by distance.
#include "core/analysis/rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/computed.h"
#include "app/ui/selection.h"
#include "app/ui/stage/stage_story.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/cells.h"
#include "core/words/mask.h"
#include "core/words/narration.h"

namespace headscope::ui {
namespace {

constexpr int kFarthest = 64;  // the most positions of a shift or a distance

/// Returns the key of the explained cell, or else the key of the query's largest
/// weight.
Index keyLookedAt(const PanelContext& panel, const RowRef& row) {
  const auto cell = explainedCell(panel.view);
  if (cell && info(cell->tensor).cols == Axis::key) return cell->col;
  return std::max<Index>(0,
                         largestKey(panel.trace, TensorId::weights, row.item, row.head, row.query));
}

double lengthOf(const Hand& hand) { return std::hypot(hand[0], hand[1]); }

class RotationTool final : public Card {
 public:
  RotationTool()
      : Card({"rotation", tr("Rotation"),
              tr("pairs of coordinates as clock hands that turn with the position"), 'U'}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    if (!panel.trace.config().rotary.on()) return offer(panel);
    const RowRef row = rowLookedAt(panel.view, panel.trace.config());
    const Index key = keyLookedAt(panel, row);
    const Fingerprint of("rotary pairs", panel.trace.pass(), row.item, row.head, row.query, key);
    const auto* pairs = panel.computations.computeNow<std::vector<RotaryPair>>(
        tr("rotary pairs"), of, [&] { return rotaryPairs(panel.trace, row, key); });
    if (pairs == nullptr) return;
    const char* whole = tokenNoun(panel.trace.document()).whole;
    rowCaption(look, trFormat("shift the {} by", whole).c_str());
    ImGui::SetNextItemWidth(look.px(180));
    ImGui::SliderInt("##slide", &slide_, 0, kFarthest, slide_ == 1 ? "%d place" : "%d places");
    tip(look, trFormat("Adds this many positions before the {}: every query and every key turns "
                       "further",
                       whole));
    sentence(panel, *pairs, row, key);
    Rect room = Rect::rest();
    byDistance(panel, *pairs, row.query - key,
               room.cutRight((room.width() - look.space.large) * 0.34F, look.space.large));
    dials(panel, *pairs, row.query, key, room);
  }

 private:
  static void offer(const PanelContext& panel) {
    label(panel.look.fonts.small, panel.look.theme.textMuted,
          panel.trace.config().switches->alibi
              ? tr("Queries and keys are not rotated here: ALiBi lowers the scores by their "
                   "distance.")
              : tr("Queries and keys are not rotated here: only X contains the positions."));
    if (pill(panel.look, tr("rotate queries and keys"))) {
      panel.commands.push(SetRotary{{.theta = Rotary::kUsualTheta}});
    }
  }

  /// Writes the product before and after the shift, each computed from the positions there.
  void sentence(const PanelContext& panel, const std::vector<RotaryPair>& pairs, const RowRef& row,
                Index key) const {
    const Document& d = panel.trace.document();
    const AttentionConfig& c = panel.trace.config();
    const bool all = c.rotary.turning(c.dK()) == c.dK();
    if (!all) {
      wrappedLabel(panel.look.fonts.small, panel.look.theme.textMuted,
                   trFormat("{} of {} coordinates turn. The products here are of these alone.",
                            c.rotary.turning(c.dK()), c.dK()));
    }
    const double here =
        all ? panel.trace.value({TensorId::rawScores, row.item, row.head, row.query, key})
            : rotatedProduct(pairs, row.query, key);
    std::string text =
        trFormat("{} at position {}, {} at {}: q·k = {}.", queryName(d, row.item, row.query),
                 row.query, keyName(d, row.item, key), key, number(here));
    if (slide_ > 0) {
      text += trFormat(" Shifted to {} and {}: {}.", row.query + slide_, key + slide_,
                       number(rotatedProduct(pairs, row.query + slide_, key + slide_)));
    }
    text += trFormat(" With only the key shifted by {}: {}.", kAlone,
                     number(rotatedProduct(pairs, row.query, key + kAlone)));
    wrappedLabel(panel.look.fonts.small, panel.look.theme.text, text);
  }

  void dials(const PanelContext& panel, const std::vector<RotaryPair>& pairs, Index query,
             Index key, Rect room) const {
    const FrameContext& look = panel.look;
    const float line = fontSize(look.fonts.small);
    const float least = std::clamp(room.height() * 0.7F, look.px(74), look.px(120));
    const std::size_t shown = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::max(room.width() / least, 1.0F)), 1, pairs.size());
    drawChartTitle(look, room,
                   shown < pairs.size() ? trFormat("{} of {} pairs", shown, pairs.size())
                                        : trFormat("all {} pairs", shown),
                   {{"query", look.theme.queryText},
                    {"key", look.theme.keyText},
                    {tr("as they were before"), look.theme.textMuted}});
    const auto pairAt = [&](std::size_t i) {  // from the fastest to the slowest
      return shown == 1 ? 0 : i * (pairs.size() - 1) / (shown - 1);
    };
    double longest = 0.0;
    for (std::size_t i = 0; i < shown; ++i) {
      const RotaryPair& pair = pairs[pairAt(i)];
      longest = std::max({longest, lengthOf(pair.query), lengthOf(pair.key)});
    }
    const float width = room.width() / static_cast<float>(shown);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::size_t n = pairAt(i);
      Rect place =
          Rect::at({room.a.x + width * static_cast<float>(i), room.a.y}, {width, room.height()});
      Rect words = place.cutBottom(2.0F * line + look.space.tight, look.space.tight);
      dial(look, pairs[n], query, key, longest, place);
      figures(look, pairs[n], query, key, words);
    }
  }

  void dial(const FrameContext& look, const RotaryPair& pair, Index query, Index key,
            double longest, const Rect& place) const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Theme& t = look.theme;
    const float radius = std::min({place.width() * 0.44F, place.height() * 0.48F, look.px(64)});
    if (radius < look.px(8)) return;
    const ImVec2 centre = place.centre();
    list->AddCircleFilled(centre, radius, t.field);
    const auto hand = [&](const Hand& at, ImU32 color, float thick) {
      const double scale = longest > 0.0 ? static_cast<double>(radius) / longest : 0.0;
      // positive values point upwards
      list->AddLine(centre,
                    {centre.x + static_cast<float>(at[0] * scale),
                     centre.y - static_cast<float>(at[1] * scale)},
                    color, look.px(thick));
    };
    hand(pair.query, withAlpha(t.queryText, 0.35F), 1.0F);
    hand(pair.key, withAlpha(t.keyText, 0.35F), 1.0F);
    hand(handAt(pair.query, pair.frequency, query + slide_), t.queryText, 2.5F);
    hand(handAt(pair.key, pair.frequency, key + slide_), t.keyText, 2.5F);
    list->AddCircleFilled(centre, look.px(2.5F), t.text);
  }

  /// Writes the positions of one full turn and the pair's part of the product.
  void figures(const FrameContext& look, const RotaryPair& pair, Index query, Index key,
               const Rect& at) const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = fontSize(look.fonts.small);
    const double turn = 2.0 * std::numbers::pi / pair.frequency;
    const auto centred = [&](float down, ImU32 color, const std::string& text) {
      drawTextCentred(list, look.fonts.small, {at.centre().x, at.a.y + line * (0.5F + down)}, color,
                      elided(look.fonts.small, text, at.width() - look.space.tight));
    };
    centred(0.0F, look.theme.textMuted, trFormat("turn: {}", number(turn, 2)));
    const double adds = rotatedProduct({&pair, 1}, query + slide_, key + slide_);
    centred(1.0F, look.theme.text, (adds < 0.0 ? "" : "+") + number(adds, 3));
    ImGui::SetCursorScreenPos(at.a);
    ImGui::Dummy(at.size());
    tip(look, trFormat("Coordinates {} and {}: one full turn every {} tokens. Below: the pair's "
                       "part of q·k.",
                       pair.at.first, pair.at.second, number(turn)));
  }

  /// Draws the product of this query and key over their distance.
  static void byDistance(const PanelContext& panel, const std::vector<RotaryPair>& pairs,
                         Index apart, Rect room) {
    const FrameContext& look = panel.look;
    std::vector<ChartPoint> points;
    double low = 0.0, high = 0.0;
    for (Index d = -kFarthest; d <= kFarthest; ++d) {
      points.push_back({static_cast<double>(d), rotatedProduct(pairs, d, 0)});
      low = std::min(low, points.back().y);
      high = std::max(high, points.back().y);
    }
    drawChartTitle(look, room, tr("q·k by distance, query after key"));
    const double far = kFarthest;
    const Chart chart(look, {room, {-far, far, false, {-far, 0.0, far}}, roundAxis(low, high)});
    ImDrawList* list = ImGui::GetWindowDrawList();
    chart.drawAxes(list);
    chart.curve(list, points, look.theme.accent, 1.8F);
    if (std::abs(apart) > kFarthest) return;
    const ChartPoint here{static_cast<double>(apart), rotatedProduct(pairs, apart, 0)};
    chart.dot(list, here, look.theme.panel, 6.0F);
    chart.dot(list, here, look.theme.accent, 4.5F);
  }

  static constexpr Index kAlone = 4;
  int slide_ = 0;
};

}  // namespace

std::unique_ptr<Card> makeRotationTool() { return std::make_unique<RotationTool>(); }

}  // namespace headscope::ui
