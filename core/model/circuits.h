// Circuits: what a head's weights do without any text (Elhage et al. 2021, "A Mathematical
// Framework for Transformer Circuits"). W_QK = W_Qᵀ W_K says which stream asks for which, W_OV =
// W_O W_V what a head writes for what it reads. Both have rank d_k at most and are never made
// whole.
//
// Where a norm precedes a layer, its gain is folded into W_Q, W_K and W_V, and for LayerNorm its
// centring; the final norm likewise into the unembedding. Divisions by a deviation, biases, norms
// of queries and keys, rotations (W_QK is that of equal positions) and networks are left out.
//
// The keys and values of cross-attention read the encoder's stream: its final norm is folded into
// W_K and W_V, and their tokens are those of the source. The encoder of a model is a model itself.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/attention/places.h"
#include "core/base/execution.h"
#include "core/model/model.h"
#include "core/model/prediction.h"

namespace headscope::model {

/// The sentence that says why queries and keys have no fixed circuit in a model, so that heads
/// compose through values alone; empty where they have.
std::string_view whyNoFixedScores(const ModelConfig& config);

/// The circuits of one head.
struct HeadCircuits {
  HeadOfLayer head;
  std::vector<double> qk, ov;  // singular values (d_k), in descending order
  /// Σ Re λ / Σ |λ| over the eigenvalues of W_U W_OV W_E, −1 to 1: above 0 where the head raises
  /// the logit of the tokens that it reads (copying); nothing for a model without a readout, and
  /// for cross-attention between two vocabularies.
  std::optional<double> copying;
};

/// Computes the circuits of all heads. Returns nothing where cancelled. Throws UserError for latent
/// attention, whose heads do not read the stream.
std::optional<std::vector<HeadCircuits>> headCircuits(const Model& model,
                                                      const ExecutionContext& execution);

/// A token and its part in a direction.
struct DirectionToken {
  Index id = 0;
  double value = 0.0;
};

/// A pair of singular directions, as the tokens at one of its two ends.
struct TokenDirection {
  double singularValue = 0.0;
  bool positive = true;  // the end; both sides have one sign
  /// W_QK: the tokens that ask and those that they ask for. W_OV: the tokens that are read and
  /// those whose logits rise.
  std::vector<DirectionToken> from, to;
};

struct HeadDirections {
  std::vector<TokenDirection> qk, ov;  // two ends of each of the largest singular values
};

/// The largest directions of a head as tokens, `count` singular values with `tokens` tokens each.
/// Throws UserError as headCircuits does, and for a head that does not exist.
HeadDirections headDirections(const Model& model, HeadOfLayer head, Index count, Index tokens,
                              const ExecutionContext& execution);

}  // namespace headscope::model
