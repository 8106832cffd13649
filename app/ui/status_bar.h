// Status bar: messages on the left; steps run, time, parameters and FLOPs on the right; and a badge
// while a common mistake is on. First pass: the screen until the first trace exists, with the
// current step and progress, or the reason for a failure.
#pragma once

#include <optional>
#include <string>

#include "app/ui/frame_context.h"
#include "app/worker.h"
#include "core/base/translation.h"
#include "core/document/fwd.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::ui {

struct PanelContext;

struct Status {
  std::string message;
  bool isError = false;
  Worker::Progress progress;
  std::string figures = {};  // text at the right
  /// The progress of learning weights, or of a film that is made.
  struct Learning {
    Index step = 0, steps = 1;
    std::string what = tr("Learning heads");
    std::string whenStopped =
        tr("Stops learning and uses designed heads. \"Learn heads at new sizes\" under more … "
           "switches it off permanently.");
    std::string unit = "step";
  };
  std::optional<Learning> learning{};
  std::string toTry = {};         // a suggestion, larger; replaces the figures where no message is
  std::string notAutosaved = {};  // the reason; a badge shows it as long as it applies
};

/// The figures of a pass, with its time where that was measured: "recomputed 9 of 9 steps in 0.21
/// ms · 1,050,624 parameters · 12.7 MFLOP".
std::string passFigures(const Trace& trace);

/// The progress in words: "computing softmax (6 of 9), 1.2 s".
std::string inWords(const Worker::Progress& progress, const AttentionConfig& config);

void statusBar(const PanelContext& panel, const Status& status, const Rect& at);

void firstPass(const FrameContext& look, const AttentionConfig& config, const Status& status);

/// The mistakes that are on: "mistake on: softmax over the queries"; empty where none is.
std::string mistakesInWords(const AttentionConfig& config);
/// The mistakes of the shown pass; empty while a lesson asks to find them.
std::string mistakesInWords(const PanelContext& panel);

/// Draws the badge at a place, no wider than `room`; a click opens the tool. Returns its width, 0
/// where no mistake is on.
float mistakeBadge(const PanelContext& panel, ImVec2 at, float room);
float mistakeBadgeHeight(const FrameContext& look);

}  // namespace headscope::ui
