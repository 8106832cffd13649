#include "core/formats/model_run_state.h"

#include <utility>

namespace headscope::formats {
using model_training::Schedule;

void addSchedule(Json& settings, const Schedule& schedule) {
  for (auto& [name, value] : optimiserFields(schedule.optimiser)) settings[name] = std::move(value);
  settings["batch"] = schedule.batch;
  settings["steps"] = schedule.steps;
  settings["warm_up"] = schedule.warmUp;
  settings["seed"] = schedule.seed;
  settings["evaluate_every"] = schedule.evaluateEvery;
  settings["snapshot_bytes"] = schedule.snapshotBytes;
}

void readSchedule(const JsonField& settings, Schedule& schedule) {
  schedule.optimiser = optimiserFrom(settings);
  schedule.batch = settings.at("batch").whole();
  schedule.steps = settings.at("steps").whole();
  schedule.warmUp = settings.at("warm_up").whole();
  schedule.seed = settings.at("seed").seed();
  schedule.evaluateEvery = settings.at("evaluate_every").whole();
  schedule.snapshotBytes = settings.at("snapshot_bytes").whole();
}

}  // namespace headscope::formats
