// Head roles: the weights of a layer's heads in given sentences or series, compared with the
// answers to the questions about their words or steps.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/attention/weights.h"
#include "core/base/execution.h"
#include "core/training/sentences.h"
#include "core/training/series_windows.h"

namespace headscope::training {

struct HeadRoles {
  /// [head][question]: the total weight on a place's partners, averaged over all places that have
  /// partners; 0 where no place has any.
  std::vector<std::array<double, kLayerQuestions>> onPartners;
  double largestWeight = 0.0;

  /// The head with the largest weight on a question's partners.
  Index bestAt(std::size_t question) const;
  Index bestAt(WordQuestion question) const { return bestAt(static_cast<std::size_t>(question)); }
  Index bestAt(SeriesQuestion question) const { return bestAt(static_cast<std::size_t>(question)); }
};

/// Measures the roles of a layer's heads. Uses the sizes and scale of the configuration, not its
/// mask. Returns no heads where cancelled.
HeadRoles measureRoles(const Weights& weights, const AttentionConfig& config,
                       const std::vector<Sentence>& sentences, const ExecutionContext& execution);

HeadRoles measureRoles(const Weights& weights, const AttentionConfig& config,
                       const std::vector<std::shared_ptr<const Series>>& series,
                       const ExecutionContext& execution);

/// Sentences and series that no layer learns from; every call returns equal ones.
std::vector<Sentence> heldOutSentences(Index count);
std::vector<std::shared_ptr<const Series>> heldOutSeries(Index count, Index channels);

}  // namespace headscope::training
