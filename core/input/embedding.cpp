#include "core/input/embedding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headscope {

namespace {

std::string describeDropped(const CoordinateBlock& block, Index parts) {
  const auto first = static_cast<std::size_t>(parts);
  if (block.labels.size() == 1) return block.one;
  if (first + 1 == block.labels.size()) return block.one + " " + block.labels.back();
  return fmt::format("{} {} to {}", block.many, block.labels[first], block.labels.back());
}

}  // namespace

Layout layOut(Index width, const std::vector<CoordinateBlock>& blocks,
              const std::string& restName) {
  Layout layout;
  std::vector<std::string> dropped;
  Index room = width - std::max<Index>(1, width / 4);
  Index column = 0;
  for (const CoordinateBlock& block : blocks) {
    // Once a part is dropped, every part to its right is dropped too, so that a column keeps its
    // place at any width.
    const auto all = static_cast<Index>(block.labels.size());
    const Index parts = dropped.empty() ? std::min(all, room / block.partWidth()) : 0;
    const Index count = parts * block.partWidth();
    if (parts < all) dropped.push_back(describeDropped(block, parts));
    layout.blocks.push_back({column, count});
    layout.names.insert(layout.names.end(), block.names.begin(), block.names.begin() + count);
    column += count;
    room -= count;
  }
  layout.rest = {column, width - column};
  for (Index i = 1; i <= layout.rest.count; ++i) {
    layout.names.push_back(fmt::format("{} {}", restName, i));
  }
  if (!dropped.empty()) {
    layout.note = fmt::format("d_model {} is too narrow for all coordinates: it leaves out {}",
                              width, fmt::join(dropped, ", "));
  }
  return layout;
}

namespace {

constexpr Index kPairs = 28;

}  // namespace

double positionFrequency(Index pair) {
  constexpr double kLowest = 2.0 * std::numbers::pi / 80.0;
  return kLowest + static_cast<double>(pair) * (std::numbers::pi - kLowest) / (kPairs - 1);
}

CoordinateBlock constantBlock() { return {"constant", "", {"constant"}, {"constant"}}; }

CoordinateBlock slowPositionBlock() {
  return {"slow position", "", {"slow position"}, {"slow position"}};
}

CoordinateBlock positionPairsBlock() {
  CoordinateBlock block{"position pair", "position pairs", {}, {}};
  for (Index k = 1; k <= kPairs; ++k) {
    block.names.push_back(fmt::format("cos ω{} i", k));
    block.names.push_back(fmt::format("sin ω{} i", k));
    block.labels.push_back(std::to_string(k));
  }
  return block;
}

CoordinateBlock patchPairsBlock() {
  CoordinateBlock block{"pair of row and column", "pairs of row and column", {}, {}};
  for (Index k = 1; k <= kPairs; ++k) {
    for (const char* axis : {"row", "column"}) {
      block.names.push_back(fmt::format("cos ω{} {}", k, axis));
      block.names.push_back(fmt::format("sin ω{} {}", k, axis));
    }
    block.labels.push_back(std::to_string(k));
  }
  return block;
}

void fillSlowPosition(std::span<float> row, ColumnRange range, Index position,
                      Positions positions) {
  if (range.count == 0 || positions != Positions::named) return;
  row[static_cast<std::size_t>(range.begin)] =
      static_cast<float>(-std::log(1.0 + static_cast<double>(position)));
}

void fillPositionPairs(std::span<float> row, ColumnRange range, Index position,
                       Positions positions) {
  if (positions != Positions::named) return;
  for (Index pair = 0; pair < range.count / 2; ++pair) {
    const double angle = positionFrequency(pair) * static_cast<double>(position);
    const auto column = static_cast<std::size_t>(range.begin + 2 * pair);
    row[column] = static_cast<float>(std::cos(angle));
    row[column + 1] = static_cast<float>(std::sin(angle));
  }
}

void addSinusoids(MatrixView x, Index count) {
  for (Index column = 0; column < x.cols; ++column) {
    const bool even = column % 2 == 0;
    const double exponent = static_cast<double>(even ? column : column - 1);
    const double rate = std::pow(10000.0, -exponent / static_cast<double>(x.cols));
    for (Index i = 0; i < count; ++i) {
      const double angle = static_cast<double>(i) * rate;
      x(i, column) += static_cast<float>(even ? std::sin(angle) : std::cos(angle));
    }
  }
}

Filling::Filling(std::vector<Index> lengths, Index places)
    : lengths_(std::move(lengths)),
      places_(places),
      repeats_(places > *std::max_element(lengths_.begin(), lengths_.end())) {}

std::vector<Index> Filling::validLengths() const {
  std::vector<Index> lengths;
  for (std::size_t item = 0; item < lengths_.size(); ++item) lengths.push_back(valid(item));
  const auto full = std::count(lengths.begin(), lengths.end(), places_);
  return full == std::ssize(lengths) ? std::vector<Index>{} : lengths;
}

}  // namespace headscope
