// Model weights: the weights of a transformer, part by part, and the interface that reads them when
// they are needed. Matrices are (out, in), y = x Wᵀ + b, whatever layout the file has.
#pragma once

#include "core/attention/head_norm.h"
#include "core/attention/steps/linear.h"
#include "core/attention/weights.h"
#include "core/model/model_config.h"

namespace headscope::model {

/// LayerNorm's gain and bias (D); RMSNorm's gain alone.
struct NormWeights {
  Tensor gain, bias;
};

struct Embedding {
  Tensor tokens;     // (V, D)
  Tensor positions;  // (rows, D); empty without learned ones
  Tensor types;      // (token types, D); empty without
  NormWeights norm;  // empty without
};

struct FeedForward {
  PackedWeight gate, up, down;  // (F, D), (F, D), (D, F); gate is empty where it is not gated
  Tensor gateBias, upBias, downBias;
};

struct LayerWeights {
  NormWeights attentionNorm, feedForwardNorm;
  Weights attention;
  HeadNorm headNorm;
  FeedForward feedForward;

  Index bytes() const;  // as float32
};

/// The weights from the last hidden state to a logit for every token.
struct Readout {
  NormWeights norm;                 // the final one; empty where there is none
  Tensor transform, transformBias;  // (D, D), (D) of a masked-word head; empty without
  NormWeights transformNorm;
  Tensor decoder;  // (V, D); empty: the embedding's
  Tensor bias;     // (V); empty without
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
  /// Returns whether the readout's matrix is the model's own, not the embedding.
  virtual bool ownDecoder() const = 0;
  /// Returns whether the files on the disk have changed since they were opened.
  virtual bool changedOnDisk() const = 0;
};

}  // namespace headscope::model
