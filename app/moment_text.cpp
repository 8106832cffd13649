#include "app/moment_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/formats/attention_file.h"
#include "core/formats/pictures/image_processor.h"
#include "core/model/tokenized.h"

namespace headscope {
namespace {

constexpr Index kFirstIds = 16;  // the initial number of ids without a tokenizer

std::vector<Index> idsIn(const std::string& text) {
  std::vector<Index> ids;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    Index id = 0;
    const auto [rest, error] = std::from_chars(at, end, id);
    if (error != std::errc()) {
      throw UserError(
          tr("this folder has no tokenizer: give the ids of tokens, as 17, 4, 250; or put its "
             "tokenizer.json into the folder (of T5 spiece.model, of Marian source.spm, target.spm "
             "and vocab.json)"));
    }
    ids.push_back(id);
    at = rest;
  }
  return ids;
}

}  // namespace

std::string firstText(const model::ModelConfig& config, bool hasTokenizer) {
  if (!config.example.empty()) return config.example;
  if (hasTokenizer) return tr("The cat, which was very fluffy, slept by the warm fire.");
  std::string ids;
  for (Index id = 0; id < std::min(kFirstIds, config.vocabulary); ++id) {
    ids += fmt::format("{}{}", ids.empty() ? "" : ", ", id);
  }
  return ids;
}

void cutToFit(ModelMoment& moment, Index most) {
  if (moment.tokenizer != nullptr) {
    moment.text = std::string(model::firstTokens(moment.text, *moment.tokenizer, most));
    return;
  }
  std::vector<Index> ids = idsIn(moment.text);
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(most)));
  moment.text = fmt::format("{}", fmt::join(ids, ", "));
}

model::ModelInput inputFor(const ModelMoment& moment, const std::string& text,
                           const model::Model& model) {
  if (model.config().modelType == formats::kAttentionsAlone) {
    return formats::inputOfAttentionFile(model.config(), idsIn(text));
  }
  if (moment.tokenizer == nullptr) return {idsIn(text), {}, {}};
  const std::vector<tokenizer::Token> tokens = moment.tokenizer->encode(text);
  model::ModelInput input = model.config().crossAttention
                                ? targetOf(tokens, *moment.tokenizer, model)
                                : inputOf(tokens, *moment.tokenizer, model.config());
  input.tokens = shownNames(input.ids, *moment.tokenizer);
  return input;
}

ShownPicture shownTo(const model::Model& model, const std::filesystem::path& folder,
                     const formats::Picture& whole) {
  const model::ModelConfig& config = model.config();
  const formats::ImageProcessor processor = formats::imageProcessorOf(folder, config);
  auto picture = std::make_shared<const formats::Picture>(formats::shownPicture(processor, whole));
  auto input = imageInput(model, formats::pixelsOf(processor, *picture, config.image.channels));
  return {std::move(picture), std::move(input)};
}

std::vector<std::string> shownNames(const std::vector<Index>& ids,
                                    const tokenizer::Tokenizer& tokenizer) {
  std::vector<std::string> names;
  for (const Index id : ids) {
    names.push_back(tokenizer.inWords(static_cast<tokenizer::TokenId>(id)));
  }
  return names;
}

}  // namespace headscope
