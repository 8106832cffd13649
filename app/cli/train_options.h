// Train options: the flags of the train command, and what its two kinds of runs share: those of a
// task (train.cpp) and those of a language model (train_language.cpp).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/execution.h"
#include "core/base/index.h"

namespace CLI {
class App;
}  // namespace CLI

namespace headscope::cli {

struct LanguageOptions {
  std::string text, cutInto;  // empty where not given
  std::optional<Index> vocabulary, kvHeads, context, warmUp;
  bool noNetworks = false, noNorms = false, rotary = false;
};

struct TrainOptions {
  std::string task, from, save, saveModel, log;  // empty where not given
  std::optional<Index> layers, dModel, heads, batch, steps;
  std::optional<double> rate;
  std::optional<std::uint64_t> seed;
  int threads = 0;
  bool json = false;
  LanguageOptions language;
};

/// A flag, and whether it is given.
struct GivenFlag {
  const char* flag;
  bool given;
};
/// Throws UserError for a given flag among those that a saved run has fixed.
void refuseFixed(std::initializer_list<GivenFlag> flags);

/// The flags that only runs of language models take, and those that a saved run of one has fixed.
std::vector<GivenFlag> languageFlags(const LanguageOptions& options);
void addLanguageOptions(CLI::App& app, LanguageOptions& options);
/// Trains a language model, or continues its saved run.
void runLanguage(const TrainOptions& options, std::ostream& out);

/// Prints the progress of a run on stderr: one updated line in a terminal, occasional lines
/// elsewhere.
class TrainProgress {
 public:
  ~TrainProgress();
  /// `run`: a Trainer or a LanguageTrainer.
  template <typename Run>
  void show(const Run& run) {
    if (!run.records().empty()) {
      show(run.stepsTaken(), run.settings().steps, run.records().back().loss);
    }
  }

 private:
  void show(Index step, Index steps, double loss);

  bool terminal_ = false, begun_ = false, shown_ = false;
  double printed_ = 0.0;
};

/// Takes the remaining steps of a run, prints its progress, and evaluates it at its end. `run`: a
/// Trainer or a LanguageTrainer.
template <typename Run>
void takeAllSteps(Run& run, const ExecutionContext& execution) {
  {
    TrainProgress progress;
    while (!run.finished()) {
      run.step(execution);
      progress.show(run);
    }
  }
  run.evaluate(execution);
}

/// Names the files that a run was written to.
void printWritten(std::ostream& out, const TrainOptions& options);

}  // namespace headscope::cli
