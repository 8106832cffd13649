#include "core/presets/worksheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/random.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/presets/presets.h"

namespace headscope {
namespace {

/// Whole numbers drawn from a seed, one after the other.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  /// Below `count`.
  Index below(Index count) {
    return static_cast<Index>(stream_.bits(next_++) % static_cast<std::uint64_t>(count));
  }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

/// Half of the cells are 0, the others 1 or 2.
Tensor drawnInput(const Shape& shape, Draws& draws) {
  Tensor x = Tensor::zeros(shape);
  for (Index i = 0; i < x.size(); ++i) {
    constexpr Index kKinds = 6;
    const Index drawn = draws.below(kKinds);
    x.mutableData()[i] = drawn < 3 ? 0.0F : drawn < 5 ? 1.0F : 2.0F;
  }
  return x;
}

/// `entries` cells of each row are 1 or −1, the others 0.
Tensor drawnMatrix(const Shape& shape, Index entries, Draws& draws) {
  Tensor w = Tensor::zeros(shape);
  const Index cols = shape[1];
  for (Index row = 0; row < shape[0]; ++row) {
    float* cells = w.mutableData() + row * cols;
    const Index first = draws.below(cols);
    cells[first] = 1.0F;
    if (entries < 2) continue;
    const Index second = (first + 1 + draws.below(cols - 1)) % cols;
    cells[second] = draws.below(2) == 0 ? 1.0F : -1.0F;
  }
  return w;
}

/// The share that the favourite key of a row has, largest over the rows with a choice.
float favourite(const Trace& trace, Index head) {
  const AttentionConfig& c = trace.config();
  float most = 0.0F;
  for (Index row = 0; row < c.seqLen; ++row) {
    if (allowedKeys(c.mask, 0, row, c.seqLen).count() < 2) continue;
    const std::span<const float> shares =
        trace.tensor(TensorId::weights).matrix({0, head}).row(row);
    most = std::max(most, std::ranges::max(shares));
  }
  return most;
}

/// Every token has numbers that are not 0, and each head has a favourite at some token.
bool saysSomething(const Trace& trace) {
  constexpr Index kLeastNumbers = 3;
  constexpr float kFavourite = 0.6F;
  const AttentionConfig& c = trace.config();
  const Index zeros = c.dModel - std::min(kLeastNumbers, (c.dModel + 1) / 2);
  for (Index row = 0; row < c.seqLen; ++row) {
    const std::span<const float> cells = trace.tensor(TensorId::x).matrix({0}).row(row);
    if (std::ranges::count(cells, 0.0F) > zeros) return false;
  }
  for (Index head = 0; head < c.numHeads; ++head) {
    if (favourite(trace, head) < kFavourite) return false;
  }
  return true;
}

bool fitsPaper(const Trace& trace) {
  constexpr float kLargestScore = 8.0F, kLargestShare = 0.95F;
  for (Index head = 0; head < trace.config().numHeads; ++head) {
    if (favourite(trace, head) > kLargestShare) return false;
  }
  const std::vector<float> scores = trace.tensor(TensorId::rawScores).values();
  return std::ranges::all_of(scores, [](float score) { return std::abs(score) <= kLargestScore; });
}

/// The names of the document's tokens, or their numbers where they have none.
std::vector<std::string> namesOf(const Document& like) {
  std::vector<std::string> names = like.input->tokens.front();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = fmt::format("{}", i + 1);
  }
  return names;
}

DocumentPtr drawn(std::uint64_t seed, const Document& like, Index attempt, Index entries) {
  Document document = like;
  const AttentionConfig& c = like.config;
  Draws draws(seed, fmt::format("worksheet {}", attempt));
  TensorSource source;
  source.name = fmt::format("worksheet {}", seed);
  source.tokens = namesOf(like);
  source.x = drawnInput({1, c.seqLen, c.dModel}, draws);
  Weights& w = document.weights;
  for (Tensor* matrix : {&w.wQ, &w.wK, &w.wV, &w.wO}) {
    *matrix = drawnMatrix({c.dModel, c.dModel}, entries, draws);
  }
  for (Tensor* bias : {&w.bQ, &w.bK, &w.bV, &w.bO}) *bias = Tensor::zeros(bias->shape());
  document.pins = {};
  document.weightSource.loadedFrom = source.name;
  document.inputEdited = document.weightsEdited = false;
  Input input;
  input.x = source.x;
  input.tokens = {source.tokens};
  document.input = std::make_shared<const Input>(std::move(input));
  document.source = std::make_shared<const InputSource>(std::move(source));
  document.preset.clear();
  return std::make_shared<const Document>(std::move(document));
}

}  // namespace

std::string worksheetProblem(const Document& like) {
  constexpr Index kMostTokens = 6, kMostWidth = 12, kMostHeads = 4;
  const AttentionConfig& c = like.config;
  AttentionConfig plain;
  plain.dModel = c.dModel;
  plain.numHeads = plain.numKvHeads = c.numHeads;
  plain.headDim = c.dKDivides() ? c.headDim : 0;
  plain.seqLen = c.seqLen;
  plain.switches->bias = c.switches->bias;
  plain.mask = c.mask;
  if (!(c == plain)) {
    return "A worksheet is of a plain layer: one text, self-attention with as many key heads as "
           "heads, ÷ √d_k, and no switch but the mask.";
  }
  if (c.seqLen < 2 || c.seqLen > kMostTokens || c.dModel < 2 || c.dModel > kMostWidth ||
      c.numHeads > kMostHeads) {
    return fmt::format(
        "A worksheet has 2 to {} tokens, d_model from 2 to {} and up to {} heads; this layer has "
        "{} "
        "tokens, d_model {} and {} heads.",
        withThousands(kMostTokens), kMostWidth, kMostHeads, withThousands(c.seqLen), c.dModel,
        c.numHeads);
  }
  for (Index row = 0; row < c.seqLen; ++row) {
    if (!allowedKeys(c.mask, 0, row, c.seqLen).any()) {
      return fmt::format("A worksheet needs a key for every query: the mask leaves token {} none.",
                         row + 1);
    }
  }
  return {};
}

DocumentPtr worksheetDocument(std::uint64_t seed, const Document& like) {
  if (const std::string problem = worksheetProblem(like); !problem.empty()) {
    throw UserError(problem);
  }
  constexpr Index kMostAttempts = 10'000;  // one in some dozens fits
  for (const Index entries : {2, 1}) {
    for (Index attempt = 0; attempt < kMostAttempts; ++attempt) {
      DocumentPtr document = drawn(seed, like, attempt, entries);
      const TracePtr trace = runAttention(document);
      if (saysSomething(*trace) && fitsPaper(*trace)) return document;
    }
  }
  throw UserError(fmt::format(
      "no numbers of seed {} fit on paper with these dimensions and this mask: take another seed",
      seed));
}

DocumentPtr byHandDocument() {
  return makePreset(presetByName("by-hand"), WeightSource{}, defaultMemoryBudget() / 8);
}

}  // namespace headscope
