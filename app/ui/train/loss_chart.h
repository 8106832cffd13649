// Loss chart: the losses of a whole model in training, of its batches and of what is held out, over
// the steps of a run that is watched: LiveLanguage or LiveShapes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/train/run_chart.h"
#include "app/ui/widgets.h"
#include "app/watched_run.h"
#include "core/base/translation.h"
#include "core/model_training/model_trainer.h"

namespace headscope::ui {

template <typename Moment>
RunSteps runStepsOf(const Moment& moment) {
  return {moment.settings.steps, moment.stepsTaken, moment.step};
}

/// Draws the curves; a drag along them looks back. `heldOut` names what is held out; `lossOf` gives
/// its loss in an evaluation.
template <typename Run, typename Moment, typename LossOf>
void lossChart(const FrameContext& look, const Rect& room, Run& run, const Moment& moment,
               const std::string& heldOut, const std::vector<RunMark>& marks, LossOf lossOf) {
  std::vector<ChartPoint> batches, evaluated;
  double most = 0.0;
  for (const model_training::StepRecord& record : moment.records) {
    batches.push_back({static_cast<double>(record.step), record.loss});
    most = std::max(most, record.loss);
  }
  for (const auto& at : moment.evaluations) {
    evaluated.push_back({static_cast<double>(at.step), lossOf(at)});
    most = std::max(most, lossOf(at));
  }
  const auto* record = moment.record();
  const auto* now = moment.evaluation();
  const std::string batch =
      record != nullptr ? trFormat("batch {:.3f}", record->loss) : std::string("batch");
  RunChart chart(look, room, runStepsOf(moment), "",
                 {{batch, look.theme.textMuted},
                  {now != nullptr ? fmt::format("{} {:.3f}", heldOut, lossOf(*now)) : heldOut,
                   look.theme.accent}},
                 roundAxis(0.0, most > 0.0 ? most : 1.0));
  chart.curve(0, std::move(batches));
  chart.curve(1, std::move(evaluated));
  const auto dragged = chart.finish("loss", marks, [&](Index step) -> std::string {
    const auto* at = newestAt(moment.evaluations, step);
    if (at == nullptr) return {};
    return trFormat("step {}: loss {:.3f} of {}", at->step, lossOf(*at), heldOut);
  });
  if (dragged) run.showStep(*dragged);
}

}  // namespace headscope::ui
