#include "app/ui/stage/journey_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/frame_state.h"
#include "app/ui/head_switch.h"
#include "app/ui/stage/scene_painter.h"
#include "app/ui/stage/stage_view.h"
#include "core/analysis/head_effect.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/input/coordinate_kinds.h"

namespace headscope::ui {
namespace {

/// The picture of one moment.
class Scene : private ScenePainter {
 public:
  Scene(const PanelContext& panel, const StageSubject& subject, const JourneyMoment& moment,
        const SceneLayout& layout, const SceneWords& words, const Rect& room,
        const HeadEffects* effects, int hovered)
      : ScenePainter(panel, subject, moment, layout, words, room, hovered), effects_(effects) {}

  void draw() {
    switch (moment_.place) {
      case StagePlace::word:
        return sentence({}, {});
      case StagePlace::numbers:
        numbers();
        break;
      case StagePlace::roles:
        roles();
        break;
      case StagePlace::scores:
        scores();
        break;
      case StagePlace::scaled:
        scaled();
        break;
      case StagePlace::shares:
        shares();
        break;
      case StagePlace::collected:
        collected();
        break;
      case StagePlace::heads:
        heads();
        break;
      case StagePlace::mixed:
        mixed();
        break;
    }
    bars_.draw(list_);
  }

 private:
  void numbers() {
    const Rect rest = belowSentence();
    const float down = isLow(rest) ? 0.0F : panel_.alone ? 0.1F : 0.25F;
    const Rect bar = wideBar(rest.a.y + rest.height() * down, barHeight(rest, 46.0F));
    const float grown = motion(moment_, 2.5);
    const Rect at = mix(wordAt(), bar, grown);
    band(wordAt(), at, color_, grown, 0.12F);
    sentence({}, {}, 0.45F);  // its lines stay legible above the band
    const std::vector<KindOfColumns> kinds = kindsOfColumns();
    rowOfX(kinds, rowOf(TensorId::x, subject_.word), at, std::min(1.0F, grown * 2.0F));
    bars_.frame(at, theme_.panelBorder);
    if (grown < 1.0F) return;
    const float line = fontSize(label(look_.fonts.semibold));
    Rect below = bar;
    if (kinds.size() > 1) {
      nameKinds(kinds, bar);
      below.b.y += 1.6F * line;
    }
    if (below.b.y + 1.5F * line > room_.b.y) return;
    caption(below,
            trFormat("{} numbers{}", c_.dModel,
                     kinds.size() > 1 ? tr("; each part in colours of its own scale") : ""),
            theme_.textMuted);
  }

  /// Neighbouring columns of X that are about one thing, and the largest magnitude of the word's.
  struct KindOfColumns {
    Index first = 0, count = 0;
    std::string name;  // empty: they are about several things
    float largest = 0.0F;
  };

