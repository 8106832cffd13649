// tokenizer.json: an accepted tokeniser splits texts, and its tokens can be joined to a text.
#include "core/base/utf8.h"
#include "core/formats/tokenizer_json.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  formats::TokenizerPtr tokenizer;
  if (!fuzz::accepted([&] {
        tokenizer = formats::parseTokenizer(fuzz::textOf(data, size), "tokenizer.json");
      })) {
    return 0;
  }
  const std::string text = "It's naïve,  東京 🙂 e\u0301 12\n<s>ab abc</s> ";
  fuzz::accepted([&] {
    std::vector<tokenizer::TokenId> ids;
    for (const auto& token : tokenizer->encodePair(text, "ab")) {
      fuzz::require(tokenizer->text(token.id) != nullptr);
      fuzz::require(token.offsets.begin <= token.offsets.end && token.offsets.end <= text.size());
      tokenizer->bytes(token.id);
      ids.push_back(token.id);
    }
    tokenizer->decode(ids);
  });
  return 0;
}
