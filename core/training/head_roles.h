// Head roles: where the heads of a layer look in given sentences or series, held against the
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
  /// [head][question]: the weight on a place's partners together, in the mean over all places that
  /// have some; 0 where none has.
  std::vector<std::array<double, kLayerQuestions>> onPartners;
  double largestWeight = 0.0;

  /// The head that looks at a question's partners most.
  Index bestAt(std::size_t question) const;
  Index bestAt(WordQuestion question) const { return bestAt(static_cast<std::size_t>(question)); }
  Index bestAt(SeriesQuestion question) const { return bestAt(static_cast<std::size_t>(question)); }
};

/// The configuration's sizes and scale count, its mask does not. Of no heads where it was
/// cancelled.
HeadRoles measureRoles(const Weights& weights, const AttentionConfig& config,
                       const std::vector<Sentence>& sentences, const ExecutionContext& execution);

HeadRoles measureRoles(const Weights& weights, const AttentionConfig& config,
                       const std::vector<std::shared_ptr<const Series>>& series,
                       const ExecutionContext& execution);

/// Sentences and series that no layer learns from, always the same ones.
std::vector<Sentence> heldOutSentences(Index count);
std::vector<std::shared_ptr<const Series>> heldOutSeries(Index count, Index channels);

}  // namespace headscope::training
