// tokens_of DIR: reads texts from stdin, one JSON object a line, {"text", "pair", "special"}, and
// prints the tokens that the tokeniser of a model's directory makes of each, {"ids", "offsets",
// "type_ids", "decoded"}, or {"error"}. For compare.mjs.
#include <cstdio>
#include <iostream>
#include <string>

#include "core/base/error.h"
#include "core/formats/tokenizer_files.h"

namespace headscope {
namespace {

Json answer(const tokenizer::Tokenizer& tokenizer, const Json& question) {
  const std::string& text = *question.find("text")->text();
  const Json* pair = question.find("pair");
  const bool special = *question.find("special")->flag();
  const auto tokens = pair != nullptr && pair->text() != nullptr
                          ? tokenizer.encodePair(text, *pair->text(), special)
                          : tokenizer.encode(text, special);
  Json ids = Json::emptyList(), offsets = Json::emptyList(), types = Json::emptyList();
  std::vector<tokenizer::TokenId> plain;
  for (const auto& token : tokens) {
    ids.push_back(token.id);
    offsets.push_back(Json::List{token.offsets.begin, token.offsets.end});
    types.push_back(token.type);
    plain.push_back(token.id);
  }
  return {{"ids", std::move(ids)},
          {"offsets", std::move(offsets)},
          {"type_ids", std::move(types)},
          {"decoded", tokenizer.decode(plain, true)}};
}

}  // namespace
}  // namespace headscope

int main(int argc, char** argv) {
  using namespace headscope;
  if (argc != 2) {
    std::cerr << "tokens_of DIR\n";
    return 2;
  }
  try {
    const auto tokenizer = formats::openTokenizer(argv[1]);
    for (std::string line; std::getline(std::cin, line);) {
      std::cout << answer(*tokenizer, parseJson(line)).dump() << '\n';
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
