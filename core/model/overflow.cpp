#include "core/model/overflow.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/tensor/finite.h"

namespace headscope::model {

void refuseOverflow(const std::string& what) {
  throw UserError(
      trFormat("a number of {} overflows a 32-bit float (3.4e38): the weights are finite, but "
               "too large; undo what was edited in the model, or open another one",
               what));
}

void requireInRange(const Tensor& rows, const RowName& name) {
  if (const auto index = firstNotFinite(rows)) refuseOverflow(name((*index)[1]));
}

}  // namespace headscope::model
