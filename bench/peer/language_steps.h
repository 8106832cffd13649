// Language steps: training steps of a language model as one of the programs that
// compare_training.py times in turns. Each line on standard input is a task; each is answered with
// one line:
//   shapes                  of the model and of a batch, as JSON
//   step THREADS SECONDS    best time of a training step (a batch drawn, forward, loss, backward,
//                           the optimiser's step), in ms
//   gemm THREADS SECONDS    best time of its products alone, in ms, by the fastest library
#pragma once

#include <string>

namespace headscope::bench {

/// Returns whether a name is a language model's size: "lm_2_192_6_64_96", the layers, d_model,
/// heads, texts of a batch and tokens of a text.
bool isLanguageSize(const std::string& name);
int serveLanguage(const std::string& name);

}  // namespace headscope::bench
