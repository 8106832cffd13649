// Two encoders: CLIP's match between an image and texts: the cosine of the projections of the
// image's class token and of each text's end, times a learned factor (Radford et al. 2021).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

struct TwoEncoders {
  ModelPtr images, texts;
  Tensor imageProjection, textProjection;  // (P, D of each)
  double factor = 1.0;
};

struct Match {
  Tensor image;                                        // (P), of length 1
  Tensor texts;                                        // (texts, P), each of length 1
  std::vector<double> cosines, logits, probabilities;  // of each text; logit = factor · cosine
};

/// An encoder's last state at the place where it is read, projected.
struct Projected {
  Index place = 0;
  std::vector<double> direction;  // (P), of length 1
  double length = 0.0;            // of the projection
};
/// The class token of an image.
Projected projectedImage(const TwoEncoders& encoders, const ModelTrace& image);
/// The token that ends a text. Throws UserError for a text without it.
Projected projectedText(const TwoEncoders& encoders, const ModelTrace& text);

/// The lines that are not blank, each of which is matched by itself.
std::vector<std::string> linesToMatch(std::string_view text);

/// Throws UserError for a text without the token that ends it.
Match matchOf(const TwoEncoders& encoders, const ModelTrace& image,
              const std::vector<ModelTracePtr>& texts);

}  // namespace headscope::model
