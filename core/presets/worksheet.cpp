#include "core/presets/worksheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>

#include "core/base/memory_budget.h"
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

/// Two cells of each row are 1 or −1, the others 0.
Tensor drawnMatrix(const Shape& shape, Draws& draws) {
  Tensor w = Tensor::zeros(shape);
  const Index cols = shape[1];
  for (Index row = 0; row < shape[0]; ++row) {
    float* cells = w.mutableData() + row * cols;
    const Index first = draws.below(cols);
    const Index second = (first + 1 + draws.below(cols - 1)) % cols;
    cells[first] = 1.0F;
    cells[second] = draws.below(2) == 0 ? 1.0F : -1.0F;
  }
  return w;
}

/// Every token has three numbers that are not 0, and each head has a favourite at some token.
bool saysSomething(const Trace& trace) {
  constexpr Index kLeastNumbers = 3;
  constexpr float kFavourite = 0.6F;
  const AttentionConfig& c = trace.config();
  for (Index row = 0; row < c.seqLen; ++row) {
    const std::span<const float> cells = trace.tensor(TensorId::x).matrix({0}).row(row);
    if (std::ranges::count(cells, 0.0F) > c.dModel - kLeastNumbers) return false;
  }
  for (Index head = 0; head < c.numHeads; ++head) {
    const std::vector<float> shares = trace.tensor(TensorId::weights).values();
    const auto each = static_cast<std::ptrdiff_t>(c.seqLen * c.seqLen);
    if (*std::max_element(shares.begin() + head * each, shares.begin() + (head + 1) * each) <
        kFavourite) {
      return false;
    }
  }
  return true;
}

bool fitsPaper(const Trace& trace) {
  constexpr float kLargestScore = 8.0F, kLargestShare = 0.95F;
  const auto within = [&](TensorId id, float most) {
    const std::vector<float> cells = trace.tensor(id).values();
    return std::ranges::all_of(cells, [most](float cell) { return std::abs(cell) <= most; });
  };
  return within(TensorId::rawScores, kLargestScore) && within(TensorId::weights, kLargestShare);
}

DocumentPtr drawn(std::uint64_t seed, Index attempt) {
  Document document =
      *makePreset(presetByName("by-hand"), WeightSource{}, defaultMemoryBudget() / 8);
  Draws draws(seed, fmt::format("worksheet {}", attempt));
  TensorSource source = std::get<TensorSource>(*document.source);
  source.name = fmt::format("worksheet {}", seed);
  source.x = drawnInput(source.x.shape(), draws);
  Weights& w = document.weights;
  for (Tensor* matrix : {&w.wQ, &w.wK, &w.wV, &w.wO}) {
    *matrix = drawnMatrix(matrix->shape(), draws);
  }
  for (Tensor* bias : {&w.bQ, &w.bK, &w.bV, &w.bO}) *bias = Tensor::zeros(bias->shape());
  document.weightSource.loadedFrom = source.name;
  Input input = *document.input;
  input.x = source.x;
  document.input = std::make_shared<const Input>(std::move(input));
  document.source = std::make_shared<const InputSource>(std::move(source));
  document.preset.clear();
  return std::make_shared<const Document>(std::move(document));
}

}  // namespace

DocumentPtr worksheetDocument(std::uint64_t seed) {
  constexpr Index kMostAttempts = 10'000;  // one in some dozens fits
  for (Index attempt = 0; attempt < kMostAttempts; ++attempt) {
    DocumentPtr document = drawn(seed, attempt);
    const TracePtr trace = runAttention(document);
    if (saysSomething(*trace) && fitsPaper(*trace)) return document;
  }
  throw std::logic_error("no numbers of this seed fit on paper");
}

}  // namespace headscope
