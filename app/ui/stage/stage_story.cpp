#include "app/ui/stage/stage_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <variant>

#include "app/ui/head_switch.h"
#include "app/ui/stage/sentence_layout.h"
#include "core/analysis/head_effect.h"
#include "core/attention/attention_tensors.h"
#include "core/attention/config.h"
#include "core/attention/mask.h"
#include "core/attention/switches.h"
#include "core/attention/tensor_id.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr float kLeastShareOfStrongest = 0.1F;
constexpr float kLeastLink = 0.02F;  // a thinner line would be a hairline
constexpr float kFirmShare = 0.5F;
constexpr float kFaintShare = 0.25F;

constexpr std::array<StagePlaceInfo, kStagePlaces> kPlaces{{
    {StagePlace::word, 7.0, StepId::project},
    {StagePlace::numbers, 9.0, StepId::project},
    {StagePlace::roles, 12.0, StepId::split},
    {StagePlace::scores, 13.0, StepId::score},
    {StagePlace::scaled, 9.0, StepId::scale},
    {StagePlace::shares, 11.0, StepId::softmax},
    {StagePlace::collected, 12.0, StepId::weigh},
    {StagePlace::heads, 9.0, StepId::concat},
    {StagePlace::mixed, 8.0, StepId::output},
}};

/// The token at a place in quotes; one that occurs several times with its number: “the” (2 of 3).
std::string quoted(const Trace& trace, Axis axis, Index item, Index index) {
  const std::string name(stageWord(placeName(trace, axis, item, index)));
  const std::vector<std::string>& tokens = tokensAlong(trace, axis, item);
  const auto last = tokens.begin() + std::min<Index>(index + 1, std::ssize(tokens));
  const auto same = [&](const std::string& token) { return stageWord(token) == name; };
  const auto count = std::count_if(tokens.begin(), tokens.end(), same);
  if (count < 2) return fmt::format("“{}”", name);
  return trFormat("“{}” ({} of {})", name, std::count_if(tokens.begin(), last, same), count);
}

float sumOf(std::span<const float> row) { return std::accumulate(row.begin(), row.end(), 0.0F); }

/// Returns false where a pinned weight, dropout or a mistake changes what softmax gave, or a sink
/// takes a part.
bool addUpToOne(std::span<const float> row) {
  constexpr float kRounded = 0.005F;  // of percent()
  return std::abs(sumOf(row) - 1.0F) < kRounded;
}

/// Returns the name of what a token's numbers no longer show: the letters of a word.
const char* lostIn(const Document& document) {
  if (document.input->patches.on()) return tr("picture");
  return std::holds_alternative<SeriesSource>(*document.source) ? tr("curve") : tr("letters");
}

/// The words of the places, for one subject.
class Words {
 public:
  Words(const Trace& trace, const StageSubject& subject)
      : trace_(trace), c_(trace.config()), subject_(subject), token_(tokenNoun(trace.document())) {}

  StageWords of(StagePlace place, bool underWay, const HeadEffects* effects) const {
    switch (place) {
      case StagePlace::word:
        return {trFormat("{} is the {} to follow.", word(), token_.one),
                fullyMasked()
                    ? std::string(tr("The mask forbids every key, so it will take in nothing."))
                    : trFormat("It will look at the {}, and take in what it needs.", others())};
      case StagePlace::numbers:
        return {trFormat("{} becomes {} numbers.", word(), c_.dModel),
                trFormat("The program knows no {}: this row of numbers is all it has of the {}.",
                         lostIn(trace_.document()), token_.one)};
      case StagePlace::roles:
        return {tr("Three bars leave it: query, key and value."),
                trFormat("The query says what it looks for, the key what others find it by, the "
                         "value what it hands on. {}",
                         ofHeads())};
      case StagePlace::scores:
        return scores();
      case StagePlace::scaled:
        return scaled();
      case StagePlace::shares:
        return underWay ? softmax() : shares();
      case StagePlace::collected:
        if (takesNothing()) return {tr("It collects nothing."), whyNothing()};
        return {tr("It collects what the others carry, each by its share."), sum() + gates()};
      case StagePlace::heads: {
        const char* gated = c_.switches->gate ? tr(", each number times its gate,") : "";
        return {c_.numHeads == 1 ? tr("The head has looked.")
                : c_.numHeads == 2
                    ? tr("Both heads have looked, each on its own.")
                    : trFormat("All {} heads have looked, each on its own.", c_.numHeads),
                c_.numHeads == 1
                    ? trFormat("Its result{} has {} numbers.", gated, c_.dK())
                    : trFormat("Their results{} stand side by side: {} × {} = {} numbers.", gated,
                               c_.numHeads, c_.dK(), c_.queryWidth())};
      }
      case StagePlace::mixed:
        return mixed(effects);
    }
    return {};
  }