  /// Takes the columns of X apart, since those of the word itself are small compared with those of
  /// its class: on one scale they would look like nothing.
  std::vector<KindOfColumns> kindsOfColumns() const {
    constexpr Index kFewest = 8;  // columns with a scale of their own
    const Document& document = trace_.document();
    const CoordinateKinds kinds = coordinateKinds(*document.source, document.positions, c_.dModel);
    std::vector<float> row(static_cast<std::size_t>(c_.dModel));
    trace_.tile(TensorId::x, subject_.item, 0, subject_.word, 1, 0, c_.dModel, row.data());
    std::vector<KindOfColumns> found;
    for (Index column = 0; column < c_.dModel; ++column) {
      const auto at = static_cast<std::size_t>(column);
      const std::string name =
          kinds.empty() ? "" : kinds.names[static_cast<std::size_t>(kinds.kindOf[at])];
      const bool another = found.empty() || (found.back().name != name);
      if (another) found.push_back({column, 0, name, 0.0F});
      ++found.back().count;
      found.back().largest = std::max(found.back().largest, std::abs(row[at]));
    }
    // few columns join those before them
    for (std::size_t i = 1; i < found.size();) {
      if (found[i].count >= kFewest && found[i - 1].count >= kFewest) {
        ++i;
        continue;
      }
      KindOfColumns& joined = found[i - 1];
      joined.count += found[i].count;
      joined.largest = std::max(joined.largest, found[i].largest);
      joined.name.clear();
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return found;
  }

  Rect columnsAt(const KindOfColumns& kind, const Rect& bar) const {
    const float each = bar.width() / static_cast<float>(c_.dModel);
    const float left = bar.a.x + each * static_cast<float>(kind.first);
    return {{left, bar.a.y}, {left + each * static_cast<float>(kind.count), bar.b.y}};
  }

  void rowOfX(const std::vector<KindOfColumns>& kinds, const MatrixRef& row, const Rect& at,
              float opacity) {
    constexpr float kSoft = 1.8F;  // the largest number does not get the strongest colour
    for (const KindOfColumns& kind : kinds) {
      bars_.add(columnsOf(row, kind.first, kind.count), divergingScale(look_, kSoft * kind.largest),
                columnsAt(kind, at), opacity);
    }
  }

  /// Draws the names of the kinds below their columns, where no other name stands.
  void nameKinds(const std::vector<KindOfColumns>& kinds, const Rect& bar) const {
    ImFont* font = label(look_.fonts.regular);
    float free = bar.a.x;
    for (const KindOfColumns& kind : kinds) {
      const float width = textSize(font, kind.name).x;
      const float centred = columnsAt(kind, bar).centre().x - 0.5F * width;
      const float left = std::clamp(centred, bar.a.x, std::max(bar.a.x, bar.b.x - width));
      if (kind.name.empty() || left < free) continue;
      drawText(list_, font, {left, bar.b.y + fontSize(font) * 0.4F}, color_, kind.name);
      free = left + width + look_.px(12);
    }
  }

  struct Role {
    TensorId tensor;
    const char* words;
    ImU32 color, text;
    Index heads;
  };

  void roles() {
    sentence({}, {}, 0.45F);
    const Rect rest = belowSentence();
    std::vector<Role> all{{TensorId::qProj, tr("query: what it looks for"), theme_.query,
                           theme_.queryText, c_.numHeads}};
    if (!c_.crossAttention()) {
      all.push_back({TensorId::kProj, tr("key: what others find it by"), theme_.key, theme_.keyText,
                     c_.numKvHeads});
      all.push_back({TensorId::vProj, tr("value: what it hands on"), theme_.value, theme_.valueText,
                     c_.numKvHeads});
    }
    const Rect x = wideBar(rest.a.y, look_.px(16));
    const float grown = motion(moment_, 2.5);
    const float parted = motion(moment_, 2.5, 4.0);
    const float names = 1.4F * fontSize(label(look_.fonts.small));
    const float pitch =
        std::min(look_.px(96), (rest.b.y - x.b.y - names) / static_cast<float>(all.size()));
    const float labels = fontSize(label(look_.fonts.semibold)) + look_.px(14);
    const float high = std::clamp(pitch - labels, look_.px(8), look_.px(30));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Rect to = wideBar(x.b.y + pitch * static_cast<float>(i) + labels, high);
      const Rect at = mix(x, to, grown);
      // one name for frames that stand below each other
      parts(all[i], at, parted, i + 1 == all.size() || all[i].heads != all.back().heads);
      if (grown < 1.0F) continue;
      ImFont* font = label(look_.fonts.semibold);
      drawText(list_, font, {at.a.x, at.a.y - fontSize(font) - look_.px(5)}, all[i].text,
               all[i].words);
    }
    rowOfX(kindsOfColumns(), rowOf(TensorId::x, subject_.word, 1), x, 1.0F);
  }

