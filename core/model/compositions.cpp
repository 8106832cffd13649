#include "core/model/compositions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/model/overflow.h"
#include "core/tensor/gemm.h"

namespace headscope::model {
namespace {

/// Sum over all cells of a ∘ b.
double dot(const ConstMatrixView& a, const ConstMatrixView& b) {
  double sum = 0.0;
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.cols; ++j) sum += double{a(i, j)} * double{b(i, j)};
  }
  return sum;
}

/// a aᵀ.
Tensor gram(const ConstMatrixView& a) {
  Tensor product = Tensor::uninitialised({a.rows, a.rows});
  gemm(a, a.transposed(), product.mutableMatrix());
  return product;
}

/// Returns W · diag(gain), or W itself where there is no gain.
Tensor gained(const Tensor& w, const Tensor& gain) {
  if (gain.empty()) return w;
  Tensor product = w.clone();
  const std::vector<float> factors = gain.values();
  for (Index row = 0; row < w.dim(0); ++row) {
    const std::span<float> cells = product.mutableMatrix().row(row);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] *= factors[i];
  }
  return product;
}

/// A layer's projections as they read the residual stream, with the matrices that the norms of each
/// head need.
struct ReadingLayer {
  Tensor wQ, wK, wV, wO;
  struct Head {
    Tensor queries, keys, values, outputs;  // (d_k, d_k): W_Q W_Qᵀ, …, W_Oᵀ W_O
    double queryKeyNorm = 0.0, outputValueNorm = 0.0;
  };
  std::vector<Head> heads;
};

/// The rows of a head in W_Q, W_K or W_V, or its columns in W_O, transposed.
ConstMatrixView rowsOf(const Tensor& w, Index head, Index dK) {
  return w.slice(0, head * dK, (head + 1) * dK).matrix();
}
ConstMatrixView columnsOf(const Tensor& wO, Index head, Index dK) {
  return wO.slice(1, head * dK, (head + 1) * dK).matrix();
}

/// Returns ‖Aᵀ M B‖ for M (d_k, d_k), from the Gram matrices of A and B: ‖Aᵀ M B‖² = ⟨(A Aᵀ) M, M
/// (B Bᵀ)⟩. Not finite where an operand is not.
double normBetween(const Tensor& gramA, const ConstMatrixView& m, const Tensor& gramB) {
  Tensor left = Tensor::uninitialised({m.rows, m.cols});
  Tensor right = Tensor::uninitialised({m.rows, m.cols});
  gemm(gramA.matrix(), m, left.mutableMatrix());
  gemm(m, gramB.matrix(), right.mutableMatrix());
  const double squared = dot(left.matrix(), right.matrix());
  return std::isfinite(squared) ? std::sqrt(std::max(0.0, squared)) : squared;
}

}  // namespace

Compositions::Compositions(const ModelConfig& c)
    : layers_(c.layers),
      heads_(c.heads),
      valuesAlone_(!c.plainScores()),
      crossAttention_(c.crossAttention) {
  const auto pairs = static_cast<std::size_t>(layers_ * (layers_ - 1) / 2 * heads_ * heads_);
  for (std::size_t kind = 0; kind < kCompositions; ++kind) {
    if (has(static_cast<Composition>(kind))) scores_[kind].resize(pairs);
  }
}

template <typename Visit>
void Compositions::eachPair(Composition kind, const Visit& visit) const {
  HeadOfLayer from, into;
  for (into.layer = 1; into.layer < layers_; ++into.layer) {
    if (!has(kind, into.layer)) continue;
    for (from.layer = 0; from.layer < into.layer; ++from.layer) {
      for (into.head = 0; into.head < heads_; ++into.head) {
        for (from.head = 0; from.head < heads_; ++from.head) visit(from, into);
      }
    }
  }
}

