#include "core/model/two_encoders.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/model/prediction.h"

namespace headscope::model {
namespace {

using Eigen::VectorXd;

Projected projected(const ModelTrace& trace, Index place, const Tensor& projection) {
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Tensor& last = trace.last();
  const Index width = last.dim(2);
  const VectorXd state =
      Eigen::Map<const Eigen::VectorXf>(last.data() + place * width, width).cast<double>();
  const VectorXd found =
      Eigen::Map<const Floats>(projection.data(), projection.dim(0), width).cast<double>() * state;
  const VectorXd direction = found.normalized();
  return {place, {direction.begin(), direction.end()}, found.norm()};
}

/// The place of the token that ends a text. Older files call it 2, and transformers then takes the
/// largest id.
Index endOf(const ModelTrace& text) {
  constexpr Index kOlderEnd = 2;
  const std::vector<Index>& ids = text.document().input.ids;
  const std::vector<Index>& ends = text.config().endTokens;
  const bool older = !ends.empty() && ends.front() == kOlderEnd;
  const auto found =
      older ? std::ranges::max_element(ids)
            : std::ranges::find_if(ids, [&](Index id) { return text.config().ends(id); });
  if (found != ids.end()) return found - ids.begin();
  throw UserError(trFormat(
      "a text lacks the token that ends it, at which {} reads it: give it with special tokens",
      text.document().model->name()));
}

Tensor asFloats(const std::vector<double>& values) {
  const std::vector<float> floats(values.begin(), values.end());
  return Tensor::fromValues({std::ssize(floats)}, floats);
}

}  // namespace

Projected projectedImage(const TwoEncoders& encoders, const ModelTrace& image) {
  return projected(image, 0, encoders.imageProjection);
}

Projected projectedText(const TwoEncoders& encoders, const ModelTrace& text) {
  return projected(text, endOf(text), encoders.textProjection);
}

std::vector<std::string> linesToMatch(std::string_view text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line(text.substr(begin, end - begin));
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

Match matchOf(const TwoEncoders& encoders, const ModelTrace& image,
              const std::vector<ModelTracePtr>& texts) {
  Match match;
  const std::vector<double> ofImage = projectedImage(encoders, image).direction;
  match.image = asFloats(ofImage);
  match.texts = Tensor::zeros({std::ssize(texts), std::ssize(ofImage)});
  std::vector<float> logits;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<double> ofText = projectedText(encoders, *texts[i]).direction;
    const Tensor floats = asFloats(ofText);
    std::copy_n(floats.data(), floats.size(),
                match.texts.mutableData() + static_cast<Index>(i) * floats.size());
    match.cosines.push_back(
        std::inner_product(ofImage.begin(), ofImage.end(), ofText.begin(), 0.0));
    match.logits.push_back(encoders.factor * match.cosines.back());
    logits.push_back(static_cast<float>(match.logits.back()));
  }
  if (logits.empty()) return match;
  const RowProbabilities probabilities(logits);
  for (Index i = 0; i < std::ssize(texts); ++i) {
    match.probabilities.push_back(probabilities(i).probability);
  }
  return match;
}

}  // namespace headscope::model
