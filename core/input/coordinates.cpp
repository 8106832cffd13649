#include "core/input/coordinates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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
    // Once something was dropped, all to the right of it is: a column keeps its place in any width.
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
    layout.note = fmt::format("d_model {} is too narrow for all coordinates: left out {}", width,
                              fmt::join(dropped, ", "));
  }
  return layout;
}

}  // namespace headscope
