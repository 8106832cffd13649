// Why several: one head with the tasks of two heads, compared with the two on one sentence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/effects.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/view_model/relation_pair.h"
#include "app/ui/hover.h"
#include "app/ui/menu.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/computed.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/analysis/merged_heads.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/heads/designed_heads.h"

namespace headscope::ui {
namespace {

Computed<PairFigures> pairFigures(const PanelContext& panel, const HeadRelations& candidates) {
  const HeadsView& view = panel.headsView;
  const Index item = panel.selection.item;
  const std::vector<Index> heads = chosenRelations(view, candidates);
  const PairGains gains = view.gainsAsBuilt ? PairGains::asBuilt : PairGains::equal;
  const Fingerprint key("two heads in one", panel.trace.pass(), item, heads, gains);
  return panel.computations.request<PairFigures>(
      "two heads in one", key, Schedule::background, [&] {
        return [=, trace = panel.traceHeld,
                revision = key.value()](const std::atomic<bool>& cancelled) {
          auto figures = measurePair(*trace, item, candidates, heads, gains,
                                     ExecutionContext{.cancelled = &cancelled});
          if (figures) figures->revision = revision;
          return figures;
        };
      });
}

// Pictures.

constexpr float kOneLine = 190.0F;  // points; the width for a relation and its number

/// A matrix's name and the numbers below it, each next to its caption, or under it where the width
/// is small.
struct PairNumbers {
  std::string name;
  ImU32 color;
  std::array<std::pair<std::string, std::string>, 3> lines;
};

void drawPairNumbers(const FrameContext& look, const PairNumbers& numbers, ImVec2 at, float width) {
  const bool oneLine = width >= look.px(kOneLine);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto line = [&](ImFont* font, ImU32 color, const std::string& text, float room) {
    drawText(list, font, at, color, elided(font, text, room));
  };
  const auto next = [&](ImFont* font) { at.y += fontSize(font) + look.space.tight; };
  line(look.fonts.semibold, numbers.color, numbers.name, width);
  next(look.fonts.semibold);
  for (const auto& [what, value] : numbers.lines) {
    const float taken = oneLine ? textSize(look.fonts.mono, value).x + look.space.medium : 0.0F;
    line(look.fonts.small, look.theme.textMuted, what, width - taken);
    if (oneLine) {
      drawText(list, look.fonts.mono, {at.x + width - taken + look.space.medium, at.y},
               look.theme.text, value);
    } else {
      next(look.fonts.small);
      line(look.fonts.mono, look.theme.text, value, width);
    }
    next(look.fonts.mono);
  }
}

/// Draws the matrices of the two heads and of the merged head side by side. The numbers of a matrix
/// are next to it, or below it where that makes it larger.
void pairPictures(const PanelContext& panel, const PairFigures& figures) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const MergedHeads& of = *figures.measured;
  const auto& [a, b] = figures.pair;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rect room = Rect::rest();
  AxisLabels queries{laneTokens(panel.trace, Lane::query, panel.selection.item), look.fonts.tiny,
                     t.textMuted, t.textMuted};
  AxisLabels keys = queries;
  keys.texts = laneTokens(panel.trace, Lane::key, panel.selection.item);
  queries.curves = keys.curves = laneCurves(look, panel.trace, Lane::query, panel.selection.item);
  queries.limit = look.px(56);
  keys.limit = look.px(40);
  const float labels = queries.width() + look.space.small;
  const float below = look.px(30) + keys.curvesRoom();
  const float third = room.width() / 3.0F;
  const float words = std::min(look.px(250), third * 0.45F);
  const float widest = third - labels - look.space.wide;
  const float lines =
      (widest < look.px(kOneLine) ? 6.0F : 3.0F) * (fontSize(look.fonts.mono) + look.space.tight) +
      fontSize(look.fonts.semibold) + look.space.large;
  const float sideWithNumbersRight =
      std::min(widest - words - look.space.medium, room.height() - below);
  const float sideWithNumbersBelow = std::min(widest, room.height() - below - lines);
  const bool numbersBelow = sideWithNumbersBelow > sideWithNumbersRight;
  const float side =
      std::max(look.space.wide, numbersBelow ? sideWithNumbersBelow : sideWithNumbersRight);
  const auto ratio = static_cast<float>(c.keys()) / static_cast<float>(c.seqLen);
  const ImVec2 size(side * std::min(ratio, 1.0F), side / std::max(ratio, 1.0F));
  const ColorScale scale = sequentialScale(look, 0.0F, 1.0F);
  const std::array<std::string, 3> names{pairHeadName(a, of.gains[0]), pairHeadName(b, of.gains[1]),
                                         tr("One head for both")};
  const std::array<ImU32, 3> colors{headColor(t, static_cast<std::size_t>(a.head)),
                                    headColor(t, static_cast<std::size_t>(b.head)), t.text};
  Heatmaps heatmaps(look);
  for (std::size_t i = 0; i < 3; ++i) {
    const Rect part = room.column(static_cast<int>(i), 3, 0.0F);
    const Rect at = Rect::at({part.a.x + labels, part.a.y}, size);
    heatmaps.add(Fingerprint("two heads in one", i), Fingerprint("two in one", figures.revision),
                 figures.weights(i), scale, at);
    drawRowLabels(list, queries, at, look.space.tight);
    ColumnLabels(look, keys, size.x, below).draw(list, at);
    const PairNumbers numbers{names[i],
                              colors[i],
                              {{{a.relation.name, scoreText(of.scores[i][0])},
                                {b.relation.name, scoreText(of.scores[i][1])},
                                {tr("entropy, bits"), scoreText(of.entropy[i])}}}};
    const ImVec2 place = numbersBelow ? ImVec2(at.a.x, at.b.y + below + look.space.small)
                                      : ImVec2(at.b.x + look.space.large, at.a.y);
    drawPairNumbers(look, numbers, place,
                    numbersBelow ? std::min(std::max(size.x, look.px(kOneLine)), widest)
                                 : part.b.x - look.space.medium - place.x);
  }
  heatmaps.draw(list);
}

constexpr float kLaneWords = 230.0F;    // points; the widest caption of a lane
constexpr float kWidestBar = 110.0F;    // points; the widest room of a key
constexpr float kHighestLane = 130.0F;  // points

/// Draws the weights of one query, which should look at two keys, by the two heads and the merged
/// head: three lanes of bars over the same keys.
void tornPicture(const PanelContext& panel, const PairFigures& figures,
                 const ConflictedQuery& torn) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const MergedHeads& of = *figures.measured;
  const Rect room = Rect::rest();
  ImDrawList* list = ImGui::GetWindowDrawList();
  AxisLabels keys{laneTokens(panel.trace, Lane::key, panel.selection.item), look.fonts.small,
                  t.textMuted, t.text};
  keys.curves = laneCurves(look, panel.trace, Lane::key, panel.selection.item);
  const auto count = static_cast<float>(panel.trace.config().keys());
  const float words = std::min(look.px(kLaneWords), room.width() * 0.3F);
  const float left = room.a.x + words + look.space.medium;
  const float width = std::min(room.b.x - left, count * look.px(kWidestBar));
  const ColumnLabels names(look, keys, width, look.px(44) + keys.curvesRoom());
  const float lane =
      std::clamp((room.height() - names.room()) / 3.0F, look.space.wide, look.px(kHighestLane));
  // in low lanes the numbers are next to the bars, else above them
  const bool numbersRight = lane < look.px(64) && width / count >= look.px(58);
  const float value =
      numbersRight ? look.space.small : fontSize(look.fonts.mono) + look.space.tight;
  const Rect whole{{left, room.a.y}, {left + width, room.a.y + 3.0F * lane}};
  const auto column = [&](Index key, float from, float to) {
    const float x = left + width * static_cast<float>(key) / count;
    return Rect{{x, from}, {x + width / count, to}};
  };
  const std::array<ImU32, 2> colors{headColor(t, static_cast<std::size_t>(figures.pair[0].head)),
                                    headColor(t, static_cast<std::size_t>(figures.pair[1].head))};
  for (std::size_t r = 0; r < 2; ++r) {
    const Rect sought = column(torn.partners[r], whole.a.y, whole.b.y);
    list->AddRectFilled(sought.a, sought.b, withAlpha(colors[r], 0.12F));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const bool joint = i == 2;
    const Rect at = Rect::at({left, room.a.y + static_cast<float>(i) * lane}, {width, lane});
    const float base = at.b.y - look.space.small;
    const float most = std::max(1.0F, base - at.a.y - value);
    const std::string title =
        joint ? tr("One head for both") : pairHeadName(figures.pair[i], of.gains[i]);
    // a low lane has room for the title alone
    const float captions = fontSize(look.fonts.small);
    const bool captioned = lane > fontSize(look.fonts.semibold) + captions + look.space.tight;
    ImFont* font = captioned ? look.fonts.semibold : look.fonts.small;
    const float textTop = base - fontSize(font) - (captioned ? captions : 0.0F);
    drawText(list, font, {room.a.x, textTop}, joint ? t.text : colors[i],
             elided(font, title, words));
    if (captioned) {
      drawText(list, look.fonts.small, {room.a.x, base - captions}, t.textMuted,
               elided(look.fonts.small,
                      joint ? tr("both scores added, one softmax") : figures.pair[i].relation.name,
                      words));
    }
    list->AddLine({at.a.x, base}, {at.b.x, base}, t.divider, look.space.hair);
    const ConstMatrixView weights = of.weights[i].matrix();
    for (Index key = 0; key < weights.cols; ++key) {
      const float weight = weights(torn.query, key);
      ImU32 color = t.textMuted;
      bool sought = false;
      for (std::size_t r = 0; r < 2; ++r) {
        if (key != torn.partners[r] || (!joint && r != i)) continue;
        color = colors[r];
        sought = true;
      }
      const Rect bar = column(key, base - most * weight, base);
      const float inset = std::min(look.space.small, bar.width() * 0.2F);
      const float end = numbersRight ? bar.a.x + bar.width() * 0.4F : bar.b.x - inset;
      list->AddRectFilled({bar.a.x + inset, bar.a.y}, {end, bar.b.y}, color, look.space.hair);
      if (!sought) continue;
      const ImVec2 number =
          numbersRight ? ImVec2((end + bar.b.x) * 0.5F, at.centre().y)
                       : ImVec2(bar.centre().x, bar.a.y - fontSize(look.fonts.mono) * 0.5F);
      drawTextCentred(list, look.fonts.mono, number, t.text, fmt::format("{:.2f}", weight));
    }
  }
  names.draw(list, whole);
}

