// Tokens are words (letters, marks, digits, apostrophes inside) and single punctuation marks or
// symbols; white space and control characters separate them.
#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/utf8.h"
#include "core/input/embedding.h"
#include "core/input/input.h"
#include "core/input/lexicon.h"
#include "core/input/meanings.h"
#include "core/input/tagger.h"

namespace headscope {

namespace {

enum class Kind { letter, mark, apostrophe, symbol, separator, ignored };

Kind kindOf(std::int32_t codePoint) {
  if (codePoint == U'\'' || codePoint == U'\u2019') return Kind::apostrophe;
  switch (utf8proc_category(codePoint)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Kind::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Kind::mark;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
      return Kind::separator;
    case UTF8PROC_CATEGORY_CF:  // soft hyphen, byte order mark, joiners: they show nothing
      return Kind::ignored;
    default:
      return Kind::symbol;
  }
}

bool letterAt(const std::string& text, std::size_t position) {
  return position < text.size() && kindOf(codePointAt(text, position).value) == Kind::letter;
}

void checkText(const std::string& text, const std::string& what) {
  if (text.size() > kMaxTextBytes) {
    throw UserError(fmt::format("{} has {:.1f} MB; the limit is 1 MB, so shorten it", what,
                                static_cast<double>(text.size()) / (1 << 20)));
  }
  if (const auto position = invalidUtf8At(text)) {
    throw UserError(
        fmt::format("{} is not UTF-8: byte {} cannot be read; save it as UTF-8", what, *position));
  }
}

}  // namespace

std::vector<std::string> tokenize(const std::string& text, const std::string& what) {
  checkText(text, what);
  std::vector<std::string> tokens;
  Kind previous = Kind::separator;  // what the newest token ends with
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint point = codePointAt(text, position);
    const std::string_view bytes(text.data() + position, point.bytes);
    position += point.bytes;
    Kind kind = kindOf(point.value);
    if (kind == Kind::ignored) continue;
    if (kind == Kind::apostrophe) {
      const bool inside = previous == Kind::letter && letterAt(text, position);
      kind = inside ? Kind::letter : Kind::symbol;
    }
    const bool continues = (kind == Kind::letter && previous == Kind::letter) ||
                           (kind == Kind::mark && previous != Kind::separator);
    if (continues) {
      tokens.back() += bytes;
      continue;  // a mark does not change the kind of its token
    }
    if (kind != Kind::separator) tokens.emplace_back(bytes);
    previous = kind == Kind::mark ? Kind::letter : kind;
  }
  if (tokens.empty()) {
    throw UserError(fmt::format("{} is empty; give it at least one word", what));
  }
  return tokens;
}

std::string lowerCased(const std::string& token) {
  std::string lower;
  lower.reserve(token.size());
  for (std::size_t position = 0; position < token.size();) {
    const CodePoint point = codePointAt(token, position);
    if (!point.valid()) {
      lower += token[position++];
      continue;
    }
    position += point.bytes;
    utf8proc_uint8_t bytes[4];
    const auto count = utf8proc_encode_char(utf8proc_tolower(point.value), bytes);
    lower.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  }
  return lower;
}

// Text: constant, slow position, word class, position pairs, word part, and the token's identity in
// the rest.

