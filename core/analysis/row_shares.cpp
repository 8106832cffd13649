#include "core/analysis/row_shares.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace headscope {
namespace {

/// What may have taken it from them; empty: nothing.
std::vector<std::string> causes(const Document& document, Index item, Index head) {
  std::vector<std::string> found;
  if (document.config.dropout.on()) found.emplace_back("dropout");
  if (!document.pins.of(TensorId::weights, item, head).empty()) found.emplace_back("a pin");
  if (document.config.mistakes.softmaxOverQueries) found.emplace_back("softmax over queries");
  return found;
}

}  // namespace

std::string whyNoShares(const Trace& trace, Index item, Index head, const CountedRows& rows) {
  constexpr double kRounding = 1e-4;  // of a sum in single precision, however long
  const std::vector<std::string> found = causes(trace.document(), item, head);
  if (found.empty()) return {};
  const ConstMatrixView weights = trace.tensor(TensorId::weights).matrix({item, head});
  for (const CountedRow& counted : rows.rows) {
    const std::span<const float> row = weights.row(counted.row);
    const bool belowZero = std::any_of(row.begin(), row.end(), [](float w) { return w < 0.0F; });
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!belowZero && std::abs(sum - 1.0) <= kRounding) continue;
    return fmt::format("{} ({})",
                       belowZero ? "a row has a weight below 0" : "a row's weights do not sum to 1",
                       fmt::join(found, ", "));
  }
  return {};
}

}  // namespace headscope
