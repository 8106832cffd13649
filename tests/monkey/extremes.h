// Extremes: values, counts and texts at and past the edges of what is taken.
#pragma once

#include <string>

#include "core/tensor/tensor.h"
#include "random.h"

namespace headscope::monkey {

/// Mostly small; now and then 1e30, a denormal, −0, NaN, ∞.
float anyFloat(Random& random);
double anyDouble(Random& random);
/// Mostly 1 … 12; now and then 0, negative, 96, 512, 2^63 − 1.
Index anyCount(Random& random);

/// A sentence: words, marks, scripts of every kind, bytes that are no UTF-8. No slash and no tilde:
/// in a field for a file's name it stays in the current folder.
std::string anyText(Random& random);
/// A text for a number field: usual numbers, and nonsense.
std::string anyNumber(Random& random);
/// A file's name.
std::string anyName(Random& random);

}  // namespace headscope::monkey
