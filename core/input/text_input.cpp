// Text: constant, slow position, word class, position pairs, and the token's identity in the rest.
#include <cmath>

#include "core/input/embedding.h"
#include "core/input/lexicon.h"
#include "core/weights/random.h"

namespace headscope {
namespace {

struct TextBlock {
  enum : std::size_t { constant, slowPosition, wordClass, positionPairs };
};

CoordinateBlock wordClassBlock() {
  CoordinateBlock block{"word class", "word classes", {}, {}};
  for (std::size_t i = 0; i < kWordClasses; ++i) {
    block.names.emplace_back(toString(static_cast<WordClass>(i)));
  }
  block.labels = block.names;
  return block;
}

/// ±1/√width: the same token has the same signs everywhere, other tokens' are as good as random.
void fillIdentity(std::span<float> row, ColumnRange range, const std::string& token) {
  const RandomStream signs(hashBytes(lowerCased(token)), "identity");
  const auto size = static_cast<float>(1.0 / std::sqrt(static_cast<double>(range.count)));
  for (Index c = 0; c < range.count; ++c) {
    const bool positive = (signs.bits(static_cast<std::uint64_t>(c)) >> 63) != 0;
    row[static_cast<std::size_t>(range.begin + c)] = positive ? size : -size;
  }
}

void fillToken(std::span<float> row, const Layout& layout, const std::string& token, Index position,
               Positions positions) {
  const auto& blocks = layout.blocks;
  if (blocks[TextBlock::constant].count > 0)
    row[static_cast<std::size_t>(blocks[TextBlock::constant].begin)] = 1.0F;
  fillSlowPosition(row, blocks[TextBlock::slowPosition], position, positions);
  const auto wordClass = static_cast<Index>(lexicon().classOf(token));
  if (wordClass < blocks[TextBlock::wordClass].count) {
    row[static_cast<std::size_t>(blocks[TextBlock::wordClass].begin + wordClass)] = 1.0F;
  }
  fillPositionPairs(row, blocks[TextBlock::positionPairs], position, positions);
  fillIdentity(row, layout.rest, token);
}

}  // namespace

Layout textLayout(Index width) {
  return layOut(width,
                {constantBlock(), slowPositionBlock(), wordClassBlock(), positionPairsBlock()},
                "identity");
}

Embedded embedText(const std::vector<std::vector<std::string>>& sentences, Index places,
                   Index width, Positions positions) {
  std::vector<Index> lengths;
  for (const auto& sentence : sentences) lengths.push_back(static_cast<Index>(sentence.size()));
  const Filling filling(std::move(lengths), places);

  Embedded result;
  result.layout = textLayout(width);
  result.lengths = filling.validLengths();
  result.x = Tensor::zeros({static_cast<Index>(sentences.size()), places, width});
  for (std::size_t item = 0; item < sentences.size(); ++item) {
    MatrixView x = result.x.mutableMatrix({static_cast<Index>(item)});
    auto& tokens = result.tokens.emplace_back(static_cast<std::size_t>(places));
    for (Index place = 0; place < filling.valid(item); ++place) {
      const std::string& token = sentences[item][static_cast<std::size_t>(filling.at(item, place))];
      tokens[static_cast<std::size_t>(place)] = token;
      fillToken(x.row(place), result.layout, token, place, positions);
    }
    if (positions == Positions::sinusoidal) addSinusoids(x, filling.valid(item));
  }
  return result;
}

}  // namespace headscope
