#include "core/editing/region.h"

#include <fmt/format.h>

#include "core/attention/config.h"
#include "core/attention/weight_tensors.h"
#include "core/base/error.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

std::string span(Index from, Index count) {
  return count == 1 ? std::to_string(from) : fmt::format("{} … {}", from, from + count - 1);
}

}  // namespace

Region wholeRegion(TensorId tensor, Index item, const AttentionConfig& config) {
  const Shape shape = shapeOf(tensor, config);
  const Index rows = isBias(tensor) ? 1 : shape[shape.size() - 2];
  return {tensor, info(tensor).perItem ? item : -1, 0, rows, 0, shape.back()};
}

Region headRegion(TensorId tensor, Index head, const AttentionConfig& config) {
  Region region = wholeRegion(tensor, -1, config);
  const Index dK = config.dK();
  const Index heads = headCount(tensor, config);
  if (info(tensor).perItem || info(tensor).perHead || tensor == TensorId::bO) {
    throw UserError(
        trFormat("{} is not divided by heads; use W_Q, W_K, W_V, W_G, W_O, b_Q, b_K, b_V or b_G",
                 info(tensor).name));
  }
  if (head < 0 || head >= heads) {
    throw UserError(
        trFormat("{} has {} heads: head {} does not exist", info(tensor).name, heads, head + 1));
  }
  if (isBias(tensor) || tensor == TensorId::wO) {
    region.col = head * dK;
    region.cols = dK;
  } else {
    region.row = head * dK;
    region.rows = dK;
  }
  return region;
}

std::string nameOf(const Region& region, const AttentionConfig& config) {
  std::string name(info(region.tensor).name);
  Region whole = wholeRegion(region.tensor, region.item, config);
  whole.head = region.head;
  if (region.head >= 0) name += trFormat(" of head {},", region.head + 1);
  if (region == whole) return region.head >= 0 ? name + " all" : name;
  if (!info(region.tensor).perItem && region.head < 0 && region.tensor != TensorId::bO) {
    const bool byColumns = isBias(region.tensor) || region.tensor == TensorId::wO;
    const Index head = (byColumns ? region.col : region.row) / config.dK();
    if (head < headCount(region.tensor, config) &&
        region == headRegion(region.tensor, head, config)) {
      return fmt::format("{} {}", name, headName(region.tensor, head, config));
    }
  }
  if (isBias(region.tensor)) return fmt::format("{}[{}]", name, span(region.col, region.cols));
  const bool weights = !info(region.tensor).perItem && region.head < 0;
  if (region.rows == 1 && region.cols == whole.cols) {
    return fmt::format(fmt::runtime(weights ? "{}[{}, :]" : tr("{} row {}")), name, region.row);
  }
  if (region.cols == 1 && region.rows == whole.rows) {
    return fmt::format(fmt::runtime(weights ? "{}[:, {}]" : tr("{} column {}")), name, region.col);
  }
  return fmt::format("{}[{}, {}]", name, span(region.row, region.rows),
                     span(region.col, region.cols));
}

}  // namespace headscope
