// Compositions: how strongly a later head reads the output of an earlier head from the residual
// stream, computed from the weights alone (Elhage et al. 2021, "A Mathematical Framework for
// Transformer Circuits").
//
// A head has W_QK = W_Qᵀ W_K and W_OV = W_O W_V (D, D). For head h₁ in an earlier layer and h₂ in a
// later one:
//   query  ‖W_QK₂ᵀ W_OV₁‖ / (‖W_QK₂‖ ‖W_OV₁‖)    the output of h₁ enters the queries of h₂
//   key    ‖W_QK₂  W_OV₁‖ / (‖W_QK₂‖ ‖W_OV₁‖)    it enters the keys of h₂: a previous-token head
//                                                  into an induction head
//   value  ‖W_OV₂  W_OV₁‖ / (‖W_OV₂‖ ‖W_OV₁‖)    it enters the values of h₂
// The norms are Frobenius norms. Scores are at most 1, and 0 where nothing is read. Where a norm
// precedes a layer, its gain is part of W_Q, W_K and W_V. The scores leave out the norm's division
// by the deviation, biases, feed-forward networks and norms that follow a sum.
//
// In a model with an encoder and a decoder, heads compose within each stack, and those of the
// encoder with the keys and values of cross-attention, which read the encoder's stream behind its
// final norm. The gain of that norm is then part of W_K and W_V.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/base/execution.h"
#include "core/model/model_document.h"

namespace headscope::model {

enum class Composition { query, key, value };
inline constexpr std::size_t kCompositions = 3;

struct ComposedHeads {
  HeadOfLayer from, into;
  Composition kind = Composition::key;
  double score = 0.0;
};

/// The composition scores of all pairs of heads of which one writes a stream that the other reads.
class Compositions {
 public:
  /// Makes room for the scores of heads in different layers of one stack; all begin as 0.
  explicit Compositions(const ModelConfig& config);
  /// Makes room for the scores of an encoder's heads with those of cross-attention.
  Compositions(const ModelConfig& encoder, const ModelConfig& decoder);

  /// Returns whether only value composition is defined: queries and keys are rotated or normalised
  /// per head, so that their product is no fixed matrix.
  bool valuesAlone() const { return valuesAlone_; }
  bool has(Composition kind) const {
    if (valuesAlone_) return kind == Composition::value;
    return !across_ || kind != Composition::query;
  }
  /// Returns whether it is defined for the heads of a layer: the keys and values of cross-attention
  /// read the encoder's stream, all others that of their own stack.
  bool has(Composition kind, Index into) const {
    const bool ofMemory = crossAttention_ && into % 2 == 1 && kind != Composition::query;
    return has(kind) && ofMemory == across_;
  }
  /// The score of a pair; `from` is in an earlier layer than `into`, or in the encoder.
  float score(Composition kind, const HeadOfLayer& from, const HeadOfLayer& into) const {
    return scores_[static_cast<std::size_t>(kind)][at(from, into)];
  }
  void set(Composition kind, const HeadOfLayer& from, const HeadOfLayer& into, float score) {
    scores_[static_cast<std::size_t>(kind)][at(from, into)] = score;
  }
  /// The mean score over all pairs, for comparison with one pair; 0 where there are no pairs.
  double mean(Composition kind) const;
  /// The strongest pairs, at most `count`, in descending order; where scores are equal, earlier
  /// layers come first.
  std::vector<ComposedHeads> strongest(Composition kind, std::size_t count) const;
  /// The strongest pairs that one head is part of, over all kinds that the model has.
  std::vector<ComposedHeads> strongestOf(const HeadOfLayer& head, std::size_t count) const;
  /// The strongest pairs whose first, or whose second head is that one.
  std::vector<ComposedHeads> strongestFrom(const HeadOfLayer& head, std::size_t count) const;
  std::vector<ComposedHeads> strongestInto(const HeadOfLayer& head, std::size_t count) const;

 private:
  /// The number of layers before which a layer's heads can read.
  Index layersBefore(Index into) const { return across_ ? layersFrom_ : into; }
  /// Pairs are ordered by the reading layer, the writing one, the reading head, the writing one.
  std::size_t at(const HeadOfLayer& from, const HeadOfLayer& into) const {
    const Index before = across_ ? into.layer * layersFrom_ : into.layer * (into.layer - 1) / 2;
    const Index layers = before + from.layer;
    return static_cast<std::size_t>((layers * headsInto_ + into.head) * headsFrom_ + from.head);
  }
  /// Calls `visit` for each pair for which `kind` is defined.
  template <typename Visit>
  void eachPair(Composition kind, const Visit& visit) const;
  /// Adds the pair, once for each kind that it has.
  void addTo(std::vector<ComposedHeads>& pairs, const HeadOfLayer& from,
             const HeadOfLayer& into) const;
  std::vector<ComposedHeads> allFrom(const HeadOfLayer& head) const;
  std::vector<ComposedHeads> compositionsInto(const HeadOfLayer& head) const;

  Index layersFrom_, layersInto_, headsFrom_, headsInto_;
  bool valuesAlone_, crossAttention_, across_;
  std::array<std::vector<float>, kCompositions> scores_;
};

/// The floating-point operations of composing all heads of a model, also those of its encoder and
/// with it: twice the multiply-adds.
double compositionFlops(const Model& model);

/// Computes the scores from the model's own weights. Norms of products are computed through (d_k,
/// d_k) matrices, without any (D, D) matrix. The bits do not depend on the number of threads.
/// Returns nothing where cancelled. Throws UserError where a product of weights overflows.
std::optional<Compositions> composeHeads(const Model& model, const ExecutionContext& execution);
/// Likewise of the heads of a decoder's encoder with those of its cross-attention.
std::optional<Compositions> composeWithEncoder(const Model& decoder,
                                               const ExecutionContext& execution);

}  // namespace headscope::model
