#include "core/tokenizer/pre_tokenizer.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/tokenizer/byte_characters.h"

namespace headscope::tokenizer {
namespace {

/// A part of a word: a match, or the text between two matches.
struct Cut {
  Span span;
  bool match;
};

/// Splits a word of `bytes` bytes into the matches and the parts between them, in order.
void coverWith(const std::vector<Span>& found, std::uint32_t bytes, std::vector<Cut>& cuts) {
  cuts.clear();
  std::uint32_t at = 0;
  for (const Span& span : found) {
    if (at < span.begin) cuts.push_back({{at, span.begin}, false});
    cuts.push_back({span, true});
    at = span.end;
  }
  if (at < bytes) cuts.push_back({{at, bytes}, false});
}

/// Appends the words that result from the cuts of one word; `offset` is the word's begin.
void addWords(std::vector<Cut>& cuts, Delimiter behavior, std::uint32_t offset,
              std::vector<Span>& words) {
  const std::size_t first = words.size();
  const auto add = [&](Span span) { words.push_back({span.begin + offset, span.end + offset}); };
  bool previous = false;
  switch (behavior) {
    case Delimiter::removed:
      for (const Cut& cut : cuts) {
        if (!cut.match) add(cut.span);
      }
      break;
    case Delimiter::isolated:
      for (const Cut& cut : cuts) add(cut.span);
      break;
    case Delimiter::contiguous:
      for (const Cut& cut : cuts) {
        if (cut.match == previous && words.size() > first) {
          words.back().end = cut.span.end + offset;
        } else {
          add(cut.span);
        }
        previous = cut.match;
      }
      break;
    case Delimiter::mergedWithPrevious:
      for (const Cut& cut : cuts) {
        if (cut.match && !previous && words.size() > first) {
          words.back().end = cut.span.end + offset;
        } else {
          add(cut.span);
        }
        previous = cut.match;
      }
      break;
    case Delimiter::mergedWithNext:
      for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
        if (cut->match && !previous && words.size() > first) {
          words.back().begin = cut->span.begin + offset;
        } else {
          add(cut->span);
        }
        previous = cut->match;
      }
      std::reverse(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
      break;
  }
  words.erase(std::remove_if(words.begin() + static_cast<std::ptrdiff_t>(first), words.end(),
                             [](const Span& word) { return word.size() == 0; }),
              words.end());
}

/// Splits each word at the matches that `find` returns as spans of the word.
template <typename Find>
void splitWords(Words& words, Delimiter behavior, bool invert, Find find) {
  std::vector<Span> found, next;
  std::vector<Cut> cuts;
  next.reserve(words.words.size());
  for (const Span& word : words.words) {
    find(word.of(words.text.text), found);
    coverWith(found, word.size(), cuts);
    if (invert) {
      for (Cut& cut : cuts) cut.match = !cut.match;
    }
    addWords(cuts, behavior, word.begin, next);
  }
  words.words = std::move(next);
}

/// Splits each word at the single characters for which `is` holds.
template <typename Is>
void splitAtCharacters(Words& words, Delimiter behavior, Is is) {
  splitWords(words, behavior, false, [&](std::string_view word, std::vector<Span>& found) {
    found.clear();
    for (std::uint32_t at = 0; at < word.size();) {
      const CodePoint point = codePointAt(word, at);
      const auto end = at + static_cast<std::uint32_t>(point.bytes);
      if (is(point.value)) found.push_back({at, end});
      at = end;
    }
  });
}

/// Rewrites each word; `write` appends it to the new text.
template <typename Write>
void rewriteWords(Words& words, Write write) {
  AlignedText out;
  out.text.reserve(words.text.text.size());
  out.origins.reserve(words.text.text.size());
  for (Span& word : words.words) {
    const auto begin = static_cast<std::uint32_t>(out.text.size());
    write(word, out);
    word = {begin, static_cast<std::uint32_t>(out.text.size())};
  }
  words.text = std::move(out);
}

void prefixed(const AlignedText& text, Span word, std::string_view prefix, AlignedText& out) {
  if (!word.of(text.text).starts_with(prefix)) {
    out.text += prefix;
    out.origins.insert(out.origins.end(), prefix.size(), text.origins[word.begin]);
  }
  out.append(text, word);
}

struct Step {
  Words& words;

  void operator()(const SplitPreTokenizer& step) const {
    PatternSearch search(step.pattern);
    splitWords(words, step.behavior, step.invert,
               [&](std::string_view word, std::vector<Span>& found) { search.in(word, found); });
  }
  void operator()(const BertPreTokenizer&) const {
    splitAtCharacters(words, Delimiter::removed, isWhiteSpace);
    splitAtCharacters(words, Delimiter::isolated, isPunctuation);
  }
  void operator()(const WhitespacePreTokenizer&) const {
    splitAtCharacters(words, Delimiter::removed, isWhiteSpace);
    splitAtCharacters(words, Delimiter::contiguous, isWord);
  }
  void operator()(const WhitespaceSplitPreTokenizer&) const {
    splitAtCharacters(words, Delimiter::removed, isWhiteSpace);
  }
  void operator()(const PunctuationPreTokenizer& step) const {
    splitAtCharacters(words, step.behavior, isPunctuation);
  }
  void operator()(const DigitsPreTokenizer& step) const {
    splitAtCharacters(words, step.individual ? Delimiter::isolated : Delimiter::contiguous,
                      isNumber);
  }
  void operator()(const CharDelimiterPreTokenizer& step) const {
    splitAtCharacters(words, Delimiter::removed,
                      [&](std::int32_t point) { return point == step.delimiter; });
  }
  void operator()(const ByteLevelPreTokenizer& step) const {
    if (step.addPrefixSpace) {
      rewriteWords(words, [text = std::move(words.text)](Span word, AlignedText& out) {
        prefixed(text, word, " ", out);
      });
    }
    if (step.useRegex) {
      static const Pattern gpt2 = Pattern::regex(kGpt2Expression);
      (*this)(SplitPreTokenizer{gpt2, Delimiter::isolated, false});
    }
    rewriteWords(words, [text = std::move(words.text)](Span word, AlignedText& out) {
      appendAsCharacters(text, word, out);
    });
  }
  void operator()(const MetaspacePreTokenizer& step) const {
    using Prepend = MetaspacePreTokenizer::Prepend;
    rewriteWords(words, [&step, text = std::move(words.text)](Span word, AlignedText& out) {
      AlignedText own;
      own.append(text, word);
      std::vector<Span> spaces;
      PatternSearch(Pattern::literal(" ")).in(own.text, spaces);
      own.replace(spaces, step.replacement);
      const bool prepends = step.prepend == Prepend::always ||
                            (step.prepend == Prepend::first && own.origins.front().begin == 0);
      const Span whole{0, static_cast<std::uint32_t>(own.text.size())};
      if (prepends) {
        prefixed(own, whole, step.replacement, out);
      } else {
        out.append(own, whole);
      }
    });
    if (step.split) {
      (*this)(
          SplitPreTokenizer{Pattern::literal(step.replacement), Delimiter::mergedWithNext, false});
    }
  }
};

}  // namespace

Words::Words(AlignedText whole) : text(std::move(whole)) {
  if (!text.text.empty()) words.push_back({0, static_cast<std::uint32_t>(text.text.size())});
}

void preTokenize(const std::vector<PreTokenizer>& steps, Words& words) {
  for (const PreTokenizer& step : steps) std::visit(Step{words}, step);
}

}  // namespace headscope::tokenizer
