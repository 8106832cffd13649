// Without a part: what a chain's number becomes where a writer adds nothing at a place. `frozen` is
// minus its part: this path alone, with patterns and norms held. `total` is the change where
// everything behind the writer runs again: along every path. The two differ where the writer also
// acts by other paths, or by norms and patterns.
#pragma once

#include <optional>
#include <vector>

#include "core/model/pairs_without.h"
#include "core/model/why.h"

namespace headscope::model {

struct WithoutWriter {
  Writer writer;
  double frozen = 0.0, total = 0.0;
};

/// The changes of the logit, or of the score or pre-activation last reached, without the parts of a
/// level.
struct WithoutParts {
  std::optional<WithoutWriter> followed;     // the head or network that is taken apart
  std::vector<WithoutWriter> parts;          // of a sum over writers
  std::vector<WithoutWriter> queries, keys;  // of a score: of its query's and its key's writers
  std::vector<WithoutPair> pairs;            // of a score, where they were asked for
};

/// The changes without the followed head or network, or without the `most` largest parts, of the
/// last level; of a score half as many of each side. Biases of layers and norms are not left out.
/// Empty where `execution` was cancelled.
WithoutParts withoutParts(const ModelTracePtr& trace, const WhyQuestion& question,
                          const std::vector<WhyLevel>& levels, std::size_t most,
                          const ExecutionContext& execution = {});

/// withoutParts for each level of a chain. Incomplete where `execution` was cancelled.
std::vector<WithoutParts> withoutPartsOfLevels(const ModelTracePtr& trace,
                                               const WhyQuestion& question,
                                               const std::vector<WhyLevel>& levels,
                                               std::size_t most,
                                               const ExecutionContext& execution = {});

/// The changes without the writer of a score's level that a step of Kind::entry follows; null where
/// they are not among `without`.
const WithoutWriter* withoutFollowed(const WithoutParts& without, const WhyStep& step);

/// A chain and the sentences about it.
struct WhyChain {
  ModelTracePtr trace;
  WhyQuestion question;
  std::vector<WhyStep> steps;
  std::vector<WhyLevel> levels;
  std::vector<WithoutParts> without;  // by level
};

/// The chain of these steps. Throws UserError as whyLevels does. Incomplete where `execution` was
/// cancelled.
WhyChain whyChain(const ModelTracePtr& trace, const WhyQuestion& question,
                  std::vector<WhyStep> steps, std::size_t most,
                  const ExecutionContext& execution = {});

/// Adds the changes without the `most` largest pairs of each score of a chain. Incomplete where
/// `execution` was cancelled.
void measurePairs(WhyChain& chain, std::size_t most, const ExecutionContext& execution = {});

/// The strongest steps, at most `depth`.
std::vector<WhyStep> strongestSteps(const ModelTrace& trace, const WhyQuestion& question,
                                    Index depth, const ExecutionContext& execution = {},
                                    Through through = Through::all);

}  // namespace headscope::model
