// Direct logit attribution (Elhage et al. 2021, "A Mathematical Framework for Transformer
// Circuits"): the residual stream at a token is a sum of what the embedding, each head, each
// layer's attention bias and each feed-forward network wrote there. With the final norm's scale
// frozen at that token (where there is one) the logit of a word is linear in the stream, so each of
// them has its part in it, and the parts add up to the logit. Where a norm follows the attention of
// a layer, or a sum (BART), its scale is frozen too. A soft cap of the logits is not linear: the
// parts then add up to the logit before the cap.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/stream_parts.h"

namespace headscope::model {

struct LogitParts {
  std::vector<WrittenPart> parts;  // in the order of the pass; heads layer by layer
  double sum = 0.0;                // of the parts
  double logit = 0.0;              // from the pass, before a cap; the sum but for rounding

  double headPart(Index layer, Index head) const;
};

/// The logit of a word at token `row`, or with `other` logit(word) − logit(other), as a reading of
/// the stream that leaves the last layer.
struct LogitReading {
  StreamReading stream;
  double normBias = 0.0, readoutBias = 0.0;  // its constants
};
/// The readings that add up to it: one for each place that the readout takes. Throws UserError as
/// logitParts does.
std::vector<LogitReading> logitReadings(const ModelTrace& trace, Index row, Index word,
                                        std::optional<Index> other);
/// The one reading of a model whose readout takes a single place. Throws UserError likewise, and as
/// requireOnePlace does.
LogitReading logitReading(const ModelTrace& trace, Index row, Index word,
                          std::optional<Index> other);

/// The parts of a word's logit at token `row`, or with `other` of logit(word) − logit(other). Null
/// where `execution` was cancelled. Throws UserError where a norm stands in the readout (BERT,
/// ModernBERT), since the logit is then no sum of parts, and for a token or word that does not
/// exist.
std::optional<LogitParts> logitParts(const ModelTrace& trace, Index row, Index word,
                                     std::optional<Index> other, const ExecutionContext& execution);

/// The direct path of a change of the pass to a word's logit (or difference) at token `row`: past
/// all later layers, through the final norm with the scale of this pass, and the readout.
class DirectPath {
 public:
  /// Throws UserError as logitParts does. The trace must outlive this object.
  DirectPath(const ModelTrace& trace, Index row, Index word, std::optional<Index> other);
  /// Returns whether the logits of a model are sums of parts of one place's stream to which later
  /// layers only add, so that it has direct paths.
  static bool exists(const Model& model);
  /// The reason why a model has none: "norms follow the sums in this model".
  static std::string_view whyNone(const Model& model);

  /// The effect of a change of the residual stream at the token: (D).
  double ofStream(std::span<const float> change) const;
  /// The effect of a change of a head's output there: (d_k).
  double ofHead(HeadOfLayer head, std::span<const float> change) const;

 private:
  const ModelTrace& trace_;
  LogitReading reading_;
};

}  // namespace headscope::model
