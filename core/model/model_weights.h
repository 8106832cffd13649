// Model weights: the weights of a transformer, part by part, and the interface that reads them when
// they are needed. Matrices are (out, in), y = x Wᵀ + b, whatever layout the file has.
#pragma once

#include <vector>

#include "core/attention/head_norm.h"
#include "core/attention/pair_bias.h"
#include "core/attention/relative_scores.h"
#include "core/attention/steps/linear.h"
#include "core/attention/weights.h"
#include "core/model/model_config.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::model {

/// LayerNorm's gain and bias (D); RMSNorm's gain alone.
struct NormWeights {
  Tensor gain, bias;
};

struct Embedding {
  StoredMatrix tokens;                // (V, E); E is D but where a projection follows
  Tensor positions;                   // (rows, E), or (rows, D) behind the projection; may be empty
  Tensor types;                       // (token types, E); empty without
  NormWeights norm;                   // (E); empty without
  Tensor projection, projectionBias;  // (D, E), (D); empty without

  // Images have these in the place of `tokens`. Positions are those of the class and distillation
  // tokens, then those of the patches of `ImageInput::size`.
  Tensor patches, patchesBias;  // (D, channels · height · width), (D); the bias may be empty
  Tensor specials;              // (tokens before the patches, D)
};

struct FeedForward {
  PackedWeight gate, up, down;  // (F, D), (F, D), (D, F); gate is empty where it is not gated
  Tensor gateBias, upBias, downBias;
};

struct ExpertWeights {
  Tensor router, routerBias;  // (experts, D), (experts); the bias may be empty
  Tensor choiceBias;          // (experts): added where experts are chosen, not to their weights
  std::vector<FeedForward> each;
  FeedForward shared;  // that every token passes; empty without
};

/// The weights that compute the narrow vectors of latent attention.
struct LatentWeights {
  Tensor queries, queriesBias;  // (latent.queries, D); empty where queries need none
  NormWeights queriesNorm;
  Tensor keys, keysBias;  // (latent.keys + latent.rotated, D)
  NormWeights keysNorm;   // (latent.keys)
};

struct LayerWeights {
  /// The norms of the inputs of the two halves, or of the sums where norms follow these. In a
  /// parallel layer with one norm the second is empty.
  NormWeights attentionNorm, feedForwardNorm;
  NormWeights attentionOutputNorm, feedForwardOutputNorm;  // of the halves' outputs; empty without
  Weights attention;
  HeadNorm headNorm;
  std::vector<float> sinks;
  RelativeScores relative;
  PairBias pairBias;
  LatentWeights latent;
  FeedForward feedForward;  // empty where the layer has experts, or no network
  ExpertWeights experts;

  /// Adds to a layer's settings those that are weights.
  void complete(AttentionConfig& config) const;
  bool hasNetwork() const { return !feedForward.up.empty() || !experts.each.empty(); }
  Index bytes() const;
  /// Returns whether the networks are kept in the 16 bits of their file.
  bool keptInHalves() const;
};

/// The weights from the last hidden state to a logit for every token.
struct Readout {
  NormWeights norm;                 // the final one; empty where there is none
  Tensor transform, transformBias;  // (E, D), (E) of a masked-word head; empty without
  NormWeights transformNorm;        // empty without
  StoredMatrix decoder;             // (V, E), or (V, 2 D); empty: the embedding's
  Tensor bias;                      // (V); empty without
};

class WeightReader {
 public:
  virtual ~WeightReader() = default;
  /// Each function reads and converts its part on every call, from the files as they were when the
  /// model was opened. Throws UserError that names the file and the tensor, and the cell of a
  /// weight that is not finite.
  virtual Embedding embedding() const = 0;
  virtual LayerWeights layer(Index layer) const = 0;
  virtual Readout readout() const = 0;
  /// False for a model without a language-model head.
  virtual bool hasReadout() const = 0;
  /// The number of learned parameters. A tensor that several parts use counts once.
  virtual Index parameters() const = 0;
  /// Returns whether the files on the disk have changed since they were opened.
  virtual bool changedOnDisk() const = 0;
};

}  // namespace headscope::model
