#include "app/ui/model/why_chain.h"

#include <atomic>
#include <memory>
#include <optional>
#include <variant>

#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {
namespace {

using ChainMoment = std::shared_ptr<const ModelMoment>;
using LevelsWithout = std::vector<model::WithoutParts>;
using PairsOfLevels = std::vector<std::vector<model::WithoutPair>>;

constexpr std::size_t kMeasuredParts = 48, kMeasuredPairs = 24;  // without which a pass runs again

/// Identifies a chain.
Fingerprint chainKey(const char* what, const ChainMoment& moment, const PredictionView& view,
                     const model::WhyQuestion& question) {
  Fingerprint key(what, moment->number, moment->changes);
  if (const auto* word = std::get_if<model::AskedWord>(&question)) {
    key.add(Fingerprint("word", word->row, word->word, word->other.value_or(-1)));
  } else {
    key.add(Fingerprint(view.whyScore));
  }
  key.add(Fingerprint(view.why));
  return key;
}

/// The runs without pairs, with how many have run.
class PairRunning {
 public:
  PairRunning(const model::ModelTracePtr& trace, const model::ScoreParts& score,
              const std::atomic<bool>& cancelled)
      : runs_(trace, score, kMeasuredPairs, {0, &cancelled}) {}

  bool runUnit() { return runs_.runUnit(); }
  std::optional<FoundPairs> news() const {
    return FoundPairs{runs_.unitsDone(), runs_.units(), runs_.found()};
  }

 private:
  model::PairsWithout runs_;
};

}  // namespace

Computed<FoundWhy> chainOf(const PanelContext& panel, const ChainMoment& moment,
                           const model::WhyQuestion& question) {
  const PredictionView& view = panel.modelView.prediction;
  const Fingerprint key = chainKey("why", moment, view, question);
  return panel.computations.request<FoundWhy>("why", key, Schedule::background, [&] {
    return [moment, question,
            trail = view.why](const std::atomic<bool>& cancelled) -> std::optional<FoundWhy> {
      FoundWhy found{question, model::stepsFrom(trail), {}};
      found.levels = whyLevels(*moment->trace, question, found.steps, {0, &cancelled});
      if (cancelled) return std::nullopt;
      return found;
    };
  });
}

void showLevel(PredictionView& view, const FoundWhy& found, std::size_t level) {
  view.whyWhole = false;
  view.why = model::textOf(
      {found.steps.begin(), found.steps.begin() + static_cast<std::ptrdiff_t>(level)});
}

Computed<model::WithoutParts> withoutLast(const PanelContext& panel, const ChainMoment& moment,
                                          const FoundWhy& found) {
  const Fingerprint key =
      chainKey("why without", moment, panel.modelView.prediction, found.question);
  return panel.computations.request<
      model::WithoutParts>("why without", key, Schedule::background, [&] {
    return [moment, question = found.question, levels = found.levels](
               const std::atomic<bool>& cancelled) -> std::optional<model::WithoutParts> {
      auto without = withoutParts(moment->trace, question, levels, kMeasuredParts, {0, &cancelled});
      if (cancelled) return std::nullopt;
      return without;
    };
  });
}

Computed<LevelsWithout> withoutEach(const PanelContext& panel, const ChainMoment& moment,
                                    const FoundWhy& found) {
  const Fingerprint key =
      chainKey("why without each", moment, panel.modelView.prediction, found.question);
  return panel.computations.request<LevelsWithout>(
      "why without each", key, Schedule::background, [&] {
        return [moment, question = found.question, levels = found.levels](
                   const std::atomic<bool>& cancelled) -> std::optional<LevelsWithout> {
          auto each = withoutPartsOfLevels(moment->trace, question, levels, kMeasuredParts,
                                           {0, &cancelled});
          if (cancelled) return std::nullopt;
          return each;
        };
      });
}

bool pairsAsked(const PredictionView& view) {
  return view.whyPairs == view.whyScore + '|' + view.why;
}

void askForPairs(PredictionView& view) { view.whyPairs = view.whyScore + '|' + view.why; }

Computed<PairsOfLevels> withoutPairsOfEach(const PanelContext& panel, const ChainMoment& moment,
                                           const FoundWhy& found) {
  const Fingerprint key =
      chainKey("why pairs each", moment, panel.modelView.prediction, found.question);
  return panel.computations.request<
      PairsOfLevels>("why pairs each", key, Schedule::background, [&] {
    return [moment, levels = found.levels](
               const std::atomic<bool>& cancelled) -> std::optional<PairsOfLevels> {
      PairsOfLevels pairs(levels.size());
      for (std::size_t i = 0; i < levels.size(); ++i) {
        if (!levels[i].score) continue;
        pairs[i] = pairsWithout(moment->trace, *levels[i].score, kMeasuredPairs, {0, &cancelled});
      }
      if (cancelled) return std::nullopt;
      return pairs;
    };
  });
}

ChangesOfLevels changesOfLevels(const PanelContext& panel, const ChainMoment& moment,
                                const FoundWhy& found) {
  ChangesOfLevels changes{.parts = withoutEach(panel, moment, found).current,
                          .ofPairs = pairsAsked(panel.modelView.prediction)};
  if (changes.ofPairs) changes.pairs = withoutPairsOfEach(panel, moment, found).current;
  return changes;
}

Computed<FoundPairs> withoutPairs(const PanelContext& panel, const ChainMoment& moment,
                                  const FoundWhy& found) {
  const Fingerprint key = chainKey(kWhyPairs, moment, panel.modelView.prediction, found.question);
  return panel.computations.request<FoundPairs>(kWhyPairs, key, Schedule::background, [&] {
    return unitsWithNews(
        [moment, score = *found.levels.back().score](const std::atomic<bool>& cancelled) {
          return std::make_shared<PairRunning>(moment->trace, score, cancelled);
        });
  });
}

}  // namespace headscope::ui
