// Stream parts: the residual stream at one place as the sum of what wrote there: the token's
// embedding, its position, each earlier head, each earlier network, and biases (Elhage et al.
// 2021). Norms on the way keep the factor that they have in the pass, so that the sum is exact,
// also where norms follow the sums (BERT).
#pragma once

#include <string>
#include <vector>

#include "core/model/stacks.h"
#include "core/tensor/matrix64.h"

namespace headscope::model {

enum class WriterKind {
  token,            // the embedding of the token itself
  position,         // that of its place
  head,             // what one head writes, through its columns of W_O
  attentionBias,    // b_O
  feedForward,      // a network
  biases,           // of norms, and of the projections of a query, key or value
  normBias,         // of the final norm
  readoutBias,      // of the word
  steering,         // what steers the stream as it enters a layer
  relativePosition  // the position of a query or key seen from the other (DeBERTa)
};

struct Writer {
  WriterKind kind = WriterKind::token;
  Index layer = -1, head = -1;  // where it has one
  Stack stack = Stack::decoder;

  bool operator==(const Writer&) const = default;
};

/// "layer 3, head 5", "layer 3, FFN", "token embedding", …; layers and heads from 1. The
/// configuration is that of the decoder.
std::string inWords(const Writer& writer, const ModelConfig& config);

/// The stream of a stack that enters a layer at a place (layer L: that leaves the last one); with
/// `afterAttention` the one that leaves the layer's attention.
struct StreamParts {
  std::vector<Writer> writers;  // the biases, then the others in the order of the pass
  Matrix64 rows;                // (writers, D); they add up to the stream
};
/// Incomplete where `execution` was cancelled.
StreamParts streamParts(const ModelTrace& trace, Index layer, Index place,
                        const ExecutionContext& execution = {}, Stack stack = Stack::decoder,
                        bool afterAttention = false);

/// A writer's addition to a number that is linear in the stream.
struct WrittenPart : Writer {
  double value = 0.0;
};

/// A number that is linear in the stream that enters a layer of a stack at a place, or that leaves
/// the layer's attention: along · stream + constant.
struct StreamReading {
  Index layer = 0, place = 0;
  std::vector<double> along;  // (D)
  double constant = 0.0;
  Stack stack = Stack::decoder;
  bool afterAttention = false;

  /// Returns whether a layer's attention writes before it.
  bool follows(Index attention) const {
    return attention < layer || (afterAttention && attention == layer);
  }
};
/// The parts of such a number: the biases with its constant, then the others in the order of the
/// pass.
std::vector<WrittenPart> partsOf(const ModelTrace& trace, const StreamReading& reading,
                                 const ExecutionContext& execution = {});

/// The direction of a reading of this pass, as the direction in what head or network (`network`) of
/// an earlier layer adds at its place: through the norms in between.
std::vector<double> directionAtAddition(const ModelTrace& pass, const StreamReading& reading,
                                        Index earlier, bool network);

/// A direction in what a layer's attention adds at a place, as one in a head's output there: (d_k).
std::vector<double> throughHeadOutput(const ModelTrace& trace, HeadOfLayer head, Index place,
                                      std::vector<double> along);

}  // namespace headscope::model
