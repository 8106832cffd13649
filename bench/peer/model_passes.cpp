#include "bench/peer/model_passes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <sstream>
#include <vector>

#include "bench/peer/timing.h"
#include "core/base/memory_budget.h"
#include "core/formats/model_directory.h"
#include "core/formats/numpy_files.h"
#include "core/model/model_trace.h"
#include "core/tensor/gemm.h"

namespace headscope::bench {
namespace {

using model::ModelConfig;

class ModelPasses {
 public:
  explicit ModelPasses(const std::string& folder)
      : model_(formats::openModel(folder, defaultMemoryBudget() / 2)) {}

  double best(Index tokens, int threads, double seconds) {
    ExecutionContext execution;
    execution.threads = threads;
    execution.memory = memory_;
    ExecutionContext ofLogits = execution;
    ofLogits.memory = logitsMemory_;
    logitsMemory_->keepFree(static_cast<Index>(sizeof(float)) * tokens *
                            model_->config().vocabulary);
    return bestMs(seconds, [&] {
      last_ = runModel(makeModelDocument(model_, inputOf(tokens)), last_, execution,
                       defaultMemoryBudget() / 2);
      logits_ = {};  // the next logits reuse its memory
      logits_ = last_->logits(0, tokens, ofLogits);
    });
  }

  std::vector<TimedProduct> products(Index tokens) const {
    const ModelConfig& c = model_->config();
    const Index matrices = c.layers * c.heads;
    return {{tokens, c.dModel, c.dModel, 4 * c.layers}, {tokens, c.headDim, tokens, matrices},
            {tokens, tokens, c.headDim, matrices},      {tokens, c.dModel, c.ffWidth, c.layers},
            {tokens, c.ffWidth, c.dModel, c.layers},    {tokens, c.dModel, c.vocabulary, 1}};
  }

  const std::vector<Index>& ids() const { return last_->document().input.ids; }
  const Tensor& logits() const { return logits_; }

 private:
  /// Draws tokens that differ from call to call.
  model::ModelInput inputOf(Index tokens) {
    ++passes_;
    model::ModelInput input;
    for (Index i = 0; i < tokens; ++i) {
      input.ids.push_back((passes_ * 31 + i * 7919) % model_->config().vocabulary);
    }
    return input;
  }

  model::ModelPtr model_;
  BlockStorePtr memory_ = std::make_shared<BlockStore>();
  BlockStorePtr logitsMemory_ = std::make_shared<BlockStore>();
  model::ModelTracePtr last_;
  Tensor logits_;
  Index passes_ = 0;
};

}  // namespace

int serveModel(const std::string& folder) {
  prepareGemm();
  ModelPasses passes(folder);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string task, file;
    words >> task;
    if (task == "write") {
      words >> file;
      formats::writeNpy(file, passes.logits());
      std::cout << "written" << std::endl;
      continue;
    }
    if (task == "ids") {
      std::cout << fmt::format("{}", fmt::join(passes.ids(), " ")) << std::endl;
      continue;
    }
    Index tokens = 1;
    int threads = 1;
    double seconds = 1.0;
    words >> tokens >> threads >> seconds;
    std::cout << (task == "gemm" ? bestGemmMs(passes.products(tokens), threads, seconds)
                                 : passes.best(tokens, threads, seconds))
              << std::endl;
  }
  return 0;
}

}  // namespace headscope::bench