class WhySeveralTab final : public Card {
 public:
  WhySeveralTab()
      : Card({"why-several", tr("Why several heads"),
              tr("One head for the jobs of two, compared with the two"), 0, true,
              tr("one head for the jobs of two heads, on the same sentence")}) {}
  void draw(const PanelContext& panel) override {
    const auto* found = panel.computations.computeNow<HeadRelations>(
        "heads with a relation",
        Fingerprint("heads with a relation", panel.trace.pass(), panel.selection.item),
        [&panel] { return relationsWithPartners(panel.trace.document(), panel.selection.item); });
    if (found == nullptr || found->size() < 2) return tooFew(panel);
    const HeadRelations candidates = *found;
    pairOf(panel, candidates);
  }

 private:
  void pairOf(const PanelContext& panel, const HeadRelations& candidates) {
    const FrameContext& look = panel.look;
    const auto found = pairFigures(panel, candidates);
    if (found.current != nullptr) {
      heads_ = {found.current->pair[0].head, found.current->pair[1].head};
    }
    const bool known = relationOf(candidates, heads_[0]) != nullptr &&
                       relationOf(candidates, heads_[1]) != nullptr;
    if (known) controls(panel, candidates);
    if (found.current == nullptr) {
      return waitingLabel(look, look.fonts.regular, found.problem, "measuring …");
    }
    const auto& torn = found.current->measured->torn;
    wrappedLabel(look.fonts.semibold, look.theme.text,
                 pairAnswer(headsState(panel), *found.current));
    tip(look, pairConclusion(headsState(panel), *found.current));
    ImGui::Dummy({0.0F, look.space.thin});
    if (torn) {
      tornPicture(panel, *found.current, *torn);
    } else {
      pairPictures(panel, *found.current);
    }
  }

