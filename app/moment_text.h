// Moment text: the text of a model's moment as tokens, or as ids where its folder has no tokenizer;
// of a model of images its picture as patches.
#pragma once

#include <filesystem>
#include <memory>
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

/// A picture as a model is shown it, and as its input.
struct ShownPicture {
  std::shared_ptr<const formats::Picture> picture;
  model::ModelInput input;
};
/// Resizes and cuts a whole picture as the model's folder says.
ShownPicture shownTo(const model::Model& model, const std::filesystem::path& folder,
                     const formats::Picture& whole);

/// The names by which all pages show tokens: "·cat" with a space before it, "?" for a byte's token.
std::vector<std::string> shownNames(const std::vector<Index>& ids,
                                    const tokenizer::Tokenizer& tokenizer);

}  // namespace headscope