double Compositions::mean(Composition kind) const {
  double sum = 0.0;
  Index pairs = 0;
  eachPair(kind, [&](const HeadOfLayer& from, const HeadOfLayer& into) {
    sum += double{score(kind, from, into)};
    ++pairs;
  });
  return pairs == 0 ? 0.0 : sum / static_cast<double>(pairs);
}

namespace {

std::vector<ComposedHeads> largestOf(std::vector<ComposedHeads> pairs, std::size_t count) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const ComposedHeads& a, const ComposedHeads& b) {
    return a.score > b.score;
  });
  pairs.resize(std::min(count, pairs.size()));
  return pairs;
}

}  // namespace

std::vector<ComposedHeads> Compositions::strongest(Composition kind, std::size_t count) const {
  if (!has(kind)) return {};
  std::vector<ComposedHeads> pairs;
  eachPair(kind, [&](const HeadOfLayer& from, const HeadOfLayer& into) {
    pairs.push_back({from, into, kind, double{score(kind, from, into)}});
  });
  return largestOf(std::move(pairs), count);
}

std::vector<ComposedHeads> Compositions::strongestOf(const HeadOfLayer& head,
                                                     std::size_t count) const {
  std::vector<ComposedHeads> pairs;
  for (std::size_t k = 0; k < kCompositions; ++k) {
    const auto kind = static_cast<Composition>(k);
    if (!has(kind)) continue;
    HeadOfLayer other;
    for (other.layer = 0; other.layer < layers_; ++other.layer) {
      if (other.layer == head.layer) continue;
      const bool before = other.layer < head.layer;
      if (!has(kind, before ? head.layer : other.layer)) continue;
      for (other.head = 0; other.head < heads_; ++other.head) {
        const HeadOfLayer& from = before ? other : head;
        const HeadOfLayer& into = before ? head : other;
        pairs.push_back({from, into, kind, double{score(kind, from, into)}});
      }
    }
  }
  return largestOf(std::move(pairs), count);
}

double compositionFlops(const ModelConfig& c) {
  const auto pairs = static_cast<double>(c.layers) * static_cast<double>(c.layers - 1) / 2.0;
  const auto width = static_cast<double>(c.heads * c.headDim);
  const double kinds = c.plainScores() ? 3.0 : 1.0;
  return pairs * kinds * 2.0 * width * width * static_cast<double>(c.dModel + 2 * c.headDim);
}

namespace {

/// Composes a layer's heads with those of every earlier layer. Its functions are called in the
/// order of composeHeads.
class Composing {
 public:
  Composing(const Model& model, Compositions& into) : model_(model), into_(into) {}

  void beginLayer(Index layer) {
    const ModelConfig& c = model_.config();
    layer_ = layer;
    const LayerWeightsPtr weights = model_.layer(layer);
    const Tensor gain = c.preNorm ? weights->attentionNorm.gain : Tensor();
    const Weights& w = weights->attention;
    reads_ = {gained(w.wQ, gain), gained(w.wK, gain), gained(w.wV, gain), w.wO, {}};
    reads_.heads.resize(static_cast<std::size_t>(c.heads));
  }

  void readHead(Index head) {
    const ModelConfig& c = model_.config();
    const Index group = groupOf(head);
    ReadingLayer::Head& of = reads_.heads[static_cast<std::size_t>(head)];
    of.queries = gram(rowsOf(reads_.wQ, head, c.headDim));
    of.keys = gram(rowsOf(reads_.wK, group, c.headDim));
    of.values = gram(rowsOf(reads_.wV, group, c.headDim));
    of.outputs = gram(columnsOf(reads_.wO, head, c.headDim).transposed());
    // ‖AᵀB‖² = ⟨A Aᵀ, B Bᵀ⟩
    of.queryKeyNorm = std::sqrt(dot(of.queries.matrix(), of.keys.matrix()));
    of.outputValueNorm = std::sqrt(dot(of.outputs.matrix(), of.values.matrix()));
    requireInRange(of.queryKeyNorm, {layer_, head});
    requireInRange(of.outputValueNorm, {layer_, head});
  }

