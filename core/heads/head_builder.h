// HeadBuilder: W_Q and W_K of one head, made from its description: as many of its d_k rows as it
// takes, the others 0. (d_k, D) and (d_k, width of the keys' side).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/heads/distance_kernel.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// The named columns of X or of the memory.
class Coordinates {
 public:
  explicit Coordinates(const std::vector<std::string>& names);

  Index width() const { return width_; }
  bool has(const std::string& name) const { return columns_.contains(name); }
  Index at(const std::string& name) const { return columns_.at(name); }
  Index positionPairs() const { return pairs_; }
  /// Those whose names begin so, from the left.
  std::vector<std::string> startingWith(std::string_view prefix) const;

 private:
  const std::vector<std::string> names_;
  std::map<std::string, Index> columns_;
  Index width_ = 0;
  Index pairs_ = 0;
};

struct HeadMatrices {
  Tensor q, k;
  std::string structure;  // which coordinate of the query meets which of the key, in words
  std::string why;        // where it cannot be built: why not; q and k are empty then
};

/// The rows of W_Q and W_K that one head of width d_k has, for these coordinates of queries and
/// keys.
HeadMatrices buildHead(const HeadDescription& description, const Coordinates& query,
                       const Coordinates& key, Index dK);

}  // namespace headscope
