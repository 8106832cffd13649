#include "core/analysis/counted_rows.h"

#include <cstddef>

#include "core/steps/softmax_row.h"

namespace headscope {
namespace {

bool isPadding(const Document& document, Index item, Index query) {
  const AttentionConfig& c = document.config;
  if (c.crossAttention()) {
    const auto& tokens = document.input->tokens[static_cast<std::size_t>(item)];
    return tokens[static_cast<std::size_t>(query)].empty();
  }
  return !c.mask.lengths.empty() && query >= c.mask.lengths[static_cast<std::size_t>(item)];
}

}  // namespace

CountedRows countedRows(const Document& document, Index item) {
  const AttentionConfig& c = document.config;
  // a pinned weight may lie where the mask forbids one
  const bool anywhere = !document.pins.of(TensorId::weights).empty();
  CountedRows counted;
  for (Index row = 0; row < c.seqLen; ++row) {
    const AllowedKeys keys = softmaxKeys(c, item, row);
    const Index count = keys.count();
    counted.anyKeys = counted.anyKeys || count > 0;
    if (isPadding(document, item, row)) continue;
    ++counted.tokens;
    if (count == 0) continue;
    counted.rows.push_back(
        {row, keys, count, anywhere ? 0 : keys.begin, anywhere ? c.keys() : keys.end});
  }
  return counted;
}

std::string CountedRows::whyEmpty() const {
  if (!anyKeys) return "every row is fully masked";
  if (tokens == 0) return "no query counts: all are padding";
  return "every row that is not padding is fully masked";
}

}  // namespace headscope