 private:
  std::string word() const { return quoted(trace_, Axis::query, subject_.item, subject_.word); }
  std::string key(std::size_t at) const {
    return quoted(trace_, Axis::key, subject_.item, static_cast<Index>(at));
  }
  std::string others() const {
    return c_.crossAttention() ? tr("words of the memory") : tr("others");
  }
  std::string ofHeads() const {
    if (c_.numHeads == 1) return tr("One head takes them whole.");
    return trFormat("Each is cut into {} parts, one for each head.", c_.numHeads);
  }
  bool isSelf(std::size_t at) const {
    return !c_.crossAttention() && static_cast<Index>(at) == subject_.word;
  }

  std::vector<float> row(TensorId tensor) const {
    std::vector<float> cells(static_cast<std::size_t>(c_.keys()));
    trace_.tile(tensor, subject_.item, subject_.head, subject_.word, 1, 0, c_.keys(), cells.data());
    return cells;
  }

  bool fullyMasked() const {
    return isFullyMasked(trace_, subject_.item, subject_.word) &&
           std::ranges::all_of(row(TensorId::weights), [](float pinned) { return pinned == 0.0F; });
  }
  bool headIsOff() const { return isOff(c_, subject_.head); }
  bool takesNothing() const { return fullyMasked() || headIsOff(); }
  std::string head() const { return trFormat("head {}", subject_.head + 1); }
  std::string whyNothing() const {
    return fullyMasked() ? tr("The mask forbids every key: the result is 0.")
                         : trFormat("Head {} is switched off: its result is 0.", subject_.head + 1);
  }

  StageWords scores() const {
    const std::vector<float> all = row(TensorId::rawScores);
    const std::size_t top = strongest(all);
    const std::string with = isSelf(top) ? tr("its own key") : key(top);
    return {trFormat("The query of {} meets every key.", word()),
            trFormat("Where their numbers agree, the score grows. The largest is {}, with {}.",
                     cellNumber(all[top], 1), with)};
  }

