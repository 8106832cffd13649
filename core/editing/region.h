// Region: a block of cells of an operand (a row, a column, a head's part, a whole matrix), and the
// ways to fill it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/attention/tensor_id.h"
#include "core/attention/weights.h"

namespace headscope {

struct Region {
  TensorId tensor = TensorId::wQ;
  Index item = -1;  // as in CellRef
  Index row = 0;
  Index rows = 1;
  Index col = 0;
  Index cols = 1;
  Index head = -1;  // of the pair bias, which has a matrix for each head

  bool operator==(const Region&) const = default;
};

/// All of a tensor’s matrix; `item` counts where the tensor has items. The head of a pair bias is
/// set by the caller.
Region wholeRegion(TensorId tensor, Index item, const AttentionConfig& config);
/// The cells of a weight matrix or bias that are a head's: rows of W_Q, W_K, W_V (of K and V by
/// their own head), columns of W_O, entries of their biases. Throws UserError for other tensors.
Region headRegion(TensorId tensor, Index head, const AttentionConfig& config);

/// "W_Q[3, :]", "W_K head 2", "x row 3", "b_Q[4 … 7]": heads by `headName` where the region is
/// one's. Weights are stored (out, in) and shown (in, out), so "row" and "column" would not say
/// which.
std::string nameOf(const Region& region, const AttentionConfig& config);

struct FillZero {};
struct FillIdentity {};  // ones on the region's diagonal, 0 elsewhere
struct FillScaled {
  double factor = 1.0;
};
struct FillDrawn {  // the values of the region in a whole matrix drawn again
  WeightInit init = WeightInit::xavier;
  std::uint64_t seed = 1;
};
struct FillValues {  // typed, pasted or loaded: (rows, cols)
  Tensor values;
};
using Fill = std::variant<FillZero, FillIdentity, FillScaled, FillDrawn, FillValues>;

}  // namespace headscope
