// Match parts: what each writer of an encoder's residual stream adds to a CLIP's match. The cosine
// of an image and a text is linear in the stream at the place where an encoder is read, once the
// final norm's scale there and the length of the projection are held as they were in the pass, and
// the other half is. Its parts then add up to the cosine, as those of a logit (logit_parts.h).
#pragma once

#include <optional>
#include <vector>

#include "core/model/stream_parts.h"
#include "core/model/two_encoders.h"

namespace headscope::model {

struct MatchParts {
  double cosine = 0.0;
  std::vector<WrittenPart> image,
      text;  // in the order of the pass; each list adds up to the cosine
};

/// None where `execution` was cancelled. Throws UserError for a text without the token that ends
/// it.
std::optional<MatchParts> matchParts(const TwoEncoders& encoders, const ModelTrace& image,
                                     const ModelTrace& text, const ExecutionContext& execution);

}  // namespace headscope::model
