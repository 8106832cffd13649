// Steering: a direction that is added to the residual stream that enters a layer, at every place or
// at one, while the model reads a text and while it continues it (activation addition: Turner et
// al. 2023). It is part of a ModelDocument, as edits are.
//
//   const auto joy = streamAt(*pass("Love"), 6, last), woe = streamAt(*pass("Hate"), 6, last);
//   const auto steered = withSteering(*document, {6, Steering::kEveryPlace, times(4.0, joy −
//   woe)});
#pragma once

#include <optional>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

/// The document with one steering more. Throws UserError for a layer or a place that does not
/// exist, for another number of coordinates than d_model, and for one that is not finite.
ModelDocumentPtr withSteering(const ModelDocument& document, Steering steering);

/// The stream with what steers it as it enters `layer`; row r stands at place firstPlace + r %
/// tokens. Returns `stream` itself where nothing does.
Tensor steered(const ModelDocument& document, Index layer, const Tensor& stream, Index firstPlace,
               Index tokens);
/// The sum of what steers a place as the stream enters `layer`: (D); empty where nothing does.
std::vector<float> additionAt(const ModelDocument& document, Index layer, Index place);
/// Returns whether two documents steer a layer alike.
bool sameSteering(const ModelDocument& a, const ModelDocument& b, Index layer);

// Directions, (D). Each throws UserError for a layer, head or place that does not exist.

/// The residual stream that enters a layer at a place.
std::vector<float> streamAt(const ModelTrace& trace, Index layer, Index place);
/// The addition of a head to the residual stream at a place.
std::vector<float> headAdditionAt(const ModelTrace& trace, HeadOfLayer head, Index place);

/// strength · (direction − from); an empty `from` is 0.
std::vector<float> addition(double strength, const std::vector<float>& direction,
                            const std::vector<float>& from);
/// The length of a direction.
double lengthOf(const std::vector<float>& direction);

}  // namespace headscope::model
