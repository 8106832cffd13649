// Model run state: the fields of run.json that the saved runs of all whole models in training have
// in common: the schedule and the steps taken (run_state.h has those of every run).
#pragma once

#include <vector>

#include "core/base/json.h"
#include "core/formats/run_state.h"
#include "core/model_training/model_trainer.h"

namespace headscope::formats {

/// Adds the schedule to "settings", and reads it.
void addSchedule(Json& settings, const model_training::Schedule& schedule);
void readSchedule(const JsonField& settings, model_training::Schedule& schedule);

/// Adds "steps_taken", "training_ms" and "curve" of a run's state.
template <typename State>
void addSteps(Json& run, const State& state) {
  run["steps_taken"] = state.stepsTaken;
  run["training_ms"] = state.trainingMs;
  Json curve = Json::emptyList();
  for (const model_training::StepRecord& r : state.records) {
    curve.push_back(std::vector<double>{r.loss, r.gradientLength});
  }
  run["curve"] = std::move(curve);
}
/// Reads them; the curve has a row for each step.
template <typename State>
void readSteps(const JsonField& run, State& state) {
  state.stepsTaken = run.at("steps_taken").whole();
  if (state.stepsTaken < 0) run.at("steps_taken").fail("must be 0 or more");
  state.trainingMs = run.at("training_ms").number();
  for (const JsonField& step :
       itemsOf(run.at("curve"), static_cast<std::size_t>(state.stepsTaken))) {
    const std::vector<double> pair = numbersFrom(step, 2);
    state.records.push_back({std::ssize(state.records) + 1, pair[0], pair[1]});
  }
}

}  // namespace headscope::formats
