// Train options: the flags of the train command, and what its kinds of runs share: those of a task
// (train.cpp), of a language model (train_language.cpp) and of shapes (train_shapes.cpp).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/places.h"
#include "core/base/error.h"
#include "core/base/execution.h"
#include "core/base/files.h"
#include "core/base/index.h"
#include "core/base/json.h"

namespace CLI {
class App;
}  // namespace CLI

namespace headscope::cli {

struct LanguageOptions {
  std::string text, cutInto, keep;  // empty where not given
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
/// Returns whether a flag among them is of texts alone, not of stories.
bool isFlagOfText(std::string_view flag);
void addLanguageOptions(CLI::App& app, LanguageOptions& options);
/// Trains a language model, or continues its saved run.
void runLanguage(const TrainOptions& options, std::ostream& out);
/// Trains an image model on shapes, or continues its saved run.
void runShapes(const TrainOptions& options, std::ostream& out);

/// Takes over the flags of a run's size and steps.
template <typename Settings>
void takeGiven(const TrainOptions& o, Settings& s) {
  s.model.layers = o.layers.value_or(s.model.layers);
  s.model.dModel = o.dModel.value_or(s.model.dModel);
  s.model.heads = o.heads.value_or(s.model.heads);
  s.batch = o.batch.value_or(s.batch);
  s.steps = o.steps.value_or(s.steps);
  s.seed = o.seed.value_or(s.seed);
  s.optimiser.learningRate = o.rate.value_or(s.optimiser.learningRate);
}
/// Changes a saved run as the flags say.
template <typename Run>
void changeGiven(const TrainOptions& o, Run& run) {
  if (o.batch) run.setBatch(*o.batch);
  if (o.rate) run.setLearningRate(*o.rate);
  if (o.steps) run.setSteps(*o.steps);
}

/// "layer 1, head 3".
std::string headInWords(const HeadOfLayer& head);
/// The head without which the fewest answers are right, and their share.
struct MostMissed {
  HeadOfLayer head;
  double right = 0.0;
};
/// `withoutEach`: the share without each head, layer by layer.
MostMissed mostMissed(const std::vector<double>& withoutEach, Index heads);
/// {"layer", "head", "accuracy_without"}; null where no head is missed.
Json missedJson(const MostMissed& missed, double right);

/// Prints the progress of a run on stderr: one updated line in a terminal, occasional lines
/// elsewhere.
class TrainProgress {
 public:
  ~TrainProgress();
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

/// Takes the remaining steps of a run, prints its progress, and evaluates it at its end. `look` is
/// called before the first step and after each one.
template <typename Run, typename Look>
void takeAllSteps(Run& run, const ExecutionContext& execution, Look look) {
  {
    TrainProgress progress;
    look();
    while (!run.finished()) {
      run.step(execution);
      progress.show(run);
      look();
    }
  }
  run.evaluate(execution);
}

/// Takes all steps of a run as takeAllSteps does and writes the files that the flags name. `save`
/// and `saveModel` write a folder; `curves` gives the log. Returns the milliseconds of a step.
/// Throws UserError where the run has stopped.
template <typename Run, typename Save, typename SaveModel, typename Curves, typename Look>
double trainAndWrite(Run& run, const TrainOptions& o, const ExecutionContext& execution, Save save,
                     SaveModel saveModel, Curves curves, Look look) {
  takeAllSteps(run, execution, look);
  if (!o.save.empty()) save(o.save);
  if (!o.saveModel.empty()) saveModel(o.saveModel);
  if (!o.log.empty()) {
    writeAtomically(o.log, [&](std::ostream& file) { file << curves(); });
  }
  if (run.stopped()) throw UserError(run.stopped()->words);
  const auto taken = static_cast<double>(run.stepsTaken());
  return taken > 0.0 ? run.trainingMs() / taken : 0.0;
}

/// Names the files that a run was written to.
void printWritten(std::ostream& out, const TrainOptions& options);

}  // namespace headscope::cli
