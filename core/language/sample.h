// Sample: a text that a language model writes, token by token.
#pragma once

#include <string>
#include <string_view>

#include "core/language/corpus.h"
#include "core/model/generation.h"

namespace headscope::language {

/// Continues `beginning` by at most `tokens` tokens, within the model's positions; returns both as
/// text. Empty where cancelled. Throws UserError for a beginning that is too long.
std::string sampleOf(const model::ModelPtr& model, const Corpus& corpus, std::string_view beginning,
                     Index tokens, const model::Sampling& sampling,
                     const ExecutionContext& execution);

}  // namespace headscope::language
