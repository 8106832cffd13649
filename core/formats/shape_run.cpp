#include "core/formats/shape_run.h"

#include <utility>

#include "core/base/error.h"
#include "core/formats/model_run_state.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using namespace headscope::images;

Json shapeSettingsJson(const ShapeSettings& s) {
  Json json{{"layers", s.model.layers},
            {"d_model", s.model.dModel},
            {"heads", s.model.heads},
            {"patch", s.model.patch}};
  addSchedule(json, s);
  return json;
}

ShapeSettings shapeSettingsFrom(const JsonField& field) {
  ShapeSettings s;
  s.model.layers = field.at("layers").whole();
  s.model.dModel = field.at("d_model").whole();
  s.model.heads = field.at("heads").whole();
  s.model.patch = field.at("patch").whole();
  readSchedule(field, s);
  return s;
}

Json shapeEvaluationJson(const ShapeEvaluation& evaluation) {
  const ShapeAnswers& answers = evaluation.answers;
  return {{"step", evaluation.step},     {"held_out_loss", answers.loss},
          {"right", answers.right},      {"right_of", answers.rightOf},
          {"on_shape", answers.onShape}, {"on_class", answers.onClass}};
}

ShapeEvaluation shapeEvaluationFrom(const JsonField& field, const ImageModelSettings& s) {
  ShapeEvaluation evaluation;
  ShapeAnswers& answers = evaluation.answers;
  const auto heads = static_cast<std::size_t>(s.layers * s.heads);
  evaluation.step = field.at("step").whole();
  answers.loss = field.at("held_out_loss").number();
  answers.right = field.at("right").number();
  const std::vector<double> ofKinds = numbersFrom(field.at("right_of"), answers.rightOf.size());
  std::copy(ofKinds.begin(), ofKinds.end(), answers.rightOf.begin());
  answers.onShape = numbersFrom(field.at("on_shape"), heads);
  answers.onClass = numbersFrom(field.at("on_class"), heads);
  return evaluation;
}

std::unique_ptr<ShapeTrainer> shapeRunFrom(const JsonField& file, const fs::path& folder,
                                           Index memoryBudgetBytes) {
  if (file.at("task").text() != kShapesTask) file.at("task").fail("must be shapes");
  auto run =
      std::make_unique<ShapeTrainer>(shapeSettingsFrom(file.at("settings")), memoryBudgetBytes);
  ShapeTrainer::State state;
  readSteps(file, state);
  for (const JsonField& evaluation : file.at("evaluations").items()) {
    state.evaluations.push_back(shapeEvaluationFrom(evaluation, run->settings().model));
  }
  const bool moments = state.stepsTaken > 0;
  run->resume(std::move(state));
  readParameters(stateOf(file.at("tensors"), folder), run->parameters(), moments);
  return run;
}

}  // namespace

void saveRun(const fs::path& folder, const ShapeTrainer& run) {
  const ShapeTrainer::State state = run.state();
  Json evaluations = Json::emptyList();
  for (const ShapeEvaluation& e : state.evaluations) evaluations.push_back(shapeEvaluationJson(e));
  Json json = Json::objectOf(runFields(kShapesTask));
  json["settings"] = shapeSettingsJson(run.settings());
  addSteps(json, state);
  json["evaluations"] = std::move(evaluations);
  writeRun(folder, std::move(json), tensorsOf(run.model().parameters()));
}

std::unique_ptr<ShapeTrainer> loadShapeRun(const fs::path& folder, Index memoryBudgetBytes) {
  return readRun(
      folder, [&](const JsonField& file) { return shapeRunFrom(file, folder, memoryBudgetBytes); });
}

}  // namespace headscope::formats
