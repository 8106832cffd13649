// Model passes: a whole model's pass as one of the programs that compare_model.py times in turns.
// Each line on standard input is a task; each is answered with one line:
//   pass TOKENS THREADS SECONDS   best time of a pass with other tokens than the one before, all
//                                 attentions kept, and the logits of every token, in ms
//   gemm TOKENS THREADS SECONDS   best time of its products alone, in ms, by the fastest library
//   ids                           the tokens of the last pass
//   write FILE.npy                the logits of the last pass
#pragma once

#include <string>

namespace headscope::bench {

int serveModel(const std::string& folder);

}  // namespace headscope::bench
