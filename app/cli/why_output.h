// Why output: a chain as text on the terminal.
#pragma once

#include <ostream>

#include "core/formats/why_json.h"

namespace headscope::cli {

/// Prints the levels of a chain, each with its largest parts; layers, heads and places from 1.
void printWhy(std::ostream& out, const model::WhyChain& chain, const formats::WhyNames& names);

}  // namespace headscope::cli