  void beginWith(Index earlier) { wO_ = model_.layer(earlier)->attention.wO; }

  /// Composes all heads of an earlier layer with one head of this layer.
  void compose(Index earlier, HeadOfLayer into, Composition kind) {
    if (!into_.has(kind, into.layer)) return;
    const Index headDim = model_.config().headDim;
    const Writing& wrote = writings_[static_cast<std::size_t>(earlier)];
    const ReadingLayer::Head& head = reads_.heads[static_cast<std::size_t>(into.head)];
    // the reading matrix, its partner, and the norm of their product
    const bool query = kind == Composition::query, value = kind == Composition::value;
    const Tensor& w = query ? reads_.wQ : value ? reads_.wV : reads_.wK;
    const Tensor& other = query ? head.keys : value ? head.outputs : head.queries;
    const double norm = value ? head.outputValueNorm : head.queryKeyNorm;
    Tensor m = Tensor::uninitialised({headDim, wO_.dim(1)});
    gemm(rowsOf(w, query ? into.head : groupOf(into.head), headDim), wO_.matrix(),
         m.mutableMatrix());
    for (std::size_t h = 0; h < wrote.norms.size(); ++h) {
      const double both = norm * wrote.norms[h];
      if (both == 0.0) continue;
      const auto from = static_cast<Index>(h);
      const double between = normBetween(other, columnsOf(m, from, headDim), wrote.values[h]);
      requireInRange(between, into);
      into_.set(kind, {earlier, from}, into, static_cast<float>(between / both));
    }
  }

  void endLayer() {
    Writing& writes = writings_.emplace_back();
    for (const ReadingLayer::Head& head : reads_.heads) {
      writes.values.push_back(head.values);
      writes.norms.push_back(head.outputValueNorm);
    }
  }

 private:
  struct Writing {
    std::vector<Tensor> values;  // one per head, and their norms
    std::vector<double> norms;
  };

  void requireInRange(double norm, const HeadOfLayer& head) const {
    if (std::isfinite(norm)) return;
    refuseOverflow(fmt::format("the products of the weights of layer {}, head {} of {}",
                               head.layer + 1, head.head + 1, model_.name()));
  }

  /// The key/value head of a query head.
  Index groupOf(Index head) const {
    return head / (model_.config().heads / model_.config().kvHeads);
  }

  const Model& model_;
  Compositions& into_;
  Index layer_ = 0;  // the layer whose heads read
  ReadingLayer reads_;
  Tensor wO_;                      // of the earlier layer
  std::vector<Writing> writings_;  // of the layers before
};

}  // namespace

std::optional<Compositions> composeHeads(const Model& model, const ExecutionContext& execution) {
  const ModelConfig& c = model.config();
  if (c.latent.on()) {
    throw UserError(
        fmt::format("the heads of {} read narrow normalised vectors, not the stream (latent "
                    "attention), so no fixed matrices compose",
                    model.name()));
  }
  const ScopedThreadLimit threads(threadsFor(kFlopsPerThread * 64, execution.threads));
  constexpr auto kKinds = static_cast<Index>(kCompositions);
  Compositions compositions(c);
  Composing work(model, compositions);
  for (Index layer = 0; layer < c.layers; ++layer) {
    work.beginLayer(layer);
    parallelFor(c.heads, execution, [&](Index head) { work.readHead(head); });
    for (Index earlier = 0; earlier < layer && !execution.stop(); ++earlier) {
      work.beginWith(earlier);
      parallelFor(c.heads * kKinds, execution, [&](Index piece) {
        work.compose(earlier, {layer, piece / kKinds}, static_cast<Composition>(piece % kKinds));
      });
    }
    if (execution.stop()) return std::nullopt;
    work.endLayer();
  }
  return compositions;
}

}  // namespace headscope::model
