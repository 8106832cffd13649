// HeadBuilder: builds W_Q (d_k, D) and W_K (d_k, width of the keys' side) of one head from its
// description. Unused rows are 0.
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
  /// Pairs that an image's patches have of their row and of their column.
  Index patchPairs() const { return patchPairs_; }
  /// The columns whose names begin with a text, from the left.
  std::vector<std::string> startingWith(std::string_view prefix) const;

 private:
  const std::vector<std::string> names_;
  std::map<std::string, Index> columns_;
  Index width_ = 0;
  Index pairs_ = 0, patchPairs_ = 0;
};

struct HeadMatrices {
  Tensor q, k;
  std::string structure;  // the pairs of query and key coordinates, in words
  std::string why;        // the reason why it cannot be built; q and k are then empty
};

/// Builds the rows of W_Q and W_K of one head of width d_k, for these coordinates of queries and
/// keys.
HeadMatrices buildHead(const HeadDescription& description, const Coordinates& query,
                       const Coordinates& key, Index dK);

}  // namespace headscope