  /// Draws a row of Q, K or V in the parts of its heads, `parted` 0 … 1 of the way; the chosen
  /// head's part is framed and, if `named`, has its name below.
  void parts(const Role& role, const Rect& at, float parted, bool named) {
    MatrixRef ref = rowOf(role.tensor, subject_.word);
    const ColorScale scale = bars_.scaleOf(wholeMatrix(role.tensor, c_, subject_.item, 0));
    const Index dK = ref.cols / role.heads;
    const Index mine = role.heads == c_.numHeads ? subject_.head : c_.kvHead(subject_.head);
    const float gap =
        std::min(look_.px(10), at.width() * 0.2F / static_cast<float>(role.heads)) * parted;
    for (Index h = 0; h < role.heads; ++h) {
      const Rect part = at.column(static_cast<int>(h), static_cast<int>(role.heads), gap);
      bars_.add(columnsOf(ref, h * dK, dK), scale, part, h == mine ? 1.0F : 1.0F - 0.6F * parted);
      if (h != mine || parted < 1.0F) continue;
      bars_.frame(part.outset(look_.px(2)), color_, 2.0F);
      if (!named) continue;
      ImFont* font = label(look_.fonts.small);
      drawTextCentred(list_, font, {part.centre().x, part.b.y + 0.9F * fontSize(font)}, color_,
                      trFormat("head {}", subject_.head + 1));
    }
  }

  /// Arcs as thick as scores: `largest` is the score of the thickest. An arc that would be thinner
  /// than the thinnest is fainter instead.
  std::vector<Arc> scoreArcs(std::span<const float> scores, float largest, Index reached) const {
    constexpr float kThin = 0.06F;  // of the thickest
    std::vector<Arc> arcs;
    for (Index j = 0; j < std::min(reached, c_.keys()); ++j) {
      const float score = scores[static_cast<std::size_t>(j)];
      if (score <= 0.0F || largest <= 0.0F) continue;
      const float share = 0.9F * score / largest;
      arcs.push_back({static_cast<int>(subject_.word),
                      static_cast<int>(j),
                      arcThickness(look_, layout_.queries, share),
                      0.75F * std::min(1.0F, share / kThin),
                      {}});
    }
    std::stable_sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) {
      return a.thickness * a.strength > b.thickness * b.strength;
    });
    // arcs between lines cross the words between
    const std::size_t most = layout_.keys.lines > 1 ? 5 : 24;
    if (arcs.size() > most) arcs.resize(most);
    return arcs;
  }

  static float largestOf(std::span<const float> row) {
    return *std::max_element(row.begin(), row.end());
  }

  void scores() {
    const std::vector<float> raw = cells(TensorId::rawScores);
    const float gone = motion(moment_, kScoring, 1.0) * static_cast<float>(c_.keys());
    const auto reached = static_cast<Index>(std::ceil(gone));
    sentence({}, scoreArcs(raw, largestOf(raw), reached), 0.7F);
    keyBars(1.0F);
    const auto top = static_cast<Index>(std::max_element(raw.begin(), raw.end()) - raw.begin());
    for (const Index j : strongestFirst(top)) {
      if (j >= reached) continue;
      numberBelow(j, cellNumber(raw[static_cast<std::size_t>(j)], 1),
                  j == top ? color_ : theme_.textMuted, j == top);
    }
    if (!barsFit()) return;
    // the query stands next to the key that it meets
    const Index meets = std::clamp<Index>(reached - 1, 0, c_.keys() - 1);
    Rect at = barBelow(reached < c_.keys() ? meets : top);
    at = upright()
             ? Rect::at({at.a.x - at.width() * 0.7F, at.a.y}, {at.width() * 0.6F, at.height()})
             : Rect::at(at.a, {at.width(), at.height() * 0.5F});  // above, it would hide the word
    bar(rowOf(TensorId::q, subject_.word), at, 1.0F);
    bars_.frame(at, theme_.query, 2.0F);
  }

