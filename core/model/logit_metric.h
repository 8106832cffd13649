// Logit metric: the numbers by which experiments compare two predictions: the logit of a word, or
// the difference of two, and the divergence of the whole predictions.
#pragma once

#include <span>

#include "core/model/patching.h"

namespace headscope::model {

/// The logit of the asked word, or logit(word) − logit(other), in a row of logits (V).
double metricOf(std::span<const float> logits, const AskedWord& asked);

/// KL(p ‖ q) in nats, of the softmax of two rows of logits (V).
double divergenceBetween(std::span<const float> p, std::span<const float> q);

}  // namespace headscope::model
