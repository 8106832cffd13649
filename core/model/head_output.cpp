#include "core/model/head_output.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/error.h"

namespace headscope::model {
namespace {

void requireHead(const ModelTrace& trace, HeadOfLayer head) {
  const ModelConfig& c = trace.config();
  if (head.layer >= 0 && head.layer < c.layers && head.head >= 0 && head.head < c.heads) return;
  throw UserError(fmt::format(
      "layer {}, head {} is not there: {} has the layers 0 to {} with "
      "heads 0 to {} each",
      head.layer, head.head, trace.document().model->name(), c.layers - 1, c.heads - 1));
}

}  // namespace

Tensor headOutput(const ModelTrace& trace, HeadOfLayer head) {
  requireHead(trace, head);
  const Tensor& heads = trace.layer(head.layer)->tensor(TensorId::heads);
  return heads.slice(1, head.head, head.head + 1)
      .clone()
      .reshaped({trace.tokens(), trace.config().headDim});
}

Tensor meanOfRows(const Tensor& rows) {
  const Index count = rows.dim(0), width = rows.dim(1);
  Tensor mean = Tensor::uninitialised(rows.shape());
  for (Index j = 0; j < width; ++j) {
    double total = 0.0;
    for (Index i = 0; i < count; ++i) total += static_cast<double>(rows.at({i, j}));
    const auto value = static_cast<float>(total / static_cast<double>(count));
    for (Index i = 0; i < count; ++i) mean.mutableData()[i * width + j] = value;
  }
  return mean;
}

ModelDocumentPtr withHeadOutput(const ModelTrace& trace, HeadOfLayer head, const Tensor& rows) {
  requireHead(trace, head);
  if (rows.dim(0) != trace.tokens()) {
    throw UserError(
        fmt::format("the other text has {} tokens and this one {}: a head's output is put in row "
                    "by row, so give one of as many",
                    rows.dim(0), trace.tokens()));
  }
  Document edited = *trace.layer(head.layer)->documentPtr();
  std::vector<Pin> pins = edited.pins.all();
  for (Index i = 0; i < rows.dim(0); ++i) {
    for (Index j = 0; j < rows.dim(1); ++j) {
      pins.push_back({{TensorId::heads, 0, head.head, i, j}, rows.at({i, j})});
    }
  }
  edited.pins = Pins::from(std::move(pins));
  return withLayer(trace.document(), head.layer, edited);
}

}  // namespace headscope::model
