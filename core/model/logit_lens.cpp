#include "core/model/logit_lens.h"

#include <algorithm>

#include "core/model/blocks.h"
#include "core/model/said_word.h"

namespace headscope::model {

std::optional<std::vector<LensDepth>> logitLens(const ModelTrace& trace, Index row, Index word,
                                                const Execution& execution) {
  const ModelConfig& config = trace.config();
  requireWord(trace, row, word);
  const Index depths = 2 * config.layers + 1;
  Tensor stream = Tensor::uninitialised({1, depths, config.dModel});
  for (Index half = 0; half < depths; ++half) {
    std::copy_n(trace.hidden(half).data() + row * config.dModel, config.dModel,
                stream.mutableData() + half * config.dModel);
  }
  const auto readout = trace.document().model->readout();
  const ThreadCount threads(threadsFor(2 * depths * config.dModel * config.vocabulary,
                                       execution.threads, execution.flopsPerThread));
  std::vector<LensDepth> lens;
  // a few at a time: all logits of a deep model with a large vocabulary would be much memory
  constexpr Index kAtOnce = 16;
  for (Index first = 0; first < depths; first += kAtOnce) {
    const Index end = std::min(depths, first + kAtOnce);
    Tensor some = stream.slice(1, first, end);
    if (config.preNorm) some = normalized(some, readout->norm, config, execution);
    const Tensor logits = logitsOf(some, *readout, config, execution);
    if (execution.stop()) return std::nullopt;
    for (Index half = 0; half < end - first; ++half) {
      const std::span<const float> values = logits.matrix({0}).row(half);
      lens.push_back({mostProbable(values, 1).front(), standingOf(values, word)});
    }
  }
  return lens;
}

}  // namespace headscope::model
