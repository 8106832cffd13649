// headscope_peer: the engine as one of the programs that compare_torch.py, compare_training.py
// and compare_model.py time in turns.
//
//   headscope_peer LAYER.safetensors HEADS
//
// The file holds `x` and an nn.MultiheadAttention's weights. Each line on standard input is a task;
// each is answered with one line:
//   pass THREADS SECONDS    best time of a whole pass, in ms
//   gemm THREADS SECONDS    best time of its products alone, in ms, by the fastest library
//   write FILE.npy          the output
//
//   headscope_peer --train TASK
//
// A task of the program, or a size of training_sizes.h.
//   shapes                  of the model and of a batch, as JSON
//   step THREADS SECONDS    best time of a training step (a batch drawn, forward, loss, backward,
//                           the optimiser's step), in ms
//   gemm THREADS SECONDS    best time of its products alone, in ms, by the fastest library
//
//   headscope_peer --train lm_LAYERS_DMODEL_HEADS_BATCH_TOKENS
//
// A language model; see language_steps.h.
//
//   headscope_peer --model DIR
//
// A model's folder; see model_passes.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/peer/language_steps.h"
#include "bench/peer/model_passes.h"
#include "bench/peer/timing.h"
#include "bench/peer/training_sizes.h"
#include "core/attention/state_dict.h"
#include "core/base/error.h"
#include "core/base/execution.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/editing/make_document.h"
#include "core/formats/numpy_files.h"
#include "core/formats/pass_files.h"
#include "core/tensor/gemm.h"
#include "tests/core/support/document_of_size.h"

namespace headscope::bench {
namespace {

DocumentPtr read(const std::string& path, Index heads) {
  const SafetensorsFile file(path);
  TensorSource source = formats::loadInput(file);
  const formats::LoadedWeights loaded = formats::loadWeights(file);
  AttentionConfig config;
  config.dModel = loaded.dModel;
  config.numHeads = config.numKvHeads = heads;
  Document document = *makeDocument("", config, InputSource(std::move(source)), Positions::none, {},
                                    defaultMemoryBudget());
  document.weights = loaded.weights;
  return std::make_shared<const Document>(std::move(document));
}

class Passes {
 public:
  explicit Passes(const DocumentPtr& document)
      : documents_{document, test::withNewInput(document)} {}

  double best(int threads, double seconds) {
    ExecutionContext execution;
    execution.threads = threads;
    execution.memory = memory_;
    return bestMs(seconds, [&] {
      std::swap(documents_[0], documents_[1]);
      last_ = runAttention(documents_[0], last_, execution);
    });
  }
  const Tensor& output() const { return last_->tensor(TensorId::output); }

 private:
  std::array<DocumentPtr, 2> documents_;
  BlockStorePtr memory_ = std::make_shared<BlockStore>();
  TracePtr last_;
};

std::vector<TimedProduct> productsOf(const AttentionConfig& c) {
  const Index matrices = c.batch * c.numHeads;
  return {{c.batch * c.seqLen, c.dModel, c.dModel, 4},
          {c.seqLen, c.dK(), c.keys(), matrices},
          {c.seqLen, c.keys(), c.dK(), matrices}};
}

int serve(const std::string& path, Index heads) {
  prepareGemm();
  const DocumentPtr document = read(path, heads);
  Passes passes(document);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string task, file;
    int threads = 1;
    double seconds = 1.0;
    words >> task;
    if (task == "write") {
      words >> file;
      formats::writeNpy(file, passes.output());
      std::cout << "written" << std::endl;
      continue;
    }
    words >> threads >> seconds;
    std::cout << (task == "gemm" ? bestGemmMs(productsOf(document->config), threads, seconds)
                                 : passes.best(threads, seconds))
              << std::endl;
  }
  return 0;
}

std::string shapesOf(const training::Task& task, const training::TrainingSettings& settings) {
  std::vector<Index> classes;
  for (const training::Question& question : task.questions) classes.push_back(question.classes);
  const training::ModelSettings& m = settings.model;
  return fmt::format(
      R"({{"layers":{},"d_model":{},"heads":{},"causal":{},"length":{},"features":[{}],)"
      R"("channels":{},"classes":[{}],"batch":{},"rate":{}}})",
      m.layers, m.dModel, m.heads, m.causal, task.length, fmt::join(task.features, ","),
      task.channels.size(), fmt::join(classes, ","), settings.batch,
      settings.optimiser.learningRate);
}

/// One product forward, and one backward for each of the two operands.
std::vector<TimedProduct> productsOf(const training::Task& task,
                                     const training::TrainingSettings& settings) {
  const training::ModelSettings& m = settings.model;
  const Index places = task.length, rows = settings.batch * places, width = m.dModel;
  const Index dK = width / m.heads, matrices = m.layers * settings.batch * m.heads;
  Index answers = 0;
  for (const training::Question& question : task.questions) answers += question.classes;
  return {{rows, width, width, 8 * m.layers}, {width, rows, width, 4 * m.layers},
          {places, dK, places, 2 * matrices}, {places, places, dK, 4 * matrices},
          {rows, width, answers, 1},          {rows, answers, width, 1},
          {width, rows, answers, 1}};
}

int serveTraining(const std::string& name) {
  prepareGemm();
  const auto sizes = trainingSizes();
  const auto size = std::find_if(sizes.begin(), sizes.end(),
                                 [&](const TrainingSize& s) { return s.name == name; });
  const training::Task& task = size == sizes.end() ? training::taskFromString(name) : size->task;
  training::TrainingSettings settings =
      size == sizes.end() ? training::settingsOf(task) : size->settings();
  settings.steps = settings.evaluateEvery = 100'000;  // steps alone
  training::Trainer trainer(task, settings, defaultMemoryBudget());
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "shapes") {
      std::cout << shapesOf(task, settings) << std::endl;
      continue;
    }
    ExecutionContext execution;
    double seconds = 1.0;
    words >> execution.threads >> seconds;
    std::cout << (what == "gemm"
                      ? bestGemmMs(productsOf(task, settings), execution.threads, seconds)
                      : bestMs(seconds, [&] { trainer.step(execution); }))
              << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace headscope::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: headscope_peer LAYER.safetensors HEADS | --train TASK | --model DIR\n";
    return 2;
  }
  try {
    if (std::string_view(argv[1]) == "--train") {
      return headscope::bench::isLanguageSize(argv[2]) ? headscope::bench::serveLanguage(argv[2])
                                                       : headscope::bench::serveTraining(argv[2]);
    }
    if (std::string_view(argv[1]) == "--model") return headscope::bench::serveModel(argv[2]);
    return headscope::bench::serve(argv[1], std::atoi(argv[2]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