  StageWords scaled() const {
    if (!c_.switches->scale && c_.switches->temperature == 1.0F) {
      return {
          c_.pairBias.on() ? tr("A bias is added to each score.")
                           : tr("The scores stay as they are."),
          (c_.mistakes.modelHasNoScale
               ? trFormat("This model does not divide by √{}: one large score can win outright.",
                          c_.dK())
               : trFormat("Division by √{} is switched off: one large score can now win outright.",
                          c_.dK())) +
              biasAfterwards()};
    }
    const std::vector<float> all = row(TensorId::scores);
    const std::vector<float> raw = row(TensorId::rawScores);
    const std::string title =
        c_.pairBias.on() ? trFormat("÷ √{} calms the scores, and a bias is added.", c_.dK())
                         : trFormat("÷ √{} calms the scores.", c_.dK());
    const std::string largest = cellNumber(all[strongest(all)], 2);
    constexpr float kLarge = 4.0F;  // before the division
    const bool choice = allowedKeys(c_.mask, subject_.item, subject_.word, c_.keys()).count() > 1;
    if (raw[strongest(raw)] < kLarge || !choice) {
      return {title, trFormat("It keeps scores of one size, however many products they sum. The "
                              "largest is now {}.{}",
                              largest, biasAfterwards())};
    }
    constexpr float kAlmostAll = 0.99F;
    const std::vector<float> shares = row(TensorId::weights);
    if (shares[strongest(shares)] >= kAlmostAll) {
      return {title,
              trFormat("Sums of {} products are large. The largest is now {}: still so large "
                       "that softmax will leave hardly anything for the other {}.{}",
                       c_.dK(), largest, token_.many, biasAfterwards())};
    }
    return {title,
            trFormat("Sums of {} products are large. The largest is now {}: small enough that "
                     "softmax will leave something for the other {}.{}",
                     c_.dK(), largest, token_.many, biasAfterwards())};
  }

  /// " Then each pair adds its bias, a coloured square."; empty without one.
  std::string biasAfterwards() const {
    if (!c_.pairBias.on()) return {};
    return c_.pairBias.ofPairs() ? tr(" Then each pair adds its bias, a coloured square.")
                                 : tr(" Then each distance adds its bias, a coloured square.");
  }

  StageWords shares() const {
    if (fullyMasked()) {
      return {trFormat("{} may look at no {}.", word(), token_.one),
              tr("The mask forbids every key, so nothing is taken in.")};
    }
    const std::vector<float> all = row(TensorId::weights);
    const std::size_t top = strongest(all);
    const float weight = all[top];
    const std::string at = isSelf(top) ? std::string(tr("itself")) : key(top);
    if (weight <= 0.0F && sumOf(all) == 0.0F) {
      return {trFormat("{} looks at nothing.", word()),
              trFormat("In {} all its weights are 0.", head())};
    }
    const auto second = secondOf(all, top);
    StageWords words;
    if (weight >= kFirmShare && (!second || all[*second] < kFaintShare)) {
      words = {
          trFormat("{} looks at {}.", word(), at),
          trFormat("{} of what it takes in, in {}, comes from there.", percent(weight), head())};
    } else if (second && all[*second] >= kFaintShare) {
      words = {trFormat("{} looks at {} and {}.", word(), at,
                        isSelf(*second) ? std::string(tr("itself")) : key(*second)),
               trFormat("{} and {} of what it takes in, in {}, come from there.", percent(weight),
                        percent(all[*second]), head())};
    } else if (weight >= kFaintShare) {
      words = {trFormat("{} looks most at {}.", word(), at),
               trFormat("{} of what it takes in, in {}, comes from there; the rest from others.",
                        percent(weight), head())};
    } else {
      words = {
          trFormat("{} looks at many {} a little.", word(), token_.many),
          trFormat("In {} its largest share, {}, comes from {}.", head(), percent(weight), at)};
    }
    if (headIsOff()) {
      words.sentence =
          trFormat("Head {} is switched off: nothing of it is taken in.", subject_.head + 1);
    } else if (!addUpToOne(all)) {
      words.sentence = trFormat("In {} its weights add up to {}; {} is the largest.", head(),
                                percent(sumOf(all)), percent(weight));
    }
    return words;
  }

