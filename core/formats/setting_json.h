// Settings of a pass that are neither a flag nor a number, as JSON: the rotation, the norm of
// queries and keys, the scores of content and position, and the pair bias. What only some models
// have is written where it is not the default.
#pragma once

#include "core/attention/head_norm.h"
#include "core/attention/pair_bias.h"
#include "core/attention/relative_scores.h"
#include "core/attention/rotary.h"
#include "core/base/json.h"

namespace headscope::formats {

Json rotaryJson(const Rotary& rotary);
Json headNormJson(const HeadNorm& norm);
Json relativeJson(const RelativeScores::Settings& settings);
Json pairBiasJson(const PairBias::Settings& settings);

// Each throws UserError that names the field.
Rotary rotaryFrom(const JsonField& field);
HeadNorm headNormFrom(const JsonField& field);
RelativeScores relativeFrom(const JsonField& field);
/// A drawn bias must have the sizes of the layer, which were checked: it is drawn here.
PairBias pairBiasFrom(const JsonField& field, const AttentionConfig& config);

}  // namespace headscope::formats
