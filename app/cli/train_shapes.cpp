// The train command for shapes: an image model learns to name the shape in a picture. It prints how
// many it names, where the class token looks with each head, and the answers without each.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "app/cli/train_options.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/formats/shape_run.h"
#include "core/formats/training_curves.h"
#include "core/images/shape_trainer.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {
using namespace headscope::images;

/// Creates a new run, or continues a saved one.
std::unique_ptr<ShapeTrainer> shapeRunOf(const TrainOptions& o) {
  const Index budget = defaultMemoryBudget();
  if (o.from.empty()) {
    ShapeSettings settings;
    takeGiven(o, settings);
    settings.warmUp = std::min(settings.warmUp, std::max<Index>(1, settings.steps));
    return std::make_unique<ShapeTrainer>(settings, budget);
  }
  auto run = formats::loadShapeRun(o.from, budget);
  changeGiven(o, *run);
  return run;
}

/// Results that are computed once a run has ended.
struct ShapeFindings {
  std::vector<HeadSimilarity> similarity;
  std::vector<double> withoutEach;  // right without each head
  double touched = 0.0;             // the share of tokens that a shape touches
};

ShapeFindings shapeFindingsOf(const ShapeTrainer& run, const ExecutionContext& execution) {
  const ScopedThreadLimit threads(threadsFor(std::numeric_limits<Index>::max(), execution.threads));
  return {run.similarity(execution).value(), rightWithoutEach(run.model(), execution).value(),
          touchedShare(run.settings().model)};
}

Json shapesTrainedJson(const ShapeTrainer& run, const ShapeFindings& found, double msPerStep) {
  const ShapeAnswers& last = run.evaluations().back().answers;
  const Index heads = run.settings().model.heads;
  Json loss = Json::emptyList();
  for (const ShapeEvaluation& e : run.evaluations()) {
    loss.push_back(Json::List{e.step, numberJson(e.answers.loss)});
  }
  Json accuracy{{"shape", last.right}};
  for (std::size_t kind = 0; kind < last.rightOf.size(); ++kind) {
    accuracy[kShapeNames[kind]] = last.rightOf[kind];
  }
  Json looks = Json::emptyList();
  for (std::size_t h = 0; h < last.onShape.size(); ++h) {
    const auto head = static_cast<Index>(h);
    looks.push_back({{"layer", head / heads},
                     {"head", head % heads},
                     {"on_shape", last.onShape[h]},
                     {"on_class", last.onClass[h]},
                     {"accuracy_without", found.withoutEach[h]}});
  }
  const std::size_t most = last.looksMost();
  const auto mostHead = static_cast<Index>(most);
  const std::optional<Index> at = run.answeredAt();
  Json relation{{"name", "shape"},
                {"layer", mostHead / heads},
                {"head", mostHead % heads},
                {"mass", last.onShape[most]},
                {"found_at_step", at ? Json(*at) : Json()},
                {"accuracy_without", found.withoutEach[most]},
                {"most_missed", missedJson(mostMissed(found.withoutEach, heads), last.right)}};
  Json similarity = Json::emptyList();
  for (const HeadSimilarity& layer : found.similarity) similarity.push_back(rowsJson(layer));
  return {
      {"task", formats::kShapesTask},        {"parameters", parameterCount(run.settings().model)},
      {"steps", run.stepsTaken()},           {"loss", std::move(loss)},
      {"accuracy", std::move(accuracy)},     {"relations", Json::List{std::move(relation)}},
      {"looks", std::move(looks)},           {"touched_tokens", found.touched},
      {"similarity", std::move(similarity)}, {"ms_per_step", numberJson(msPerStep)}};
}

void printLooks(std::ostream& out, const ShapeTrainer& run, const ShapeFindings& found) {
  const ShapeAnswers& last = run.evaluations().back().answers;
  const Index heads = run.settings().model.heads;
  TextTable table({Align::left, Align::right, Align::right, Align::right});
  table.add({"head", "on the shape", "on itself", "right without"});
  for (std::size_t h = 0; h < last.onShape.size(); ++h) {
    const auto head = static_cast<Index>(h);
    table.add({headInWords({head / heads, head % heads}), fmt::format("{:.3f}", last.onShape[h]),
               fmt::format("{:.3f}", last.onClass[h]),
               fmt::format("{:.3f}", found.withoutEach[h])});
  }
  table.print(out);
  out << fmt::format(
      "\n\"on the shape\": the share of the class token's weights on patches that the shape "
      "touches, the mean over\n{} pictures that were not learned from; these patches are {:.3f} of "
      "all tokens. \"right without\": the answers\nwith the head switched off.\n",
      withThousands(kLookedAtDrawings), found.touched);
}

void printShapeRun(std::ostream& out, const ShapeTrainer& run, const ShapeFindings& found,
                   double msPerStep) {
  const ShapeSettings& s = run.settings();
  const ShapeEvaluation& last = run.evaluations().back();
  const Index grid = kDrawingSide / s.model.patch;
  out << fmt::format("Shapes: the shape in a picture of {0} × {0} pixels, {1} × {1} patches\n",
                     kDrawingSide, grid);
  out << fmt::format(
      "{} layer{}, d_model {}, {} head{}, {} parameters; batch {}, learning rate {:g}, seed {}\n",
      s.model.layers, s.model.layers == 1 ? "" : "s", s.model.dModel, s.model.heads,
      s.model.heads == 1 ? "" : "s", withThousands(parameterCount(s.model)), s.batch,
      s.optimiser.learningRate, s.seed);
  out << fmt::format(
      "step {}: loss {:.3f} on {} held-out pictures, {:.3f} at the start; {:.1f} ms a step\n",
      withThousands(run.stepsTaken()), last.answers.loss, kHeldOutDrawings,
      run.evaluations().front().answers.loss, msPerStep);
  out << fmt::format("{:.1f} % are named right:", 100.0 * last.answers.right);
  for (std::size_t kind = 0; kind < last.answers.rightOf.size(); ++kind) {
    out << fmt::format("{} {} {:.1f} %", kind == 0 ? "" : ",", kShapeNames[kind],
                       100.0 * last.answers.rightOf[kind]);
  }
  out << "\n\n";
  printLooks(out, run, found);
}

}  // namespace

void runShapes(const TrainOptions& options, std::ostream& out) {
  prepareGemm();
  const std::unique_ptr<ShapeTrainer> run = shapeRunOf(options);
  ExecutionContext execution;
  execution.threads = options.threads;
  const double msPerStep = trainAndWrite(
      *run, options, execution, [&](const std::string& folder) { formats::saveRun(folder, *run); },
      [&](const std::string& folder) { formats::saveAsModel(folder, run->model()); },
      [&] {
        return formats::curvesCsv(run->records(), run->evaluations(), run->settings().model.heads);
      },
      [] {});
  const ShapeFindings found = shapeFindingsOf(*run, execution);
  if (options.json) {
    return printJson(out, withSchema("train", shapesTrainedJson(*run, found, msPerStep)));
  }
  printShapeRun(out, *run, found, msPerStep);
  printWritten(out, options);
}

}  // namespace headscope::cli
