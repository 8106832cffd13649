// Passes: a benchmark for every preset there is.
#pragma once

namespace headscope::bench {

void registerPasses();

}  // namespace headscope::bench