  static std::optional<std::size_t> secondOf(std::span<const float> row, std::size_t top) {
    std::optional<std::size_t> second;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (j != top && (!second || row[j] > row[*second])) second = j;
    }
    return second;
  }

  /// The shares while the journey is under way: how they come about.
  StageWords softmax() const {
    if (fullyMasked()) return shares();
    const std::vector<float> all = row(TensorId::weights);
    const std::size_t top = strongest(all);
    return {tr("Softmax turns the scores into shares."),
            trFormat("{}Large scores stand out, small ones fade, and all shares together make "
                     "100 %. {} gets {}.{}",
                     bias(top), isSelf(top) ? trFormat("The {} itself", token_.one) : key(top),
                     percent(all[top]),
                     addUpToOne(all) ? std::string()
                                     : trFormat(" The row adds up to {}.", percent(sumOf(all))))};
  }

  /// "First a bias for each pair is added to the scores, 1.25 for “cat”. "; empty without one.
  std::string bias(std::size_t at) const {
    if (!c_.pairBias.on()) return {};
    const float added =
        c_.pairBias.at(subject_.head, c_.firstQuery + subject_.word, static_cast<Index>(at));
    return trFormat("First a bias for each {} is added to the scores, {} for {}. ",
                    c_.pairBias.ofPairs() ? tr("pair") : tr("distance"), cellNumber(added, 2),
                    key(at));
  }

  /// " On the way out a gate lets a part of each number through, here 0.12 to 0.93 of it."; empty
  /// without one.
  std::string gates() const {
    if (!c_.switches->gate) return {};
    std::vector<float> all(static_cast<std::size_t>(c_.dK()));
    trace_.tile(TensorId::gate, subject_.item, subject_.head, subject_.word, 1, 0, c_.dK(),
                all.data());
    const auto [least, most] = std::ranges::minmax(all);
    return trFormat(
        " On the way out a gate lets a part of each number through, here {} to {} of it.",
        cellNumber(least, 2), cellNumber(most, 2));
  }

  /// "86 % of the value of “cat”, 5 % of “fire”, 3 % of “which” and the rest of the others, added
  /// up."
  std::string sum() const {
    const std::vector<float> all = row(TensorId::weights);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    constexpr std::size_t kTerms = 3;
    const std::size_t terms = std::min(kTerms, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(terms),
                      order.end(), [&](std::size_t a, std::size_t b) { return all[a] > all[b]; });
    std::string text = trFormat("{} of the value of {}", percent(all[order[0]]), key(order[0]));
    for (std::size_t i = 1; i < terms; ++i) {
      text += trFormat(", {} of {}", percent(all[order[i]]), key(order[i]));
    }
    return text + (order.size() > terms ? tr(" and the rest of the others, added up.")
                                        : tr(", added up."));
  }

  StageWords mixed(const HeadEffects* effects) const {
    StageWords words{trFormat("A last matrix mixes them: the new {}.", word()), {}};
    if (c_.numHeads == 1) {
      words.sentence = takesNothing()
                           ? whyNothing()
                           : trFormat("Each of its {} numbers draws on the whole head.", c_.dModel);
      return words;
    }
    Index on = 0, most = 0;
    for (Index h = 0; h < c_.numHeads; ++h) {
      if (!isOff(c_, h)) ++on;
      if (effects != nullptr &&
          effects->termNorm(h, subject_.word) > effects->termNorm(most, subject_.word)) {
        most = h;
      }
    }
    words.sentence =
        on == c_.numHeads
            ? on == 2 ? trFormat("Each of its {} numbers draws on both heads", c_.dModel)
                      : trFormat("Each of its {} numbers draws on all {} heads", c_.dModel, on)
            : trFormat("Each of its {} numbers draws on {} of {} heads", c_.dModel, on,
                       c_.numHeads);
    if (effects == nullptr) {
      words.sentence += ".";
    } else if (effects->termNorm(most, subject_.word) == 0.0) {
      words.sentence += tr("; here none of them adds anything.");
    } else {
      words.sentence += trFormat("; here head {} adds the most.", most + 1);
    }
    return words;
  }

  const Trace& trace_;
  const AttentionConfig& c_;
  const StageSubject& subject_;
  TokenNoun token_;
};

}  // namespace

