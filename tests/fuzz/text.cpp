// Text: as it is typed for tokens and the memory (the parts of the input, divided by NUL), and as
// the name of a cell.
#include <algorithm>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/tensor_id.h"
#include "core/base/utf8.h"
#include "core/input/input.h"
#include "core/input/lexicon.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

constexpr Index kMostTokens = 64;

void checkTokens(const std::string& text) {
  for (const std::string& token : tokenize(text)) {
    fuzz::require(!token.empty() && !invalidUtf8At(token));
    fuzz::require(!invalidUtf8At(lowerCased(token)));
    lexicon().classOf(token);
  }
}

void embed(const TextSource& text, Index width, Positions positions) {
  const InputSource source = text;
  AttentionConfig config;
  config.dModel = width;
  config = fitTo(source, config);
  config.seqLen = std::min(config.seqLen, kMostTokens);
  config.memoryLen = std::min(config.memoryLen, kMostTokens);
  const Input input = makeInput(source, positions, config);
  fuzz::require(std::ssize(input.tokens) == config.batch);
  fuzz::require(std::ssize(input.tokens.front()) == config.seqLen);
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  if (size == 0) return 0;
  const Index width = *data;
  std::string_view rest = fuzz::textOf(data + 1, size - 1);
  TextSource source;
  for (bool first = true; !rest.empty(); first = !first) {
    const std::string text(rest.substr(0, rest.find('\0')));
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
    fuzz::accepted([&] { checkTokens(text); });
    fuzz::require(!invalidUtf8At(excerpt(text, 8)));
    lowerCased(text);
    if (const auto cell = cellFromString(text)) {
      fuzz::require(cellFromString(toString(*cell)) == cell);
    }
    (first ? source.texts : source.memoryTexts).push_back(text);
  }
  if (width == 0) return 0;
  fuzz::accepted([&] { embed(source, width, Positions::named); });
  fuzz::accepted([&] { embed(source, width, Positions::sinusoidal); });
  return 0;
}
