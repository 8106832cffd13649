// Generated: what a model writes behind a text, by the most probable token each time, by sampling
// or by a beam search, in words and as JSON.
#pragma once

#include <ostream>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/beam_search.h"

namespace headscope::cli {

/// How a text is continued.
struct Writing {
  Index most = 128;  // tokens
  model::Sampling sampling = {};
  Index beams = 0;  // of a beam search; 0: none
};

/// Tokens that continue a text.
struct Generated {
  std::vector<model::ChosenToken> tokens;
  Index cacheBytes = 0;
  bool ended = false;  // the last of them ends a text, or is forced to
  model::Beams beams;  // of a beam search, whose best path has these tokens
};
Generated continued(const model::ModelTracePtr& trace, const Writing& writing,
                    const ExecutionContext& execution);

/// `names` may be null: ids then name the tokens.
void addGenerated(Json& json, const Generated& made, const formats::TokenizerPtr& names);
/// `title`: "continued".
void printGenerated(std::ostream& out, std::string_view title, const Generated& made,
                    const Writing& writing, const formats::TokenizerPtr& names);

}  // namespace headscope::cli
