// Moment text: the text of a model's moment as tokens, or as ids where its folder has no tokenizer.
#pragma once

#include <string>

#include "app/model_moment.h"

namespace headscope {

/// The text that a model begins with; ids for one without a tokenizer.
std::string firstText(const model::ModelConfig& config, bool hasTokenizer);
/// Cuts the moment's text to its first `most` tokens.
void cutToFit(ModelMoment& moment, Index most);
/// A text as the input of a model, or as the target of a decoder. Throws UserError for a text that
/// has no tokens.
model::ModelInput inputFor(const ModelMoment& moment, const std::string& text,
                           const model::Model& model);

/// The names by which all pages show tokens: "·cat" with a space before it, "?" for a byte's token.
std::vector<std::string> shownNames(const std::vector<Index>& ids,
                                    const tokenizer::Tokenizer& tokenizer);

}  // namespace headscope
