// Compositions: how much of what a head writes into the residual stream a later head reads, from
// the weights alone (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits").
//
// With W_QK = W_Qᵀ W_K and W_OV = W_O W_V (D, D) of a head, of head h₁ in an earlier layer and h₂
// in a later one:
//   query  ‖W_QK₂ᵀ W_OV₁‖ / (‖W_QK₂‖ ‖W_OV₁‖)    what h₁ wrote decides what h₂ looks for
//   key    ‖W_QK₂  W_OV₁‖ / (‖W_QK₂‖ ‖W_OV₁‖)    … where h₂ finds it: a previous-token head into an
//                                                  induction head
//   value  ‖W_OV₂  W_OV₁‖ / (‖W_OV₂‖ ‖W_OV₁‖)    … what h₂ carries on
// Frobenius norms: 0 where nothing is read, at most 1. Where norms stand before a layer their gain
// is a part of its W_Q, W_K and W_V; that they divide by the deviation is left out, as are biases,
// the feed-forward networks and norms that follow a sum.
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

/// Of all pairs of heads in different layers.
class Compositions {
 public:
  /// All 0.
  explicit Compositions(const ModelConfig& config);

  /// Whether queries and keys are rotated or normalised per head on their way, so that their
  /// product is no fixed matrix: there is value composition alone.
  bool valuesAlone() const { return valuesAlone_; }
  bool has(Composition kind) const { return !valuesAlone_ || kind == Composition::value; }
  /// `from` is of an earlier layer than `into`.
  float score(Composition kind, const HeadOfLayer& from, const HeadOfLayer& into) const {
    return scores_[static_cast<std::size_t>(kind)][at(from, into)];
  }
  void set(Composition kind, const HeadOfLayer& from, const HeadOfLayer& into, float score) {
    scores_[static_cast<std::size_t>(kind)][at(from, into)] = score;
  }
  /// The mean over all pairs: what a pair is held against. 0 without one.
  double mean(Composition kind) const;
  /// The largest first, of equals those of earlier layers; at most `count`.
  std::vector<ComposedHeads> strongest(Composition kind, std::size_t count) const;
  /// Of the pairs of one head, of every kind there is.
  std::vector<ComposedHeads> strongestOf(const HeadOfLayer& head, std::size_t count) const;

 private:
  /// Pairs are ordered by the later layer, the earlier one, the later head, the earlier one.
  std::size_t at(const HeadOfLayer& from, const HeadOfLayer& into) const {
    const Index layers = into.layer * (into.layer - 1) / 2 + from.layer;
    return static_cast<std::size_t>((layers * heads_ + into.head) * heads_ + from.head);
  }
  template <typename Visit>
  void eachPair(const Visit& visit) const;

  Index layers_, heads_;
  bool valuesAlone_;
  std::array<std::vector<float>, kCompositions> scores_;
};

/// Multiply-adds × 2 that composeHeads takes.
double compositionFlops(const ModelConfig& config);

/// Computes them from the model's own weights. Norms of products are found through (d_k, d_k)
/// matrices: no (D, D) one is made. The bits do not depend on the number of threads. Nothing where
/// cancelled. Throws UserError where a product of weights overflows.
std::optional<Compositions> composeHeads(const Model& model, const ExecutionContext& execution);

}  // namespace headscope::model
