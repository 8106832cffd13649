// Status bar: messages on the left; steps run, time, parameters and FLOPs on the right; and for as
// long as a common mistake is on, a badge that says so. First pass: the screen until there is a
// trace to show, with what is computed and how far it is, or why there will be none.
#pragma once

#include <optional>
#include <string>

#include "app/ui/panel.h"
#include "app/worker.h"

namespace headscope::ui {

struct Status {
  std::string message;
  bool isError = false;
  Worker::Progress progress;
  std::string figures = {};  // at the right
  /// Of weights that form.
  struct Learning {
    Index step = 0, steps = 1;
    std::string what = "Learning heads";
    std::string whenStopped =
        "Stops learning: designed heads instead. \"Learn heads at new sizes\" under more … turns "
        "it "
        "off for good.";
  };
  std::optional<Learning> learning{};
  std::string toTry = {};         // where there is no message: larger, in place of the figures
  std::string notAutosaved = {};  // why; a badge shows it as long as it lasts
};

/// "recomputed 9 of 9 steps in 0.21 ms · 1,050,624 parameters · 12.7 MFLOP"
std::string passFigures(const Trace& trace);

/// "computing softmax (6 of 9), 1.2 s"
std::string inWords(const Worker::Progress& progress, const AttentionConfig& config);

void statusBar(const PanelContext& panel, const Status& status, const Rect& at);

void firstPass(const FrameContext& look, const AttentionConfig& config, const Status& status);

/// "mistake on: softmax over the queries"; empty where none is.
std::string mistakesInWords(const AttentionConfig& config);
/// Of the pass shown; empty while a lesson asks to find them.
std::string mistakesInWords(const PanelContext& panel);

/// The badge at a place, no wider than `room`; a click opens the tool. Gives the width it takes, 0
/// where no mistake is on.
float mistakeBadge(const PanelContext& panel, ImVec2 at, float room);
float mistakeBadgeHeight(const FrameContext& look);

}  // namespace headscope::ui