  /// Explains that two relations are needed, and offers designed heads.
  static void tooFew(const PanelContext& panel) {
    wrappedLabel(panel.look.fonts.regular, panel.look.theme.textMuted,
                 tr("This needs two heads with a known relation, each with a token to which it "
                    "applies. Learned heads have relations on sentences like their training data; "
                    "designed heads have them from d_model 512 and 8 heads up."));
    const WeightSource& source = panel.document.weightSource;
    if (source.init == WeightInit::designed && source.drawn()) return;
    if (pill(panel.look, tr("Use designed heads"))) {
      panel.commands.push(DrawWeights{WeightInit::designed, 1});
    }
  }

  /// Draws a relation as a button that opens a list of the others.
  void chooser(const PanelContext& panel, std::size_t which,
               const HeadRelations& candidates) const {
    const FrameContext& look = panel.look;
    const HeadRelation& now = *relationOf(candidates, heads_[which]);
    const std::string id = which == 0 ? "first relation" : "second relation";
    const std::string text = now.relation.name + " ▾###" + id;
    if (pill(look, text.c_str())) openMenu(id.c_str());
    tip(look, tr("Another relation"));
    if (!beginPopup(id.c_str())) return;
    for (const HeadRelation& c : candidates) {
      const bool other = c.head == heads_[1 - which];
      const std::string name = trFormat("Head {} · {}", c.head + 1, c.relation.name);
      if (!ImGui::MenuItem(name.c_str(), nullptr, c.head == now.head, !other)) continue;
      std::vector<Index> pair(heads_.begin(), heads_.end());
      pair[which] = c.head;
      panel.headsView.relationPair = std::move(pair);
    }
    ImGui::EndPopup();
  }

