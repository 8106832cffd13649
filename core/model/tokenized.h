// Tokenized: a text as a model is given it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/model/model_document.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::model {

/// Ids, names ("Ġthe") and, where the model has them, types of tokens.
ModelInput inputOf(const std::vector<tokenizer::Token>& tokens,
                   const tokenizer::Tokenizer& tokenizer, const ModelConfig& config);

/// The longest start of a text that has at most `most` tokens, those that stand around it counted;
/// it ends where one of its tokens does. Empty where not even one fits.
std::string_view firstTokens(std::string_view text, const tokenizer::Tokenizer& tokenizer,
                             Index most);

/// How ids that are taken as they are are called. Empty where an id is no token's.
std::vector<std::string> namesOf(const std::vector<Index>& ids,
                                 const tokenizer::Tokenizer& tokenizer);

/// A token as it is asked for: its id, or a text that is one token. Throws UserError where it is
/// several; `tokenizer` may be null: ids alone are known then.
Index oneToken(std::string_view text, const tokenizer::Tokenizer* tokenizer);

/// The token that stands for one to be guessed ("[MASK]", "<mask>"); none: there is no such.
std::optional<Index> maskToken(const tokenizer::Tokenizer& tokenizer);

}  // namespace headscope::model