std::size_t strongest(std::span<const float> row) {
  return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

std::string percent(float weight) {
  const std::string whole = fmt::format("{:.0f} %", std::abs(100.0F * weight));
  if (weight > 0.0F && whole == "0 %") return "<1 %";
  return weight < 0.0F && whole != "0 %" ? "−" + whole : whole;
}

const StagePlaceInfo& info(StagePlace place) { return kPlaces[static_cast<std::size_t>(place)]; }

TokenNoun tokenNoun(const Document& document) {
  if (document.input->patches.on()) return {tr("patch"), tr("patches"), tr("picture")};
  const bool series = std::holds_alternative<SeriesSource>(*document.source);
  return series ? TokenNoun{tr("step"), tr("steps"), tr("series")}
                : TokenNoun{tr("word"), tr("words"), tr("sentence")};
}

namespace {

/// Names what changes the scores before the softmax: the division, and the bias that is added.
std::string scaledLabel(const AttentionConfig& c) {
  const std::string divided = c.switches->scale ? fmt::format("÷ √{}", c.dK()) : std::string();
  if (!c.pairBias.on()) return c.switches->scale ? divided : tr("not divided");
  return c.switches->scale ? trFormat("{}, + bias", divided) : tr("+ bias");
}

}  // namespace

std::string labelOf(StagePlace place, const Document& document) {
  switch (place) {
    case StagePlace::word:
      return tokenNoun(document).one;
    case StagePlace::numbers:
      return tr("numbers");
    case StagePlace::roles:
      return tr("query, key, value");
    case StagePlace::scores:
      return tr("scores");
    case StagePlace::scaled:
      return scaledLabel(document.config);
    case StagePlace::shares:
      return tr("shares");
    case StagePlace::collected:
      return document.config.switches->gate ? tr("collected, gated") : tr("collected");
    case StagePlace::heads:
      return tr("all heads");
    case StagePlace::mixed:
      return tr("mixed");
  }
  return {};
}

std::vector<Link> strongLinks(std::span<const float> row, Index query, std::size_t most) {
  std::vector<Link> links;
  if (row.empty()) return links;
  const float least = std::max(kLeastLink, kLeastShareOfStrongest * row[strongest(row)]);
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] >= least) links.push_back({query, static_cast<Index>(j), row[j]});
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const Link& a, const Link& b) { return a.weight > b.weight; });
  if (links.size() > most) links.resize(most);
  return links;
}

std::vector<Link> linksOf(const Trace& trace, const StageSubject& subject) {
  HeadRows rows(trace, TensorId::weights, subject.item, subject.head);
  return strongLinks(rows.row(subject.word), subject.word);
}

StageWords stageWords(const Trace& trace, const StageSubject& subject) {
  return Words(trace, subject).of(StagePlace::shares, false, nullptr);
}

StageWords unaskedWords(const Trace& trace, const StageSubject& subject,
                        const std::string& purpose) {
  StageWords words = stageWords(trace, subject);
  const std::vector<Link> links = linksOf(trace, subject);
  if (links.empty()) return words;  // a row without weights
  words.title = trFormat("In head {}, {} has nothing to look for.", subject.head + 1,
                         quoted(trace, Axis::query, subject.item, subject.word));
  HeadRows rows(trace, TensorId::weights, subject.item, subject.head);
  if (!addUpToOne(rows.row(subject.word)) || isOff(trace.config(), subject.head)) return words;
  words.sentence = trFormat(
      "{} has no answer for this {}. Its shares add up to 100 % all the same: {} come from {}.",
      purpose.empty() ? tr("Its question") : fmt::format("“{}”", purpose),
      tokenNoun(trace.document()).one, percent(links.front().weight),
      !trace.config().crossAttention() && links.front().key == subject.word
          ? tr("itself")
          : quoted(trace, Axis::key, subject.item, links.front().key));
  return words;
}

StageWords stageWords(const Trace& trace, const StageSubject& subject, StagePlace place,
                      const HeadEffects* effects) {
  return Words(trace, subject).of(place, true, effects);
}

}  // namespace headscope::ui