  /// Draws the controls: the two relations, the choice of the hardest pair, and the gains.
  void controls(const PanelContext& panel, const HeadRelations& candidates) const {
    const FrameContext& look = panel.look;
    HeadsView& view = panel.headsView;
    rowCaption(look, tr("one head for"));
    chooser(panel, 0, candidates);
    ImGui::SameLine(0.0F, look.space.small);
    rowCaption(look, tr("and"));
    chooser(panel, 1, candidates);
    ImGui::SameLine(0.0F, look.space.small);
    if (pill(look, tr("hardest pair"), chosenRelations(view, candidates).empty())) {
      view.relationPair.clear();
    }
    tip(look,
        tr("The pair of relations that suffers most in one head: among all pairs with different "
           "target keys, the one whose smaller loss is largest"));
    flowOn(look, look.px(210), 14.0F);
    const bool learned = headsAreTrained(panel.purposes) || headsLearnedATask(panel.purposes);
    const int gains = choices(look, tr("pair gains"),
                              {tr("equal gains"), learned ? tr("as learned") : tr("as designed")},
                              view.gainsAsBuilt ? 1 : 0);
    if (gains >= 0) view.gainsAsBuilt = gains == 1;
    tip(look, trFormat("Equal gains: each head's scores are scaled so that its target key leads "
                       "by {:g} on average where the two targets differ. Neither head then wins "
                       "by its gain alone",
                       kEqualLead));
    const std::string said = purposesInWords(panel.purposes);
    flowOn(look, textSize(look.fonts.small, said).x, 14.0F);
    rowCaption(look, said.c_str());
    ImGui::NewLine();
  }

  std::array<Index, 2> heads_{-1, -1};  // the heads of the relations shown last
};

}  // namespace

std::unique_ptr<Card> makeWhySeveralTab() { return std::make_unique<WhySeveralTab>(); }

}  // namespace headscope::ui