namespace {

CoordinateBlock wordClassBlock() {
  CoordinateBlock block{"word class", "word classes", {}, {}};
  for (std::size_t i = 0; i < kWordClasses; ++i) {
    block.names.emplace_back(toString(static_cast<WordClass>(i)));
  }
  block.labels = block.names;
  return block;
}

CoordinateBlock wordPartBlock() {
  CoordinateBlock block{"word part", "word parts", {}, {}};
  for (std::size_t i = 0; i < kWordParts; ++i) {
    block.names.emplace_back(toString(static_cast<WordPart>(i)));
  }
  block.labels = block.names;
  return block;
}

/// Fills in ±1/√width. A name has the same signs everywhere; those of different names are
/// unrelated.
void fillIdentity(std::span<float> row, ColumnRange range, const std::string& name) {
  const RandomStream signs(hashBytes(name), "identity");
  const auto size = static_cast<float>(1.0 / std::sqrt(static_cast<double>(range.count)));
  for (Index c = 0; c < range.count; ++c) {
    const bool positive = (signs.bits(static_cast<std::uint64_t>(c)) >> 63) != 0;
    row[static_cast<std::size_t>(range.begin + c)] = positive ? size : -size;
  }
}

void fillFlag(std::span<float> row, ColumnRange range, Index column) {
  if (column < range.count) row[static_cast<std::size_t>(range.begin + column)] = 1.0F;
}

/// Fills in all columns but those of the position.
void fillWord(std::span<float> row, const Layout& layout, const std::string& token,
              const WordUse& use, Identity identity) {
  const auto& blocks = layout.blocks;
  if (blocks[TextBlock::constant].count > 0)
    row[static_cast<std::size_t>(blocks[TextBlock::constant].begin)] = 1.0F;
  fillFlag(row, blocks[TextBlock::wordClass], static_cast<Index>(use.wordClass));
  if (use.part) fillFlag(row, blocks[TextBlock::wordPart], static_cast<Index>(*use.part));
  fillIdentity(row, layout.rest,
               identity == Identity::meaning ? meanings().of(token) : lowerCased(token));
}

void fillPosition(std::span<float> row, const Layout& layout, Index position, Positions positions) {
  fillSlowPosition(row, layout.blocks[TextBlock::slowPosition], position, positions);
  fillPositionPairs(row, layout.blocks[TextBlock::positionPairs], position, positions);
}

/// X of zeros, with the tokens at its places.
Embedded placed(const std::vector<std::vector<std::string>>& sentences, Index places, Index width) {
  std::vector<Index> lengths;
  for (const auto& sentence : sentences) lengths.push_back(static_cast<Index>(sentence.size()));
  const Filling filling(std::move(lengths), places);

  Embedded result;
  result.layout = textLayout(width);
  result.lengths = filling.validLengths();
  result.x = Tensor::zeros({static_cast<Index>(sentences.size()), places, width});
  for (std::size_t item = 0; item < sentences.size(); ++item) {
    auto& tokens = result.tokens.emplace_back(static_cast<std::size_t>(places));
    for (Index place = 0; place < filling.valid(item); ++place) {
      tokens[static_cast<std::size_t>(place)] =
          sentences[item][static_cast<std::size_t>(filling.at(item, place))];
    }
  }
  return result;
}

void fillItem(Embedded& embedded, std::size_t item, std::span<const WordUse> uses,
              Positions positions, Identity identity) {
  MatrixView x = embedded.x.mutableMatrix({static_cast<Index>(item)});
  for (std::size_t place = 0; place < uses.size(); ++place) {
    const auto row = x.row(static_cast<Index>(place));
    fillWord(row, embedded.layout, embedded.tokens[item][place], uses[place], identity);
    fillPosition(row, embedded.layout, static_cast<Index>(place), positions);
  }
  if (positions == Positions::sinusoidal) addSinusoids(x, static_cast<Index>(uses.size()));
}

}  // namespace

Layout textLayout(Index width) {
  return layOut(width,
                {constantBlock(), slowPositionBlock(), wordClassBlock(), positionPairsBlock(),
                 wordPartBlock()},
                "identity");
}

Embedded embedText(const std::vector<std::vector<std::string>>& sentences, Index places,
                   Index width, Positions positions, Identity identity) {
  Embedded result = placed(sentences, places, width);
  for (std::size_t item = 0; item < sentences.size(); ++item) {
    const auto& tokens = result.tokens[item];
    const auto padding = std::find(tokens.begin(), tokens.end(), "");
    const std::span<const std::string> words(tokens.begin(), padding);
    const std::vector<WordUse> uses =
        positions == Positions::none ? wordUsesWithoutOrder(words) : wordUses(words);
    fillItem(result, item, uses, positions, identity);
  }
  return result;
}

Embedded embedText(const std::vector<std::vector<std::string>>& sentences,
                   const std::vector<std::vector<WordUse>>& uses, Index places, Index width) {
  Embedded result = placed(sentences, places, width);
  for (std::size_t item = 0; item < sentences.size(); ++item) {
    fillItem(result, item, uses[item], Positions::named, Identity::word);
  }
  return result;
}

Tensor embedWords(std::span<const ClassedWord> words, Index width) {
  const Layout layout = textLayout(width);
  Tensor x = Tensor::zeros({std::ssize(words), width});
  for (Index i = 0; i < std::ssize(words); ++i) {
    const ClassedWord& each = words[static_cast<std::size_t>(i)];
    fillWord(x.mutableMatrix().row(i), layout, each.word, {each.wordClass}, Identity::word);
  }
  return x;
}

Tensor embedPositions(Index places, Index width) {
  const Layout layout = textLayout(width);
  Tensor x = Tensor::zeros({places, width});
  for (Index i = 0; i < places; ++i) {
    fillPosition(x.mutableMatrix().row(i), layout, i, Positions::named);
  }
  return x;
}

}  // namespace headscope
