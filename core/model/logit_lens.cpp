#include "core/model/logit_lens.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/translation.h"
#include "core/model/norms.h"
#include "core/model/readout.h"
#include "core/model/said_word.h"

namespace headscope::model {

namespace {

/// The half layers of a model, from the embedding on, that change the stream.
std::vector<Index> halvesOf(const ModelConfig& config) {
  std::vector<Index> halves{0};
  for (Index layer = 0; layer < config.layers; ++layer) {
    halves.push_back(2 * layer + 1);
    if (config.hasNetwork(layer)) halves.push_back(2 * layer + 2);
  }
  return halves;
}

}  // namespace

std::string halfInWords(const ModelConfig& config, Index half) {
  if (half == 0) return tr("embedding");
  const Index layer = (half - 1) / 2;
  const char* kind = !config.crossAttention ? "" : config.readsMemory(layer) ? "cross-" : "self-";
  return trFormat("layer {} {}", config.depthOf(layer) + 1,
                  half % 2 == 1 ? fmt::format("{}attention", kind) : "FFN");
}

std::optional<std::vector<LensDepth>> logitLens(const ModelTrace& trace, Index row, Index word,
                                                const ExecutionContext& execution) {
  const ModelConfig& config = trace.config();
  requireWord(trace, row, word);
  const std::vector<Index> halves = halvesOf(config);
  const Index depths = std::ssize(halves);
  const auto halfAt = [&](Index depth) { return halves[static_cast<std::size_t>(depth)]; };
  const auto readout = trace.document().model->readout();
  const Index width = config.readoutWidth();
  const bool each = config.reads == Reads::everyToken;
  Tensor stream = Tensor::uninitialised({1, depths, width});
  for (Index depth = 0; depth < depths; ++depth) {
    // the stream behind a whole layer is steered, where that of its half is not
    const Index half = halfAt(depth), layer = (half - 1) / 2;
    const bool whole = half > 0 && half % 2 == 1 && !config.hasNetwork(layer);
    const Tensor& behind = trace.hidden(whole ? half + 1 : half);
    const Tensor read = readoutInput(
        normalized(each ? behind.slice(1, row, row + 1) : behind, readout->norm, config, execution),
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
      return trFormat("the logits after {} at token {} of {}",
                      halfInWords(config, halfAt(first + place)), row,
                      trace.document().model->name());
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
