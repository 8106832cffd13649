// Sample: a text that a language model writes, token by token.
#pragma once

#include <string>
#include <string_view>

#include "core/language/corpus.h"
#include "core/model/generation.h"

namespace headscope::language {

/// Continues `beginning` by at most `tokens` tokens, within the model's positions; returns both as
/// text, stories as people write them (story_text.h). A beginning that takes more than half of the
/// positions is cut. Empty where cancelled.
std::string sampleOf(const model::ModelPtr& model, const Corpus& corpus, std::string_view beginning,
                     Index tokens, const model::Sampling& sampling,
                     const ExecutionContext& execution);

}  // namespace headscope::language
