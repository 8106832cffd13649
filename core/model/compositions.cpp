#include "core/model/compositions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/translation.h"
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
    : layersFrom_(c.layers),
      layersInto_(c.layers),
      headsFrom_(c.heads),
      headsInto_(c.heads),
      valuesAlone_(!c.plainScores()),
      crossAttention_(c.crossAttention),
      across_(false) {
  const auto pairs = static_cast<std::size_t>(c.layers * (c.layers - 1) / 2 * c.heads * c.heads);
  for (std::size_t kind = 0; kind < kCompositions; ++kind) {
    if (has(static_cast<Composition>(kind))) scores_[kind].resize(pairs);
  }
}

Compositions::Compositions(const ModelConfig& encoder, const ModelConfig& decoder)
    : layersFrom_(encoder.layers),
      layersInto_(decoder.layers),
      headsFrom_(encoder.heads),
      headsInto_(decoder.heads),
      valuesAlone_(!decoder.plainScores()),
      crossAttention_(true),
      across_(true) {
  const Index pairs = encoder.layers * decoder.layers * encoder.heads * decoder.heads;
  for (std::size_t kind = 0; kind < kCompositions; ++kind) {
    if (has(static_cast<Composition>(kind))) scores_[kind].resize(static_cast<std::size_t>(pairs));
  }
}

