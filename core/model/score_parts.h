// Score parts: why a head attends where it does. A score is a bilinear function of the residual
// stream at the query and at the key, so with every norm held as it was in the pass it is an exact
// sum over pairs of writers: what wrote into the query × what wrote into the key (Elhage et al.
// 2021). Projections, biases, the norms of queries and keys, rotations and the factor of the scores
// are part of it. In cross-attention the keys' writers are those of the encoder's last state.
//
// `trace` is the pass of a decoder, or of a model's only stack; a head of the encoder is named by
// its stack.
#pragma once

#include <optional>
#include <vector>

#include "core/model/stream_parts.h"

namespace headscope::model {

struct ScoreParts {
  HeadOfLayer head;
  Index query = 0, key = 0;
  std::vector<Writer> queries, keys;  // of the rows and columns
  Matrix64 values;                    // (queries, keys)
  double bias = 0.0;                  // added to their sum: the pair's bias, minus ALiBi's penalty
  double sum = 0.0;                   // of all values and the bias
  double score = 0.0;  // of the pass, before a soft cap and the mask; the sum but for rounding
  Stack stack = Stack::decoder;  // of the head
};

/// The sums of a score's values by what they are about: content alone, content with a position,
/// positions alone (learned positions and relative ones; rotations are part of every value).
struct ContentAndPosition {
  double content = 0.0, mixed = 0.0, position = 0.0;
};
/// Returns nothing where no position writes: a bias of distances (T5), or a rotation, is then all
/// that a score has of the places.
std::optional<ContentAndPosition> contentAndPosition(const ScoreParts& score);

/// A score by the writers of its query alone, or of its key: each sums over all of the other side.
std::vector<WrittenPart> partsOfQuery(const ScoreParts& score);
std::vector<WrittenPart> partsOfKey(const ScoreParts& score);

/// Takes apart the score of a query and a key. Throws UserError for a head or place that does not
/// exist and for a layer with a planted mistake.
ScoreParts scoreParts(const ModelTrace& trace, HeadOfLayer head, Index query, Index key,
                      const ExecutionContext& execution = {}, Stack stack = Stack::decoder);

/// The query and the key of a score as a pass multiplies them, (d_k) each, and the factor that
/// their product is multiplied by. Positions relative to each other and biases are left out.
struct ScoredPair {
  std::vector<double> query, key;
  double factor = 1.0;
};
ScoredPair scoredPair(const ModelTrace& trace, const ScoreParts& score);

/// The score as a reading of the stream at the query, with the key held, and the other way round;
/// with `writer`, only with the other side's part by that writer. The bias is left out.
StreamReading readingOfQuery(const ModelTrace& trace, HeadOfLayer head, Index query, Index key,
                             const std::optional<Writer>& writer = {},
                             Stack stack = Stack::decoder);
StreamReading readingOfKey(const ModelTrace& trace, HeadOfLayer head, Index query, Index key,
                           const std::optional<Writer>& writer = {}, Stack stack = Stack::decoder);

/// The addition of a head of the reading's stack to the number that is read, at the reading's
/// place, token by token: weight × value, through W_O and the norms in between.
struct HeadSources {
  HeadOfLayer head;
  std::vector<double> weights, values;  // (M): of each token that is attended to
  double sum = 0.0;                     // of the values: the head's part of the reading
  Stack tokens = Stack::decoder;        // whose tokens they are
};
HeadSources headSources(const ModelTrace& trace, const StreamReading& reading, HeadOfLayer head);

/// One of these values as a reading of the stream at its token, with the weight held.
StreamReading readingOfValue(const ModelTrace& trace, const StreamReading& reading,
                             HeadOfLayer head, Index source);

}  // namespace headscope::model
