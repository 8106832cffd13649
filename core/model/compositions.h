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

/// The composition scores of all pairs of heads in different layers.
class Compositions {
 public:
  /// Sets all scores to 0.
  explicit Compositions(const ModelConfig& config);

  /// Returns whether only value composition is defined: queries and keys are rotated or normalised
  /// per head, so that their product is no fixed matrix.
  bool valuesAlone() const { return valuesAlone_; }
  bool has(Composition kind) const { return !valuesAlone_ || kind == Composition::value; }
  /// Returns whether it is defined for the heads of a layer: the keys and values of cross-attention
  /// read the encoder's stream, not what earlier heads of the decoder write.
  bool has(Composition kind, Index into) const {
    const bool ofMemory = crossAttention_ && into % 2 == 1;
    return has(kind) && (!ofMemory || kind == Composition::query);
  }
  /// The score of a pair; `from` is in an earlier layer than `into`.
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

 private:
  /// Pairs are ordered by the later layer, the earlier one, the later head, the earlier one.
  std::size_t at(const HeadOfLayer& from, const HeadOfLayer& into) const {
    const Index layers = into.layer * (into.layer - 1) / 2 + from.layer;
    return static_cast<std::size_t>((layers * heads_ + into.head) * heads_ + from.head);
  }
  /// Calls `visit` for each pair for which `kind` is defined.
  template <typename Visit>
  void eachPair(Composition kind, const Visit& visit) const;

  Index layers_, heads_;
  bool valuesAlone_, crossAttention_;
  std::array<std::vector<float>, kCompositions> scores_;
};

/// The floating-point operations of composeHeads: twice its multiply-adds.
double compositionFlops(const ModelConfig& config);

/// Computes the scores from the model's own weights. Norms of products are computed through (d_k,
/// d_k) matrices, without any (D, D) matrix. The bits do not depend on the number of threads.
/// Returns nothing where cancelled. Throws UserError where a product of weights overflows.
std::optional<Compositions> composeHeads(const Model& model, const ExecutionContext& execution);

}  // namespace headscope::model