  /// All keys, with `top` first, so that no other number takes the place of its number.
  std::vector<Index> strongestFirst(Index top) const {
    std::vector<Index> keys{top};
    for (Index j = 0; j < c_.keys(); ++j) {
      if (j != top) keys.push_back(j);
    }
    return keys;
  }

  void keyBars(float opacity) {
    if (!barsFit() || opacity <= 0.0F) return;
    for (Index j = 0; j < c_.keys(); ++j) bar(rowOf(TensorId::k, j), barBelow(j), opacity);
  }

  void scaled() {
    const std::vector<float> raw = cells(TensorId::rawScores);
    const std::vector<float> scaled = cells(TensorId::scores);
    const std::vector<float> sums = cells(beforeSoftmax());
    const float done = motion(moment_, 3.0, 1.0);
    const float biased = c_.pairBias.on() ? motion(moment_, 2.0, 4.5) : 0.0F;
    std::vector<float> now(raw.size());
    for (std::size_t j = 0; j < raw.size(); ++j) {
      now[j] = raw[j] + (scaled[j] - raw[j]) * done;
      const bool there = biased > 0.0F && allowed(static_cast<Index>(j));
      if (there) now[j] += (sums[j] - scaled[j]) * biased;
    }
    sentence({}, scoreArcs(now, std::max(largestOf(raw), largestOf(now)), c_.keys()), 0.7F);
    keyBars((1.0F - 0.6F * done) * (1.0F - biased));
    biasOfPairs(biased);
    const auto top = static_cast<Index>(std::ranges::max_element(sums) - sums.begin());
    for (const Index j : strongestFirst(top)) {  // only numbers of the pass are shown
      const auto at = static_cast<std::size_t>(j);
      numberBelow(j,
                  done < 0.5F     ? cellNumber(raw[at], 1)
                  : biased < 0.5F ? cellNumber(scaled[at], 2)
                  : allowed(j)    ? sumOf(scaled[at], j)
                                  : tr("masked"),
                  theme_.textMuted);
    }
  }

  std::vector<Arc> shareArcs(float share) const {
    std::vector<Arc> arcs;
    for (const Link& link : strongLinks(weights_, subject_.word)) {
      arcs.push_back({static_cast<int>(link.query), static_cast<int>(link.key),
                      arcThickness(look_, layout_.queries, link.weight * share),
                      arcs.empty() ? 0.92F : 0.45F, percent(link.weight)});
    }
    return arcs;
  }

  void shares() {
    const float done = panel_.stageView.at ? motion(moment_, 3.0, 1.0) : 1.0F;
    std::vector<float> tints = weights_;
    for (float& tint : tints) tint *= done;
    if (done >= 1.0F) {
      sentence(tints, shareArcs(1.0F));
    } else {
      const std::vector<float> raw = cells(TensorId::rawScores);
      const std::vector<float> scaled = cells(beforeSoftmax());
      const float most = std::max(largestOf(raw), largestOf(scaled));
      std::vector<Arc> arcs = scoreArcs(scaled, most, c_.keys());
      for (Arc& arc : arcs) {
        const float to =
            arcThickness(look_, layout_.queries, weights_[static_cast<std::size_t>(arc.to)]);
        arc.thickness += (to - arc.thickness) * done;
        if (weights_[static_cast<std::size_t>(arc.to)] < 0.02F) arc.strength *= 1.0F - done;
      }
      sentence(tints, arcs);
    }
    if (!panel_.stageView.at || !barsFit()) return;
    const std::vector<float> scaled = cells(TensorId::scores);
    const auto top =
        static_cast<Index>(std::max_element(weights_.begin(), weights_.end()) - weights_.begin());
    for (const Index j : strongestFirst(top)) {
      const auto at = static_cast<std::size_t>(j);
      const bool strong = weights_[at] >= 0.5F;
      numberBelow(j,
                  !allowed(j)   ? tr("masked")
                  : done < 0.5F ? sumOf(scaled[at], j)
                                : percent(weights_[at]),
                  strong ? color_ : theme_.textMuted, strong);
    }
  }

