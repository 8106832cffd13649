// Numbers as text: as sentences, cells and tables show them; bytes and FLOPs in their units.
#pragma once

#include <string>

#include "core/base/index.h"

namespace headscope {

/// About `digits` significant digits, whole numbers whole, "−0" never; "−∞", "not a number".
std::string number(double value, int digits = 4);

/// A difference of which only the order of magnitude matters: "0", "3.6e-07", "0.012".
std::string nearZeroText(double value);

/// A number as in a cell of a matrix: with `decimals` decimals, whatever its size.
std::string cellNumber(double value, int decimals);

/// A factor of a product, a negative one in brackets: "0.26", "(−0.33)".
std::string factorText(double value);

/// "1.07 GB", "344 kB": powers of ten.
std::string bytesInWords(Index bytes);
/// "12.7 M": for a table that names the unit.
std::string flopsAmount(Index flops);
/// "12.7 MFLOP".
std::string flopsInWords(Index flops);
/// "1,050,624".
std::string withThousands(Index count);
/// "1,204 heads", "1 head": a count with thousands separated, in the text for one or for several,
/// which languages form differently. For example `counted(n, tr("{} head"), tr("{} heads"))`.
std::string counted(Index count, const char* one, const char* several);

}  // namespace headscope