template <typename Visit>
void Compositions::eachPair(Composition kind, const Visit& visit) const {
  HeadOfLayer from, into;
  for (into.layer = 0; into.layer < layersInto_; ++into.layer) {
    if (!has(kind, into.layer)) continue;
    for (from.layer = 0; from.layer < layersBefore(into.layer); ++from.layer) {
      for (into.head = 0; into.head < headsInto_; ++into.head) {
        for (from.head = 0; from.head < headsFrom_; ++from.head) visit(from, into);
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

void Compositions::addTo(std::vector<ComposedHeads>& pairs, const HeadOfLayer& from,
                         const HeadOfLayer& into) const {
  for (std::size_t k = 0; k < kCompositions; ++k) {
    const auto kind = static_cast<Composition>(k);
    if (has(kind, into.layer)) pairs.push_back({from, into, kind, double{score(kind, from, into)}});
  }
}

std::vector<ComposedHeads> Compositions::allFrom(const HeadOfLayer& head) const {
  std::vector<ComposedHeads> pairs;
  HeadOfLayer into;
  for (into.layer = across_ ? 0 : head.layer + 1; into.layer < layersInto_; ++into.layer) {
    for (into.head = 0; into.head < headsInto_; ++into.head) addTo(pairs, head, into);
  }
  return pairs;
}

std::vector<ComposedHeads> Compositions::compositionsInto(const HeadOfLayer& head) const {
  std::vector<ComposedHeads> pairs;
  HeadOfLayer from;
  for (from.layer = 0; from.layer < layersBefore(head.layer); ++from.layer) {
    for (from.head = 0; from.head < headsFrom_; ++from.head) addTo(pairs, from, head);
  }
  return pairs;
}

std::vector<ComposedHeads> Compositions::strongestOf(const HeadOfLayer& head,
                                                     std::size_t count) const {
  std::vector<ComposedHeads> pairs = compositionsInto(head);
  const std::vector<ComposedHeads> later = allFrom(head);
  pairs.insert(pairs.end(), later.begin(), later.end());
  return largestOf(std::move(pairs), count);
}

std::vector<ComposedHeads> Compositions::strongestFrom(const HeadOfLayer& head,
                                                       std::size_t count) const {
  return largestOf(allFrom(head), count);
}

std::vector<ComposedHeads> Compositions::strongestInto(const HeadOfLayer& head,
                                                       std::size_t count) const {
  return largestOf(compositionsInto(head), count);
}

namespace {

/// The operations for one pair of layers: products of all heads' matrices, a (width, D), b (D,
/// width).
double flopsOfLayers(const ModelConfig& from, const ModelConfig& into, double kinds) {
  const auto written = static_cast<double>(from.heads * from.headDim);
  const auto read = static_cast<double>(into.heads * into.headDim);
  return kinds * 2.0 * read * written *
         static_cast<double>(into.dModel + from.headDim + into.headDim);
}

double flopsWithin(const ModelConfig& c) {
  const auto pairs = static_cast<double>(c.layers) * static_cast<double>(c.layers - 1) / 2.0;
  return pairs * flopsOfLayers(c, c, c.plainScores() ? 3.0 : 1.0);
}

}  // namespace

double compositionFlops(const Model& model) {
  const ModelConfig& c = model.config();
  if (!c.crossAttention) return flopsWithin(c);
  const ModelConfig& encoder = model.encoder()->config();
  const auto pairs = static_cast<double>(encoder.layers) * static_cast<double>(c.depth());
  return flopsWithin(c) + flopsWithin(encoder) +
         pairs * flopsOfLayers(encoder, c, c.plainScores() ? 2.0 : 1.0);
}

namespace {

void requireInRange(double norm, const HeadOfLayer& head, const Model& model) {
  if (std::isfinite(norm)) return;
  refuseOverflow(trFormat("the products of the weights of {}, head {} of {}",
                          model.config().layerInWords(head.layer), head.head + 1, model.name()));
}

/// The key/value head of a query head.
Index groupOf(Index head, const ModelConfig& c) { return head / (c.heads / c.kvHeads); }

/// The gain of the norm through which keys and values read their stream; empty without.
Tensor gainOfKeys(const Model& model, Index layer, const Tensor& own) {
  return model.config().readsMemory(layer) ? model.encoder()->readout()->norm.gain : own;
}

ReadingLayer readLayer(const Model& model, Index layer, const ExecutionContext& execution) {
  const ModelConfig& c = model.config();
  const LayerWeightsPtr weights = model.layer(layer);
  const Tensor gain = c.preNorm ? weights->attentionNorm.gain : Tensor();
  const Tensor ofKeys = gainOfKeys(model, layer, gain);
  const Weights& w = weights->attention;
  ReadingLayer read{gained(w.wQ, gain), gained(w.wK, ofKeys), gained(w.wV, ofKeys), w.wO, {}};
  read.heads.resize(static_cast<std::size_t>(c.heads));
  parallelFor(c.heads, execution, [&](Index head) {
    const Index group = groupOf(head, c);
    ReadingLayer::Head& of = read.heads[static_cast<std::size_t>(head)];
    of.queries = gram(rowsOf(read.wQ, head, c.headDim));
    of.keys = gram(rowsOf(read.wK, group, c.headDim));
    of.values = gram(rowsOf(read.wV, group, c.headDim));
    of.outputs = gram(columnsOf(read.wO, head, c.headDim).transposed());
    // ‖AᵀB‖² = ⟨A Aᵀ, B Bᵀ⟩
    of.queryKeyNorm = std::sqrt(dot(of.queries.matrix(), of.keys.matrix()));
    of.outputValueNorm = std::sqrt(dot(of.outputs.matrix(), of.values.matrix()));
    requireInRange(of.queryKeyNorm, {layer, head}, model);
    requireInRange(of.outputValueNorm, {layer, head}, model);
  });
  return read;
}

/// Composes the heads of one layer, which read, with those of all layers that write what they read.
class Composing {
 public:
  Composing(const Model& writes, const Model& reads, Compositions& into)
      : writes_(writes), reads_(reads), into_(into) {}

  /// Adds the next layer to those that write. Its W_O is read again for each layer that reads.
  void addWriting(const ReadingLayer& layer) {
    Writing& writing = writings_.emplace_back();
    for (const ReadingLayer::Head& head : layer.heads) {
      writing.values.push_back(head.values);
      writing.norms.push_back(head.outputValueNorm);
    }
  }

  void composeAll(const ReadingLayer& read, Index layer, const ExecutionContext& execution) {
    constexpr auto kKinds = static_cast<Index>(kCompositions);
    for (Index earlier = 0; earlier < std::ssize(writings_) && !execution.stop(); ++earlier) {
      const Tensor wO = writes_.layer(earlier)->attention.wO;
      parallelFor(reads_.config().heads * kKinds, execution, [&](Index piece) {
        compose(read, wO, earlier, {layer, piece / kKinds},
                static_cast<Composition>(piece % kKinds));
      });
    }
  }

 private:
  struct Writing {
    std::vector<Tensor> values;  // one per head, and their norms
    std::vector<double> norms;
  };

  /// Composes all heads of an earlier layer with one head that reads.
  void compose(const ReadingLayer& read, const Tensor& wO, Index earlier, HeadOfLayer into,
               Composition kind) {
    if (!into_.has(kind, into.layer)) return;
    const Index headDim = reads_.config().headDim, ofWriter = writes_.config().headDim;
    const Writing& wrote = writings_[static_cast<std::size_t>(earlier)];
    const ReadingLayer::Head& head = read.heads[static_cast<std::size_t>(into.head)];
    // the reading matrix, its partner, and the norm of their product
    const bool query = kind == Composition::query, value = kind == Composition::value;
    const Tensor& w = query ? read.wQ : value ? read.wV : read.wK;
    const Tensor& other = query ? head.keys : value ? head.outputs : head.queries;
    const double norm = value ? head.outputValueNorm : head.queryKeyNorm;
    Tensor m = Tensor::uninitialised({headDim, wO.dim(1)});
    gemm(rowsOf(w, query ? into.head : groupOf(into.head, reads_.config()), headDim), wO.matrix(),
         m.mutableMatrix());
    for (std::size_t h = 0; h < wrote.norms.size(); ++h) {
      const double both = norm * wrote.norms[h];
      if (both == 0.0) continue;
      const auto from = static_cast<Index>(h);
      const double between = normBetween(other, columnsOf(m, from, ofWriter), wrote.values[h]);
      requireInRange(between, into, reads_);
      into_.set(kind, {earlier, from}, into, static_cast<float>(between / both));
    }
  }

  const Model& writes_;
  const Model& reads_;
  Compositions& into_;
  std::vector<Writing> writings_;
};

}  // namespace

std::optional<Compositions> composeHeads(const Model& model, const ExecutionContext& execution) {
  const ModelConfig& c = model.config();
  if (c.latent.on()) {
    throw UserError(
        trFormat("the heads of {} read narrow normalised vectors, not the stream (latent "
                 "attention), so no fixed matrices compose",
                 model.name()));
  }
  const ScopedThreadLimit threads(threadsFor(kFlopsPerThread * 64, execution.threads));
  Compositions compositions(c);
  Composing work(model, model, compositions);
  for (Index layer = 0; layer < c.layers; ++layer) {
    const ReadingLayer read = readLayer(model, layer, execution);
    work.composeAll(read, layer, execution);
    if (execution.stop()) return std::nullopt;
    work.addWriting(read);
  }
  return compositions;
}

std::optional<Compositions> composeWithEncoder(const Model& decoder,
                                               const ExecutionContext& execution) {
  const Model& encoder = *decoder.encoder();
  const ScopedThreadLimit threads(threadsFor(kFlopsPerThread * 64, execution.threads));
  Compositions compositions(encoder.config(), decoder.config());
  Composing work(encoder, decoder, compositions);
  for (Index layer = 0; layer < encoder.config().layers && !execution.stop(); ++layer) {
    work.addWriting(readLayer(encoder, layer, execution));
  }
  for (Index layer = 0; layer < decoder.config().layers && !execution.stop(); ++layer) {
    if (!decoder.config().readsMemory(layer)) continue;
    work.composeAll(readLayer(decoder, layer, execution), layer, execution);
  }
  if (execution.stop()) return std::nullopt;
  return compositions;
}

}  // namespace headscope::model
