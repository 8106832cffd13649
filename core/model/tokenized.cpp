#include "core/model/tokenized.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/base/utf8.h"

namespace headscope::model {

std::vector<std::string> namesOf(const std::vector<Index>& ids,
                                 const tokenizer::Tokenizer& tokenizer) {
  std::vector<std::string> names;
  for (const Index id : ids) {
    const bool known = id >= 0 && id < static_cast<Index>(tokenizer.end());
    names.push_back(known ? tokenizer.name(static_cast<tokenizer::TokenId>(id)) : std::string());
  }
  return names;
}

ModelInput inputOf(const std::vector<tokenizer::Token>& tokens,
                   const tokenizer::Tokenizer& tokenizer, const ModelConfig& config) {
  ModelInput input;
  for (const tokenizer::Token& token : tokens) {
    input.ids.push_back(token.id);
    if (config.tokenTypes > 0) input.types.push_back(token.type);
  }
  input.tokens = namesOf(input.ids, tokenizer);
  return input;
}

Index startToken(const Model& model) {
  const Index start = model.config().target.start;
  if (start >= 0) return start;
  throw UserError(
      trFormat("the config.json of {} has no decoder_start_token_id, with which a target text "
               "begins: give the target as ids",
               model.name()));
}

ModelInput targetOf(const std::vector<tokenizer::Token>& tokens,
                    const tokenizer::Tokenizer& tokenizer, const Model& model) {
  ModelInput input{{startToken(model)}, {}, {}};
  for (const tokenizer::Token& token : tokens) input.ids.push_back(token.id);
  if (!tokens.empty() && model.config().ends(input.ids.back())) input.ids.pop_back();
  input.tokens = namesOf(input.ids, tokenizer);
  return input;
}

std::string_view firstTokens(std::string_view text, const tokenizer::Tokenizer& tokenizer,
                             Index most) {
  std::vector<tokenizer::Token> tokens = tokenizer.encode(text);
  // the end of a shortened text may be tokenized differently
  while (!text.empty() && std::ssize(tokens) > most) {
    const Index over = std::ssize(tokens) - most;
    std::vector<std::size_t> ends;
    for (const tokenizer::Token& token : tokens) {
      if (token.sequence == 0) ends.push_back(token.offsets.end);
    }
    const Index kept = std::ssize(ends) - over;
    const std::size_t end = kept > 0 ? ends[static_cast<std::size_t>(kept - 1)] : 0;
    text = text.substr(0, std::min(end, text.size() - 1));
    while (invalidUtf8At(text)) text.remove_suffix(1);
    tokens = tokenizer.encode(text);
  }
  return text;
}

Index oneToken(std::string_view text, const tokenizer::Tokenizer* tokenizer) {
  Index id = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, id);
  if (error == std::errc() && rest == end) return id;
  if (tokenizer == nullptr) {
    throw UserError(trFormat("“{}”: the folder has no tokenizer: give the token's id", text));
  }
  const auto tokens = tokenizer->encode(text, false);
  if (tokens.size() != 1) {
    if (const auto named = tokenizer->id(text)) return *named;  // as outputs name it: "▁cat"
    throw UserError(
        trFormat("“{}” is {} tokens: give a word of one token (with the space before it, as in "
                 "\" cat\"), or an id",
                 text, withThousands(std::ssize(tokens))));
  }
  const tokenizer::TokenId found = tokens.front().id;
  if (tokenizer->isSpecial(found) && tokenizer->id(text) != found) {  // it stands for unknown text
    throw UserError(trFormat("“{}” is not in the vocabulary: give a word that is, or an id", text));
  }
  return static_cast<Index>(found);
}

std::string predictedName(Index id, const ModelConfig& config,
                          const tokenizer::Tokenizer* tokenizer) {
  if (id >= 0 && id < std::ssize(config.labels)) {
    return config.labels[static_cast<std::size_t>(id)];
  }
  return tokenizer != nullptr ? namesOf({id}, *tokenizer).front() : std::string();
}

std::string nameAt(const ModelInput& input, Index place, const tokenizer::Tokenizer* tokenizer) {
  const auto at = static_cast<std::size_t>(place);
  if (input.pixels != nullptr) return input.tokens[at];
  return tokenizer != nullptr ? namesOf({input.ids[at]}, *tokenizer).front()
                              : std::to_string(input.ids[at]);
}

Index onePredicted(std::string_view text, const ModelConfig& config,
                   const tokenizer::Tokenizer* tokenizer) {
  if (config.labels.empty()) return oneToken(text, tokenizer);
  const auto named = std::ranges::find(config.labels, text);
  if (named != config.labels.end()) return named - config.labels.begin();
  Index id = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, id);
  if (error == std::errc() && rest == end) return id;
  throw UserError(
      trFormat("“{}” is no label of the model: give one of its {}, such as “{}”, or "
               "an id",
               text, config.labels.size(), config.labels.front()));
}

std::optional<Index> maskToken(const tokenizer::Tokenizer& tokenizer) {
  for (const char* name : {"[MASK]", "<mask>"}) {
    if (const auto id = tokenizer.id(name)) return *id;
  }
  return std::nullopt;
}

Index readPlace(const ModelTrace& trace, const tokenizer::Tokenizer* tokenizer) {
  const Index last = trace.logitRows() - 1;
  if (last + 1 < trace.tokens() || trace.config().causal || tokenizer == nullptr) return last;
  const std::vector<Index>& ids = trace.document().input.ids;
  const auto mask = maskToken(*tokenizer);
  const auto found = mask ? std::ranges::find(ids, *mask) : ids.end();
  return found == ids.end() ? last : found - ids.begin();
}

}  // namespace headscope::model
