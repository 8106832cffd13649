#include "core/tokenizer/decoder.h"

#include <array>
#include <utility>

#include "core/base/utf8.h"
#include "core/tokenizer/byte_characters.h"
#include "core/tokenizer/model.h"

namespace headscope::tokenizer {
namespace {

constexpr const char* kReplacement = "\uFFFD";

/// Replaces invalid UTF-8 by U+FFFD, once for each longest run of bytes that could begin a
/// character.
std::string readable(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint point = codePointAt(bytes, at);
    if (point.valid()) {
      text += bytes.substr(at, point.bytes);
      at += point.bytes;
      continue;
    }
    // the number of bytes that could begin a character: they are replaced together
    std::size_t good = 1;
    const auto first = static_cast<unsigned char>(bytes[at]);
    const std::size_t wanted = first >= 0xF0 && first <= 0xF4   ? 4
                               : first >= 0xE0 && first <= 0xEF ? 3
                               : first >= 0xC2 && first <= 0xDF ? 2
                                                                : 1;
    while (good < wanted && at + good < bytes.size()) {
      const auto byte = static_cast<unsigned char>(bytes[at + good]);
      unsigned char low = 0x80, high = 0xBF;
      if (good == 1 && first == 0xE0) low = 0xA0;
      if (good == 1 && first == 0xED) high = 0x9F;
      if (good == 1 && first == 0xF0) low = 0x90;
      if (good == 1 && first == 0xF4) high = 0x8F;
      if (byte < low || byte > high) break;
      ++good;
    }
    text += kReplacement;
    at += good;
  }
  return text;
}

void replaceAll(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); !what.empty() && at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

struct DecodeStep {
  std::vector<std::string>& tokens;

  void operator()(const ByteLevelDecoder&) const {
    std::string bytes;
    for (const std::string& token : tokens) bytes += bytesOfCharacters(token).value_or(token);
    tokens = {readable(bytes)};
  }
  void operator()(const WordPieceDecoder& step) const {
    using Pair = std::array<std::string_view, 2>;
    constexpr std::array<Pair, 11> kCleaner{{{" .", "."},
                                             {" ?", "?"},
                                             {" !", "!"},
                                             {" ,", ","},
                                             {" ' ", "'"},
                                             {" n't", "n't"},
                                             {" 'm", "'m"},
                                             {" do not", " don't"},
                                             {" 's", "'s"},
                                             {" 've", "'ve"},
                                             {" 're", "'re"}}};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::string& token = tokens[i];
      if (i > 0) {
        token = token.starts_with(step.prefix) ? token.substr(step.prefix.size()) : " " + token;
      }
      if (!step.cleanup) continue;
      for (const auto& [what, by] : kCleaner) replaceAll(token, what, by);
    }
  }
  void operator()(const BpeDecoder& step) const {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      replaceAll(tokens[i], step.suffix, i + 1 < tokens.size() ? " " : "");
    }
  }
  void operator()(const MetaspaceDecoder& step) const {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      replaceAll(tokens[i], step.replacement, i == 0 && step.dropsFirst ? "" : " ");
    }
  }
  void operator()(const ByteFallbackDecoder&) const {
    std::vector<std::string> out;
    std::string bytes;
    const auto flush = [&] {
      if (bytes.empty()) return;
      if (!invalidUtf8At(bytes)) {
        out.push_back(bytes);
      } else {
        out.insert(out.end(), bytes.size(), kReplacement);
      }
      bytes.clear();
    };
    for (std::string& token : tokens) {
      if (const auto byte = byteOfToken(token)) {
        bytes += static_cast<char>(*byte);
        continue;
      }
      flush();
      out.push_back(std::move(token));
    }
    flush();
    tokens = std::move(out);
  }
  void operator()(const FuseDecoder&) const {
    std::string all;
    for (const std::string& token : tokens) all += token;
    tokens = {std::move(all)};
  }
  void operator()(const StripDecoder& step) const {
    if (step.content.empty()) return;
    for (std::string& token : tokens) {
      for (std::size_t i = 0; i < step.start && token.starts_with(step.content); ++i) {
        token.erase(0, step.content.size());
      }
      for (std::size_t i = 0; i < step.stop && token.ends_with(step.content); ++i) {
        token.resize(token.size() - step.content.size());
      }
    }
  }
  void operator()(const ReplaceDecoder& step) const {
    PatternSearch search(step.pattern);
    std::vector<Span> found;
    for (std::string& token : tokens) {
      search.in(token, found);
      for (auto span = found.rbegin(); span != found.rend(); ++span) {
        token.replace(span->begin, span->size(), step.content);
      }
    }
  }
};

}  // namespace

std::string decode(const std::vector<Decoder>& steps, std::vector<std::string> tokens) {
  for (const Decoder& step : steps) std::visit(DecodeStep{tokens}, step);
  std::string text;
  for (const std::string& token : tokens) {
    if (steps.empty() && &token != tokens.data()) text += ' ';
    text += token;
  }
  return text;
}

}  // namespace headscope::tokenizer
