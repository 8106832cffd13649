// Benchmarks that are registered one by one, for what the program has: presets, tasks, views.
#pragma once

namespace headscope::bench {

/// A pass of each preset.
void registerPasses();
/// One training step of each task and of some sizes.
void registerTraining();
/// A frame of each page, and of each tool and tab that opens by itself.
void registerViews();

}  // namespace headscope::bench
