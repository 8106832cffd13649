// Run controls: the buttons of a run that is watched: LiveTraining or LiveLanguage.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {

/// Draws the buttons that train or pause, take one step, and reset the run by `reset`. `kept`: the
/// run has been kept, and is played.
template <typename Run, typename Moment>
void runButtons(const FrameContext& look, Run& run, const Moment& moment,
                const std::function<void()>& reset, bool kept = false) {
  const bool playing = run.playing();
  const char* first = kept ? tr("Play") : tr("Train");
  const char* word = playing ? tr("Pause") : moment.stepsTaken > 0 ? tr("Go on") : first;
  if (primaryPill(look, word, playing || !moment.finished)) run.play(!playing);
  tip(look, tr("Enter"));
  ImGui::SameLine(0.0F, look.space.small);
  if (pill(look, tr("Step"), false, !playing && !moment.finished)) run.stepOnce();
  tip(look, "→");
  ImGui::SameLine(0.0F, look.space.small);
  if (pill(look, tr("Reset"), false, moment.stepsTaken > 0)) reset();
  tip(look, tr("Home"));
  if (!moment.finished || moment.stopped || kept) return;
  ImGui::SameLine(0.0F, look.space.small);
  if (!pill(look, "100 more")) return;
  run.setSteps(moment.settings.steps + 100);
  run.play(true);
}

/// Draws the choice of a speed in steps per second; 0 is as fast as possible.
template <typename Run>
void speedChoice(const FrameContext& look, Run& run, const std::vector<double>& speeds) {
  std::vector<std::string> texts;
  for (const double speed : speeds) {
    texts.push_back(speed > 0.0 ? fmt::format("{:g}/s", speed) : std::string(tr("fast")));
  }
  std::vector<const char*> shown;
  for (const std::string& text : texts) shown.push_back(text.c_str());
  const auto now = std::find(speeds.begin(), speeds.end(), run.speed());
  flowOn(look, choicesWidth(look, shown), 14.0F);
  const int clicked = choices(look, "speed", shown, static_cast<int>(now - speeds.begin()));
  if (clicked >= 0) run.setSpeed(speeds[static_cast<std::size_t>(clicked)]);
  tip(look, tr("Steps per second: slow enough to watch, or as fast as possible"));
}

/// Draws the buttons of a moment that shows an earlier step.
template <typename Run, typename Moment>
void earlierStepPills(const FrameContext& look, Run& run, const Moment& moment) {
  if (moment.step == moment.stepsTaken) return;
  if (flowingPill(look, tr("go on from here"), tr("The steps after this one are discarded"))) {
    run.goBack(moment.step);
  }
  if (flowingPill(look, tr("back to the newest"), tr("Where the run is"))) run.lookAt(std::nullopt);
}

/// "step 20 of 300 (the run is at 60) · loss 1.234 · 2.50 s"
template <typename Moment>
std::string whereInRun(const Moment& moment) {
  std::string text =
      trFormat("step {} of {}", withThousands(moment.step), withThousands(moment.settings.steps));
  if (moment.step < moment.stepsTaken) {
    text += trFormat(" (the run is at {})", withThousands(moment.stepsTaken));
  }
  if (const auto* record = moment.record()) text += trFormat(" · loss {:.3f}", record->loss);
  if (moment.trainingMs > 0.0) text += fmt::format(" · {:.2f} s", moment.trainingMs / 1000.0);
  return text;
}

}  // namespace headscope::ui
