// Tokens: how fast a model folder's tokeniser is on a text.
#pragma once

#include <string_view>

namespace headscope::bench {

/// `--tokens=DIR,FILE`: prints the best and the median MB/s of nine times over the file, by the
/// time of the processor. False where the argument is another.
bool measureTokens(std::string_view argument);

}  // namespace headscope::bench
