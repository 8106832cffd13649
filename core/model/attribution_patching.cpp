#include "core/model/attribution_patching.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/document/trace.h"
#include "core/model/head_output.h"

namespace headscope::model {
namespace {

/// Σ gradient · (other − own) over some numbers.
double firstOrder(const float* gradient, const float* own, const float* other, Index count) {
  double total = 0.0;
  for (Index i = 0; i < count; ++i) {
    total += static_cast<double>(gradient[i]) *
             (static_cast<double>(other[i]) - static_cast<double>(own[i]));
  }
  return total;
}

void requireComparable(const ModelTrace& own, const ModelTrace& other) {
  if (own.document().model != other.document().model) {
    throw UserError(fmt::format("{} and {} are different models: give two passes of one model",
                                own.document().model->name(), other.document().model->name()));
  }
  if (own.tokens() == other.tokens()) return;
  throw UserError(
      fmt::format("the other text has {} tokens and this one {}: values are put in place token by "
                  "token, so give a text with equally many tokens",
                  withThousands(other.tokens()), own.tokens()));
}

}  // namespace

double estimatedEffect(const ModelGradients& gradients, const ModelTrace& own, HeadOfLayer head,
                       const Tensor& rows) {
  const Tensor present = headOutput(own, head);
  if (rows.shape() != present.shape()) {
    throw UserError(fmt::format("a head's output here is {}, and {} was given",
                                toString(present.shape()), toString(rows.shape())));
  }
  const Tensor dense = rows.contiguous() ? rows : rows.clone();
  const float* gradient =
      gradients.heads.data() + static_cast<Index>(placeOf(head, own.config())) * present.size();
  return firstOrder(gradient, present.data(), dense.data(), present.size());
}

double estimatedEffect(const ModelGradients& gradients, const ModelTrace& own,
                       const ModelTrace& other, Index layer, Index place) {
  requireComparable(own, other);
  const Index width = own.config().dModel;
  const float* gradient = gradients.residual.data() + (layer * own.tokens() + place) * width;
  return firstOrder(gradient, own.hidden(2 * layer).data() + place * width,
                    other.hidden(2 * layer).data() + place * width, width);
}

std::vector<std::optional<double>> estimatedEffects(const ModelTracePtr& base,
                                                    const std::vector<Patch>& patches,
                                                    const AskedWord& asked,
                                                    const ExecutionContext& execution) {
  std::vector<std::optional<double>> estimates(patches.size());
  const auto defined = [](const Patch& patch) {
    return patch.site == Site::heads || patch.site == Site::residual;
  };
  if (std::ranges::none_of(patches, defined)) return estimates;
  const auto gradients = gradientsOfLogit(base, asked.row, asked.word, asked.other, execution);
  if (!gradients) return estimates;
  std::optional<ModelGradients> ofEncoder;
  if (std::ranges::find(patches, Stack::encoder, &Patch::stack) != patches.end()) {
    ofEncoder = gradientsOfEncoder(*base, *gradients, execution);
    if (!ofEncoder) return estimates;
  }
  for (std::size_t i = 0; i < patches.size() && !execution.stop(); ++i) {
    const Patch& patch = patches[i];
    if (!defined(patch)) continue;
    const ModelTrace& pass = passOf(*base, patch.stack);
    const ModelGradients& own = patch.stack == Stack::encoder ? *ofEncoder : *gradients;
    const ModelConfig& c = pass.config();
    const bool ofHead = patch.site == Site::heads;
    const Tensor present = ofHead
                               ? headOutput(pass, {patch.layer, patch.head})
                               : pass.hidden(2 * patch.layer).reshaped({pass.tokens(), c.dModel});
    const Index first = patch.place == Patch::kEveryPlace ? 0 : patch.place;
    const Index row = (ofHead ? patch.layer * c.heads + patch.head : patch.layer) * pass.tokens();
    const Tensor& gradient = ofHead ? own.heads : own.residual;
    const Index width = present.dim(1);
    estimates[i] = firstOrder(gradient.data() + (row + first) * width,
                              present.data() + first * width, patch.rows.data(), patch.rows.size());
  }
  return estimates;
}

std::optional<EstimatedEffects> estimatedEffects(const ModelGradients& gradients,
                                                 const ModelTrace& own, const ModelTrace& other,
                                                 const ExecutionContext& execution) {
  requireComparable(own, other);
  const ModelConfig& c = own.config();
  EstimatedEffects found{Tensor::uninitialised({c.layers, c.heads}),
                         Tensor::uninitialised({c.layers, own.tokens()})};
  float* ofHead = found.heads.mutableData();
  float* ofPlace = found.places.mutableData();
  for (Index layer = 0; layer < c.layers; ++layer) {
    if (execution.stop()) return std::nullopt;
    for (Index head = 0; head < c.heads; ++head) {
      *ofHead++ = static_cast<float>(
          estimatedEffect(gradients, own, {layer, head}, headOutput(other, {layer, head})));
    }
    for (Index place = 0; place < own.tokens(); ++place) {
      *ofPlace++ = static_cast<float>(estimatedEffect(gradients, own, other, layer, place));
    }
  }
  return found;
}

}  // namespace headscope::model
