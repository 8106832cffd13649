#include "core/model/match_parts.h"

#include <Eigen/Core>
#include <numeric>

#include "core/model/frozen_norm.h"

namespace headscope::model {
namespace {

/// The parts of along · (last state at `place`), where the final norm has been applied.
std::vector<WrittenPart> partsAlong(const ModelTrace& trace, Index place,
                                    const Eigen::VectorXd& direction,
                                    const ExecutionContext& execution) {
  const ModelConfig& c = trace.config();
  StreamReading reading{c.layers, place, {direction.begin(), direction.end()}, 0.0};
  const FrozenNorm norm(trace.hidden(2 * c.layers).matrix({0}).row(place),
                        trace.document().model->readout()->norm, c);
  const double bias =
      std::inner_product(norm.bias().begin(), norm.bias().end(), reading.along.begin(), 0.0);
  norm.pullBack(reading.along);
  std::vector<WrittenPart> parts = partsOf(trace, reading, execution);
  if (!execution.stop() && parts.front().value == 0.0) parts.erase(parts.begin());  // no biases
  if (bias != 0.0) parts.push_back({{WriterKind::normBias}, bias});
  return parts;
}

}  // namespace

std::optional<MatchParts> matchParts(const TwoEncoders& encoders, const ModelTrace& image,
                                     const ModelTrace& text, const ExecutionContext& execution) {
  const Projected ofImage = projectedImage(encoders, image);
  const Projected ofText = projectedText(encoders, text);
  const auto backThrough = [](const Tensor& projection, const Projected& own,
                              const Projected& other) -> Eigen::VectorXd {
    using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Floats> matrix(projection.data(), projection.dim(0), projection.dim(1));
    return matrix.cast<double>().transpose() *
           Eigen::Map<const Eigen::VectorXd>(other.direction.data(), std::ssize(other.direction)) /
           own.length;
  };
  MatchParts found;
  found.cosine = std::inner_product(ofImage.direction.begin(), ofImage.direction.end(),
                                    ofText.direction.begin(), 0.0);
  found.image = partsAlong(image, ofImage.place,
                           backThrough(encoders.imageProjection, ofImage, ofText), execution);
  found.text = partsAlong(text, ofText.place, backThrough(encoders.textProjection, ofText, ofImage),
                          execution);
  if (execution.stop()) return std::nullopt;
  return found;
}

}  // namespace headscope::model