  /// The scores that the softmax reads: with the bias of each pair or distance, where there is one.
  TensorId beforeSoftmax() const {
    return c_.pairBias.on() || c_.switches->alibi ? TensorId::maskedScores : TensorId::scores;
  }
  /// "0.23", or with a bias "0.23 + 1.25".
  std::string sumOf(float scaled, Index key) const {
    if (!c_.pairBias.on()) return cellNumber(scaled, 2);
    const float bias = c_.pairBias.at(subject_.head, c_.firstQuery + subject_.word, key);
    return fmt::format("{} {} {}", cellNumber(scaled, 2), bias < 0.0F ? "−" : "+",
                       cellNumber(std::abs(bias), 2));
  }

  void collected() {
    const float done = motion(moment_, 4.0, 0.5);
    const Rect result = c_.switches->gate ? collectedBar() : resultBar();
    const std::vector<Link> links = strongLinks(weights_, subject_.word, 6);
    const bool off = isOff(c_, subject_.head);
    for (auto link = links.rbegin(); link != links.rend() && !off; ++link)
      stream(*link, result, done);
    sentence(weights_, shareArcs(1.0F));  // words stay legible above the streams
    if (barsFit()) {
      const auto top =
          static_cast<Index>(std::max_element(weights_.begin(), weights_.end()) - weights_.begin());
      for (const Index j : strongestFirst(top)) {
        const float weight = weights_[static_cast<std::size_t>(j)];
        bar(rowOf(TensorId::v, j), barBelow(j), 0.25F + 0.75F * std::min(1.0F, weight * 1.3F));
        constexpr float kReadsZero = 0.005F;  // dozens of these say nothing
        if (weight < kReadsZero && layout_.keys.lines > 1) continue;
        numberBelow(j, fmt::format("{:.2f}", weight), weight >= 0.5F ? color_ : theme_.textMuted,
                    weight >= 0.5F);
      }
    }
    if (c_.switches->gate) gates(done, motion(moment_, 2.0, 3.0));
    // gated numbers come down through the gate
    const float through = c_.switches->gate ? motion(moment_, 3.0, 4.0) : 1.0F;
    if (through < 1.0F) headBar(joinedHeads(c_), resultBar(), 0.0F);
    if (through > 0.0F) {
      headBar(joinedHeads(c_),
              c_.switches->gate ? mix(collectedBar(), resultBar(), through) : resultBar(),
              c_.switches->gate ? through : done);
    }
    caption(
        resultBar(),
        trFormat("what head {} hands on for {}: {} numbers", subject_.head + 1, word(), c_.dK()),
        theme_.textMuted);
  }

  /// The place of a head's result among all.
  Rect headSlot(Index head, const Rect& all) const {
    const float gap = std::min(look_.px(12), all.width() * 0.15F / static_cast<float>(c_.numHeads));
    return all.column(static_cast<int>(head), static_cast<int>(c_.numHeads), gap);
  }

  void heads() {
    sentence({}, {}, 0.45F);
    const Rect rest = belowSentence();
    const Rect all =
        wideBar(rest.a.y + rest.height() * (isLow(rest) ? 0.0F : 0.42F), barHeight(rest, 44.0F));
    const float mine = motion(moment_, 2.0);
    for (Index h = 0; h < c_.numHeads; ++h) {
      const Rect slot = headSlot(h, all);
      const bool chosen = h == subject_.head;
      const float come =
          chosen ? mine
                 : motion(moment_, 1.5,
                          1.5 + 1.5 * static_cast<double>(h) / static_cast<double>(c_.numHeads));
      const Rect from =
          chosen ? resultBar() : Rect::at({slot.a.x, slot.a.y - look_.px(90)}, slot.size());
      headPart(h, mix(from, slot, come), come, chosen);
    }
    if (mine >= 1.0F && all.b.y + look_.px(60) <= room_.b.y) {
      const Rect under = {{all.a.x, all.b.y + look_.px(30)}, {all.b.x, all.b.y + look_.px(30)}};
      caption(under,
              c_.numHeads == 1 ? trFormat("the head's result for {}", word())
                               : trFormat("the results of all heads for {}, side by side", word()),
              theme_.textMuted);
    }
  }

