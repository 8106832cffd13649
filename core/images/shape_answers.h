// Shape answers: how an image model names the shapes of drawings, how much its class token looks at
// them with each head, and the answers without a head.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/attention/places.h"
#include "core/base/execution.h"
#include "core/images/image_model.h"
#include "core/images/shapes.h"

namespace headscope::images {

/// The held-out drawings of an evaluation, and those over which the heads' looks are measured: the
/// first of them.
inline constexpr Index kHeldOutDrawings = 600;
inline constexpr Index kLookedAtDrawings = 200;

struct ShapeAnswers {
  double loss = 0.0;                          // nats per drawing
  double right = 0.0;                         // share of the drawings
  std::array<double, kShapeKinds> rightOf{};  // of each kind
  /// For each head, layer by layer, the mean share of the class token's weights that lies on the
  /// patches that the shape touches, and on the class token itself.
  std::vector<double> onShape, onClass;

  /// The place, among all heads, of the one that looks most at the shape.
  std::size_t looksMost() const;
};

/// Names the shapes of held-out drawings, with `off` switched off: it adds nothing. Nothing where
/// cancelled. The caller's ScopedThreadLimit limits the threads.
std::optional<ShapeAnswers> shapeAnswers(const ImageModel& model, const ExecutionContext& execution,
                                         std::optional<HeadOfLayer> off = std::nullopt);

/// The share of right answers without each head, layer by layer. Nothing where cancelled.
std::optional<std::vector<double>> rightWithoutEach(const ImageModel& model,
                                                    const ExecutionContext& execution);

/// The mean share of tokens that the shape touches: what a head that looks everywhere alike puts on
/// it.
double touchedShare(const ImageModelSettings& settings);

}  // namespace headscope::images
