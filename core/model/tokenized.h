// Tokenized: a text as a model's input.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/model/model_trace.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::model {

/// Returns the ids of tokens, their names ("Ġthe") and, where the model has them, their types.
ModelInput inputOf(const std::vector<tokenizer::Token>& tokens,
                   const tokenizer::Tokenizer& tokenizer, const ModelConfig& config);

/// The input of a decoder for the tokens of a target text: its start token before them, and without
/// the end token, which is to be predicted. Throws UserError where the model names no start token.
ModelInput targetOf(const std::vector<tokenizer::Token>& tokens,
                    const tokenizer::Tokenizer& tokenizer, const Model& model);
/// The token with which the texts of a decoder begin. Throws UserError where the model names none.
Index startToken(const Model& model);

/// The longest prefix of a text that has at most `most` tokens, the special tokens around it
/// included. It ends at the end of a token. Empty where not even one token fits.
std::string_view firstTokens(std::string_view text, const tokenizer::Tokenizer& tokenizer,
                             Index most);

/// The names of ids that are given directly. Empty where an id belongs to no token.
std::vector<std::string> namesOf(const std::vector<Index>& ids,
                                 const tokenizer::Tokenizer& tokenizer);

/// The name of a token of an input: a patch of an image, or a token of a text, without a tokenizer
/// its id.
std::string nameAt(const ModelInput& input, Index place, const tokenizer::Tokenizer* tokenizer);

/// Returns the id of a token given as its id or as a text that is one token. Throws UserError where
/// the text is several tokens, or none that the vocabulary knows. `tokenizer` may be null: only ids
/// are accepted then.
Index oneToken(std::string_view text, const tokenizer::Tokenizer* tokenizer);

/// The name of what a model predicts by an id: a classifier's label, or a token; empty where
/// neither has one. `tokenizer` may be null.
std::string predictedName(Index id, const ModelConfig& config,
                          const tokenizer::Tokenizer* tokenizer);
/// Returns the id of a label given by its name or id, or of a token as oneToken does.
Index onePredicted(std::string_view text, const ModelConfig& config,
                   const tokenizer::Tokenizer* tokenizer);

/// The mask token ("[MASK]", "<mask>"), if the tokenizer has one.
std::optional<Index> maskToken(const tokenizer::Tokenizer& tokenizer);
/// The token whose prediction is read where none is named: the last one; of a text that hides words
/// from a model without a causal mask the first mask token; of an image the first token.
/// `tokenizer` may be null.
Index readPlace(const ModelTrace& trace, const tokenizer::Tokenizer* tokenizer);

}  // namespace headscope::model
