#include "core/language/sample.h"

#include <algorithm>

#include "core/base/memory_budget.h"
#include "core/language/story_text.h"
#include "core/model/tokenized.h"

namespace headscope::language {

std::string sampleOf(const model::ModelPtr& model, const Corpus& corpus, std::string_view beginning,
                     Index tokens, const model::Sampling& sampling,
                     const ExecutionContext& execution) {
  const tokenizer::Tokenizer& tokenizer = *corpus.tokenizer;
  const model::ModelInput input = model::inputOf(
      tokenizer.encode(model::firstTokens(beginning, tokenizer, model->config().positions / 2)),
      tokenizer, model->config());
  const model::ModelTracePtr trace = model::runModel(model::makeModelDocument(model, input),
                                                     nullptr, execution, defaultMemoryBudget());
  if (trace == nullptr) return {};
  std::vector<tokenizer::TokenId> ids(input.ids.begin(), input.ids.end());
  model::Decoder decoder(trace, std::min(tokens, model->config().positions - trace->tokens()));
  for (Index made = 0; made < tokens && decoder.tokens() < model->config().positions; ++made) {
    const Index id = model::sampledToken(decoder.logits(), sampling, made);
    if (id == corpus.beginToken) break;  // the text is over
    ids.push_back(static_cast<tokenizer::TokenId>(id));
    if (decoder.tokens() == decoder.room()) break;
    if (!decoder.feed(id, execution)) return {};
  }
  const std::string text = tokenizer.decode(ids);
  return corpus.stories ? asPeopleWrite(text) : text;
}

}  // namespace headscope::language
