// Numbers as sentences, cells and tables show them, and what a configuration costs in words.
#pragma once

#include <string>

#include "core/config.h"

namespace headscope {

/// About `digits` significant digits, whole numbers whole, "−0" never; "−∞", "not a number".
std::string number(double value, int digits = 4);

/// A difference between two ways of computing the same, of which it matters how nearly 0 it is:
/// "0", "3.6e-07", "0.012".
std::string nearZeroText(double value);

/// As a matrix's cell shows it: so many decimals, whatever its size.
std::string cellNumber(double value, int decimals);

/// A factor of a product, a negative one in brackets: "0.26", "(−0.33)".
std::string factorText(double value);

/// Two lines for a tooltip: the cost now, and, where it is valid, of the one that is doubled.
std::string costTip(const AttentionConfig& now, const AttentionConfig& doubled);

}  // namespace headscope
