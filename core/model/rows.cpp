#include "core/model/rows.h"

namespace headscope::model {

void copyColumns(const Tensor& from, Index first, Index width, Tensor& to, Index at) {
  for (Index row = 0; row < from.dim(1); ++row) {
    std::copy_n(from.data() + row * from.dim(2) + first, width,
                to.mutableData() + row * to.dim(2) + at);
  }
}

Tensor copyOfColumns(const Tensor& x, Index first, Index width) {
  Tensor part = Tensor::uninitialised({1, x.dim(1), width});
  copyColumns(x, first, width, part, 0);
  return part;
}

}  // namespace headscope::model
