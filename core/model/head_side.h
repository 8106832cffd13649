// Head side: a head's query, key or value at one token as a linear function of the residual stream
// there, with every norm held as it was in the pass: the layer's norm, projection, bias, the norm
// of queries and keys, rotation. Keys and values of cross-attention are functions of the stream
// that leaves the encoder's last layer.
#pragma once

#include <vector>

#include "core/model/stream_parts.h"

namespace headscope::model {

enum class Side { query, key, value };

/// A side of a head at a place. `trace` is the decoder's pass, `stack` that of the head.
struct HeadSide {
  Stack stack = Stack::decoder;
  HeadOfLayer head = {};
  Index place = 0;  // of a key or value of cross-attention in the source text
  Side side = Side::query;
};

/// The parts of the stream that a side reads.
StreamParts streamRead(const ModelTrace& trace, const HeadSide& of,
                       const ExecutionContext& execution = {});
/// The parts of the head's vector, (writers, d_k), from those of the stream that it reads; the
/// first row holds the constants. Throws UserError for a layer with a planted mistake.
Matrix64 throughSide(const ModelTrace& trace, const HeadSide& of, const Matrix64& parts);
/// A direction in the head's vector (d_k) as a reading of that stream.
StreamReading readingOfSide(const ModelTrace& trace, const HeadSide& of, std::vector<double> along);

}  // namespace headscope::model
