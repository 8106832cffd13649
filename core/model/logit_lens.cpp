#include "core/model/logit_lens.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/norms.h"
#include "core/model/readout.h"
#include "core/model/said_word.h"

namespace headscope::model {

std::string halfInWords(Index half) {
  if (half == 0) return "embedding";
  return fmt::format("layer {} {}", (half + 1) / 2, half % 2 == 1 ? "attention" : "FFN");
}

std::optional<std::vector<LensDepth>> logitLens(const ModelTrace& trace, Index row, Index word,
                                                const ExecutionContext& execution) {
  const ModelConfig& config = trace.config();
  requireWord(trace, row, word);
  const Index step = config.attentionOnly ? 2 : 1;
  const Index depths = 2 * config.layers / step + 1;
  // a model of attention alone has only the attention halves
  const auto halfAt = [step](Index depth) { return depth == 0 ? 0 : depth * step - (step - 1); };
  const auto readout = trace.document().model->readout();
  const Index width = config.readoutWidth();
  Tensor stream = Tensor::uninitialised({1, depths, width});
  for (Index depth = 0; depth < depths; ++depth) {
    const Tensor& half = trace.hidden(depth * step);
    const bool each = config.reads == Reads::everyToken;
    const Tensor read = readoutInput(
        normalized(each ? half.slice(1, row, row + 1) : half, readout->norm, config, execution),
        config);
    std::copy_n(read.data(), width, stream.mutableData() + depth * width);
  }
  const ScopedThreadLimit threads(threadsFor(2 * depths * config.dModel * config.vocabulary,
                                             execution.threads, execution.flopsPerThread));
  std::vector<LensDepth> lens;
  // only a few rows at a time: all logits of a deep model with a large vocabulary take much memory
  constexpr Index kAtOnce = 16;
  for (Index first = 0; first < depths; first += kAtOnce) {
    const Index end = std::min(depths, first + kAtOnce);
    const Tensor some = stream.slice(1, first, end);
    const auto logitsAt = [&](Index place) {
      return fmt::format("the logits after {} at token {} of {}",
                         halfInWords(halfAt(first + place)), row, trace.document().model->name());
    };
    const Tensor logits = logitsOf(some, *readout, config, execution, logitsAt);
    if (execution.stop()) return std::nullopt;
    for (Index depth = first; depth < end; ++depth) {
      const std::span<const float> values = logits.matrix({0}).row(depth - first);
      lens.push_back({halfAt(depth), mostProbable(values, 1).front(), standingOf(values, word)});
    }
  }
  return lens;
}

}  // namespace headscope::model
