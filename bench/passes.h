// Passes: a benchmark for every preset there is.
#pragma once

namespace headscope::bench {

void registerPasses();
/// One training step of each task and of some sizes.
void registerTraining();

}  // namespace headscope::bench
