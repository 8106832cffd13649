#include "core/model/tokenized.h"

namespace headscope::model {

std::vector<std::string> namesOf(const std::vector<Index>& ids,
                                 const tokenizer::Tokenizer& tokenizer) {
  std::vector<std::string> names;
  for (const Index id : ids) {
    const bool known = id >= 0 && id < static_cast<Index>(tokenizer.end());
    const std::string* name = known ? tokenizer.text(static_cast<tokenizer::TokenId>(id)) : nullptr;
    names.push_back(name != nullptr ? *name : std::string());
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

std::optional<Index> maskToken(const tokenizer::Tokenizer& tokenizer) {
  for (const char* name : {"[MASK]", "<mask>"}) {
    if (const auto id = tokenizer.id(name)) return *id;
  }
  return std::nullopt;
}

}  // namespace headscope::model
