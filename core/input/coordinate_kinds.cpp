#include "core/input/coordinate_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/input/embedding.h"

namespace headscope {
namespace {

constexpr const char *kPosition = "position", *kWordClass = "word class",
                     *kConstant = "always the same", *kWordItself = "the word itself",
                     *kMix = "a mix of the values";
constexpr Index kMostSingle = 12;  // columns that are shown one by one

/// Explains the kinds whose names alone do not.
std::string aboutKind(std::string_view name) {
  if (name == kConstant) {
    return "a number that is 1 for every token: with it a head can ask the same of all";
  }
  if (name == kWordItself) {
    return "numbers drawn for each word, the same wherever it stands: they tell words apart";
  }
  if (name == kWordClass) return "noun, verb, …: one number for each class, 1 for the word's own";
  if (name == kPosition) return "where the token stands";
  if (name == kMix) return "sums of the values with random signs";
  return {};
}

/// Gives the columns of a block, or the rest, to a kind of this name.
void give(CoordinateKinds& kinds, ColumnRange range, const std::string& name) {
  if (range.count == 0) return;
  auto found = std::ranges::find(kinds.names, name);
  const Index kind = found - kinds.names.begin();
  if (found == kinds.names.end()) {
    kinds.names.push_back(name);
    kinds.about.push_back(aboutKind(name));
  }
  for (Index column = range.begin; column < range.begin + range.count; ++column) {
    kinds.kindOf[static_cast<std::size_t>(column)] = kind;
  }
}

CoordinateKinds kindsOfText(Index dModel) {
  const Layout layout = textLayout(dModel);
  CoordinateKinds kinds{{}, std::vector<Index>(static_cast<std::size_t>(dModel)), {}, {}};
  give(kinds, layout.blocks[TextBlock::wordClass], kWordClass);
  give(kinds, layout.blocks[TextBlock::slowPosition], kPosition);
  give(kinds, layout.blocks[TextBlock::positionPairs], kPosition);
  give(kinds, layout.blocks[TextBlock::wordPart], kWordItself);
  give(kinds, layout.rest, kWordItself);
  give(kinds, layout.blocks[TextBlock::constant], kConstant);
  return kinds;
}

CoordinateKinds kindsOfSeries(const SeriesSource& source, Index dModel) {
  const Layout layout = seriesLayout(source.items.front()->channels, dModel);
  CoordinateKinds kinds{{}, std::vector<Index>(static_cast<std::size_t>(dModel)), {}, {}};
  give(kinds, layout.blocks[SeriesBlock::channels], "values");
  give(kinds, layout.blocks[SeriesBlock::differences], "change");
  give(kinds, layout.blocks[SeriesBlock::means], "mean so far");
  give(kinds, layout.blocks[SeriesBlock::flags], "spike or change point");
  give(kinds, layout.blocks[SeriesBlock::slowPosition], kPosition);
  give(kinds, layout.blocks[SeriesBlock::positionPairs], kPosition);
  give(kinds, layout.rest, kMix);
  give(kinds, layout.blocks[SeriesBlock::constant], kConstant);
  return kinds;
}

CoordinateKinds kindsOfNumbers(Index dModel) {
  if (dModel > kMostSingle) {
    return {{}, {}, {}, "The columns of this X have no names: X is one kind here."};
  }
  CoordinateKinds kinds;
  for (Index column = 0; column < dModel; ++column) {
    kinds.names.push_back(fmt::format("column {}", column + 1));
    kinds.kindOf.push_back(column);
    kinds.about.emplace_back();
  }
  return kinds;
}

}  // namespace

CoordinateKinds coordinateKinds(const InputSource& source, Positions positions, Index dModel) {
  if (std::holds_alternative<TensorSource>(source)) return kindsOfNumbers(dModel);
  if (positions == Positions::sinusoidal) {
    return {
        {},
        {},
        {},
        "Sinusoids are added over all columns of X, so that a column is about word and position "
        "at once: X is one kind here. With named positions it is told apart."};
  }
  if (const auto* series = std::get_if<SeriesSource>(&source))
    return kindsOfSeries(*series, dModel);
  return kindsOfText(dModel);
}

CoordinateKinds oneKind(Index dModel) {
  return {{"X"}, std::vector<Index>(static_cast<std::size_t>(dModel), 0), {""}, {}};
}

std::string flagsInWords(const CoordinateKinds& kinds, Index kind, const Input& input, Index item,
                         Index row, bool ofMemory) {
  if (kinds.names[static_cast<std::size_t>(kind)] != kWordClass) return {};
  const Tensor& x = ofMemory ? input.memory : input.x;
  const auto cells = x.matrix({item}).row(row);
  std::vector<std::string> set;
  for (std::size_t column = 0; column < kinds.kindOf.size(); ++column) {
    if (kinds.kindOf[column] == kind && cells[column] == 1.0F) {
      set.push_back(input.coordinates[column]);
    }
  }
  return fmt::format("{}", fmt::join(set, ", "));
}

}  // namespace headscope
