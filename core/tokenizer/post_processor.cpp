#include "core/tokenizer/post_processor.h"

#include <algorithm>
#include <cstddef>

#include "core/base/utf8.h"
#include "core/tokenizer/unicode.h"

namespace headscope::tokenizer {
namespace {

using Texts = std::vector<std::vector<Token>>;

constexpr std::int32_t kSpaceByte = 0x120;  // "Ġ", the space as a character

std::vector<bool> spacesOf(std::string_view written) {
  std::vector<bool> spaces;
  for (std::size_t at = 0; at < written.size();) {
    const CodePoint point = codePointAt(written, at);
    if (!point.valid()) break;
    spaces.push_back(point.value == kSpaceByte || isWhiteSpace(point.value));
    at += point.bytes;
  }
  return spaces;
}

/// The position `characters` characters after `at` or, with `back`, before it.
std::uint32_t moved(std::string_view text, std::uint32_t at, std::uint32_t characters, bool back) {
  const auto inside = [&](std::uint32_t byte) {
    return byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0) == 0x80;
  };
  for (; characters > 0 && (back ? at > 0 : at < text.size()); --characters) {
    do {
      at = back ? at - 1 : at + 1;
    } while (at > 0 && inside(at));
  }
  return at;
}

void trim(Token& token, std::string_view text, std::string_view written, bool first,
          bool addPrefixSpace) {
  const std::vector<bool> spaces = spacesOf(written);
  auto leading =
      static_cast<std::uint32_t>(std::find(spaces.begin(), spaces.end(), false) - spaces.begin());
  const auto trailing = static_cast<std::uint32_t>(
      std::find(spaces.rbegin(), spaces.rend(), false) - spaces.rbegin());
  Span& offsets = token.offsets;
  if (leading > 0) {
    if ((first || offsets.begin == 0) && addPrefixSpace) --leading;
    offsets.begin = std::min(moved(text, offsets.begin, leading, false), offsets.end);
  }
  offsets.end = std::max(moved(text, offsets.end, trailing, true), offsets.begin);
}

std::vector<Token> filled(const std::vector<Template::Part>& parts, const Texts& texts,
                          bool addSpecial) {
  std::vector<Token> all;
  for (const Template::Part& part : parts) {
    if (part.sequence < 0) {
      for (const TokenId id : part.ids) {
        if (addSpecial) all.push_back({id, {}, part.type, -1});
      }
      continue;
    }
    for (Token token : texts[static_cast<std::size_t>(part.sequence)]) {
      token.type = part.type;
      all.push_back(token);
    }
  }
  return all;
}

}  // namespace

std::vector<Token> postProcess(const std::vector<PostProcessor>& steps,
                               const std::vector<std::string_view>& originals, Texts texts,
                               bool addSpecial,
                               const std::function<std::string_view(const Token&)>& written) {
  const Template* around = nullptr;
  for (const PostProcessor& step : steps) {
    if (const auto* filling = std::get_if<Template>(&step)) around = filling;
    const auto* trimming = std::get_if<TrimOffsets>(&step);
    if (trimming == nullptr) continue;
    for (std::size_t text = 0; text < texts.size(); ++text) {
      auto& tokens = texts[text];
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        trim(tokens[i], originals[text], written(tokens[i]), i == 0, trimming->addPrefixSpace);
      }
    }
  }
  if (around != nullptr) {
    return filled(texts.size() > 1 ? around->pair : around->single, texts, addSpecial);
  }
  std::vector<Token> all = std::move(texts.front());
  for (std::size_t i = 1; i < texts.size(); ++i) {
    all.insert(all.end(), texts[i].begin(), texts[i].end());
  }
  return all;
}

}  // namespace headscope::tokenizer
