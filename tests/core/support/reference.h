// Reference: multi-head attention written down once more, in double and with plain loops, to hold
// the engine against.
#pragma once

#include <limits>
#include <map>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/tensor_id.h"
#include "core/document/document.h"

namespace headscope::test {

/// Returns whether a query may attend to a key, by the definition of each rule; the engine works
/// with ranges of keys instead.
bool mayAttend(const AttentionConfig& c, Index item, Index query, Index key);
bool fullyMasked(const AttentionConfig& c, Index item, Index query);

/// The softmax over the finite scores; zeros where there are none.
std::vector<double> softmax(const std::vector<double>& scores,
                            double sink = -std::numeric_limits<double>::infinity());

/// ALiBi's slopes as the authors' code gives them (get_slopes): of a power of two a geometric row
/// that starts with its own ratio; else those of the power below, then every second one of twice
/// as many.
std::vector<double> slopesOf(Index heads);

/// Every result of a pass, row-major in the shape of shapeOf.
using Reference = std::map<TensorId, std::vector<double>>;
Reference referencePass(const Document& document);

}  // namespace headscope::test
