// Direct logit attribution (Elhage et al. 2021, "A Mathematical Framework for Transformer
// Circuits"): the residual stream at a token is a sum of what the embedding, each head, each
// layer's attention bias and each feed-forward network wrote there. With the final norm's scale
// frozen at that token (where there is one) the logit of a word is linear in the stream, so each of
// them has its part in it, and the parts add up to the logit. Where a norm follows the attention of
// a layer, or a sum (BERT), its scale is frozen too, and where a masked-word head follows the last
// layer, the factors of its activation and norm (frozen_readout.h). A soft cap of the logits is not
// linear: the parts then add up to the logit before the cap.
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
/// where `execution` was cancelled. Throws UserError for a token or word that does not exist.
std::optional<LogitParts> logitParts(const ModelTrace& trace, Index row, Index word,
                                     std::optional<Index> other, const ExecutionContext& execution);

/// The factors that stay as they were in the pass where a number is taken apart: "patterns and
/// norms", of a logit behind a masked-word head also its activation.
std::string_view heldInWords(const ModelConfig& config, bool ofLogit);

/// The direct path of a change of the pass to a word's logit (or difference) at token `row`: past
/// what later layers compute, and through the norms on the way with their factors of this pass.
class DirectPath {
 public:
  /// Throws UserError as logitParts does. The trace must outlive this object.
  DirectPath(const ModelTrace& trace, Index row, Index word, std::optional<Index> other);
  /// Returns whether the logits of a model are sums of parts of one place's stream.
  static bool exists(const Model& model);
  /// The reason why a model has none: "this model reads its labels from several tokens".
  static std::string_view whyNone();

  /// The effect of a change, (D), of what a layer's attention or network adds to the stream at the
  /// token. A change of the stream that enters the layer is as one of what its attention adds.
  double ofAddition(Index layer, bool network, std::span<const float> change) const;
  /// The effect of a change of a head's output there: (d_k).
  double ofHead(HeadOfLayer head, std::span<const float> change) const;

 private:
  /// The direction of the logit in what a layer's attention or network adds.
  const std::vector<double>& along(Index layer, bool network) const;

  const ModelTrace& trace_;
  LogitReading reading_;
  std::vector<std::vector<double>> along_;  // by layer and half; empty: the reading's everywhere
};

}  // namespace headscope::model