  void headPart(Index head, const Rect& at, float opacity, bool chosen) {
    const MatrixRef whole = wholeMatrix(joinedHeads(c_), c_, subject_.item, head);
    MatrixRef ref = whole;
    ref.row0 = subject_.word;
    ref.rows = 1;
    bars_.add(ref, bars_.scaleOf(whole), at, opacity);
    if (at.width() < look_.px(9)) return;
    const ImU32 color = headColor(theme_, static_cast<std::size_t>(head));
    bars_.frame(at.outset(look_.px(chosen ? 2 : 1)), withAlpha(color, opacity),
                chosen ? 2.5F : 1.0F);
    if (at.width() < look_.px(18)) return;
    drawTextCentred(list_, label(chosen ? look_.fonts.semibold : look_.fonts.small),
                    {at.centre().x, at.b.y + look_.px(14)}, withAlpha(color, opacity),
                    std::to_string(head + 1));
  }

  void mixed() {
    sentence({}, {}, 0.45F);
    const Rect rest = belowSentence();
    const bool slide = panel_.alone;  // it has a sentence in place of a caption
    const bool low = isLow(rest) && !slide;
    const Rect all = wideBar(rest.a.y + rest.height() * (slide || low ? 0.0F : 0.08F),
                             low ? rest.height() * 0.2F : look_.px(38));
    const Rect out = wideBar(rest.a.y + rest.height() * (slide ? 0.7F
                                                         : low ? 0.76F
                                                               : 0.66F),
                             low ? rest.height() * 0.2F : look_.px(46));
    const float done = motion(moment_, 3.0, 0.5);
    double most = 0.0, whole = 0.0;
    if (effects_ != nullptr) {
      for (Index h = 0; h < c_.numHeads; ++h) {
        const double length = effects_->termNorm(h, subject_.word);
        most = std::max(most, length);
        whole += length;
      }
    }
    bool shared = false;
    for (Index h = 0; h < c_.numHeads; ++h) {
      const Rect slot = headSlot(h, all);
      Rect from = slot;
      from.b.y += look_.px(whole > 0.0 ? 46 : 24);
      const float part =
          most > 0.0 ? static_cast<float>(effects_->termNorm(h, subject_.word) / most) : 0.5F;
      band(from, out, headColor(theme_, static_cast<std::size_t>(h)), done, 0.03F + 0.11F * part);
      headPart(h, slot, 1.0F, h == subject_.head);
      if (whole <= 0.0 || slot.width() < look_.px(44)) continue;
      shared = true;
      const auto share = static_cast<float>(effects_->termNorm(h, subject_.word) / whole);
      drawTextCentred(list_, label(look_.fonts.regular),
                      {slot.centre().x, slot.b.y + look_.px(panel_.alone ? 38 : 34)},
                      theme_.textMuted, percent(share));
    }
    const MatrixRef ref = rowOf(TensorId::output, subject_.word);
    bars_.add(ref, bars_.scaleOf(ref), out, done);
    bars_.frame(out, theme_.output, 1.5F);
    std::string text = trFormat("the new {}: {} numbers for the next layer", word(), c_.dModel);
    if (shared) text += tr("; below each head, how much of them it adds");
    if (!slide && !low) caption(out, text, theme_.textMuted);
  }

  const HeadEffects* effects_;
};

}  // namespace

void drawScene(const PanelContext& panel, const StageSubject& subject, const JourneyMoment& moment,
               const SceneLayout& layout, const SceneWords& words, const Rect& room,
               const HeadEffects* effects, int hovered) {
  Scene(panel, subject, moment, layout, words, room, effects, hovered).draw();
}

}  // namespace headscope::ui
