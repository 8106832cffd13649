#include "core/images/shape_looks.h"

#include "core/document/trace.h"
#include "core/images/shapes.h"

namespace headscope::images {

std::vector<double> looksOnShape(const model::ModelTrace& trace, const std::vector<bool>& touched) {
  const model::ModelConfig& c = trace.config();
  std::vector<float> row(static_cast<std::size_t>(trace.tokens()));
  std::vector<double> looks;
  for (Index layer = 0; layer < trace.layers(); ++layer) {
    const TracePtr attention = trace.layer(layer);
    for (Index head = 0; head < c.heads; ++head) {
      attention->tile(TensorId::weights, 0, head, 0, 1, 0, trace.tokens(), row.data());
      looks.push_back(weightOn(touched, row.data() + c.image.firstPatch()));
    }
  }
  return looks;
}

}  // namespace headscope::images
