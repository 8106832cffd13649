// Why chain: the chain of sums that the view asks for, computed in the background, and what its
// number becomes without its parts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/ui/model/why_tables.h"
#include "app/ui/model/why_words.h"
#include "app/ui/parts/computed.h"

namespace headscope::ui {

struct PanelContext;
struct PredictionView;

/// The chain of the question with the view's steps.
Computed<FoundWhy> chainOf(const PanelContext& panel,
                           const std::shared_ptr<const ModelMoment>& moment,
                           const model::WhyQuestion& question);

/// Goes back to a level of the chain.
void showLevel(PredictionView& view, const FoundWhy& found, std::size_t level);

/// The changes without the parts of the chain's last level.
Computed<model::WithoutParts> withoutLast(const PanelContext& panel,
                                          const std::shared_ptr<const ModelMoment>& moment,
                                          const FoundWhy& found);

/// The changes without the parts of every level of the chain.
Computed<std::vector<model::WithoutParts>> withoutEach(
    const PanelContext& panel, const std::shared_ptr<const ModelMoment>& moment,
    const FoundWhy& found);

/// Returns whether the user asked for runs without the pairs of this chain's scores.
bool pairsAsked(const PredictionView& view);
void askForPairs(PredictionView& view);

/// The changes without the largest pairs of each level that is a score; empty for the others.
Computed<std::vector<std::vector<model::WithoutPair>>> withoutPairsOfEach(
    const PanelContext& panel, const std::shared_ptr<const ModelMoment>& moment,
    const FoundWhy& found);

/// All of these, as far as they are computed.
ChangesOfLevels changesOfLevels(const PanelContext& panel,
                                const std::shared_ptr<const ModelMoment>& moment,
                                const FoundWhy& found);

/// The runs without the largest pairs of the chain's last level, a score.
struct FoundPairs {
  Index done = 0, units = 0;              // runs
  std::vector<model::WithoutPair> pairs;  // empty until all have run
};
inline constexpr const char* kWhyPairs = "why pairs";  // the computation
Computed<FoundPairs> withoutPairs(const PanelContext& panel,
                                  const std::shared_ptr<const ModelMoment>& moment,
                                  const FoundWhy& found);

}  // namespace headscope::ui
