// Panel: the surroundings given to every panel. A panel reads the document and the trace, changes
// only the view, and pushes edits to change the document.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/color_maps.h"
#include "app/ui/fonts.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/layout.h"
#include "app/ui/theme.h"
#include "app/ui/view_state.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/editing/history.h"
#include "core/presets/presets.h"

namespace headscope {
class Explanations;
}  // namespace headscope

namespace headscope::ui {

struct OpenedDocument {
  DocumentPtr document;
  std::string name;  // name of the history's entry
};

/// A preset, or an example in the form of one: a whole state that replaces everything.
struct OpenedPreset {
  Preset preset;
  std::string name;  // name of the history's entry
};

/// The edits of a frame; the application applies them at its end.
struct FrameCommands {
  struct Pushed {
    Edit edit;
    std::string gesture;  // a name; one undo entry for a whole drag or typing
  };
  std::vector<Pushed> edits;
  bool undo = false;
  bool redo = false;
  std::optional<std::size_t> jumpTo;       // a state of the history to return to
  std::optional<std::size_t> compareWith;  // a state that "Changes" compares with
  bool gestureGoesOn = false;  // the last gesture stays open: later edits may join its entry
  std::optional<OpenedDocument> open;  // another document replaces this one
  std::optional<OpenedPreset> preset;  // a preset replaces this document
  struct Together {
    std::vector<Edit> edits;
    std::string name;
  };
  std::optional<Together> together;                // edits that form one entry of the history
  bool stopLearning = false;                       // stops the learning of weights
  bool chooseFiles = false, chooseFolder = false;  // by the host's dialog (see PanelContext)
  std::string_view lesson;  // id of a shipped lesson to begin with the next frame
  std::string said;         // for the status bar: a result, or the reason for a failure
  bool saidIsError = false;

  void say(std::string sentence, bool error = false) {
    said = std::move(sentence);
    saidIsError = error;
  }
  void push(Edit edit, std::string gesture = {}) {
    edits.push_back({std::move(edit), std::move(gesture)});
  }
};

/// The seconds between frames that show the progress of a long computation.
inline constexpr double kProgressPace = 0.1;

struct TypedText;

/// The look and the surroundings of a frame.
struct FrameContext {
  const Theme& theme;
  const Fonts& fonts;
  const ColorMaps& maps;
  gl::Scene& scene;
  TypedText& typed;              // the text field that has the keyboard
  double now;                    // seconds, from the host's clock
  float scale;                   // scale of the interface
  double mouseStill;             // seconds since the mouse last moved
  bool clickedHere;              // the mouse was clicked and has not moved since
  bool* wantsFrame;              // set to draw again at once (animation)
  double* nextChange = nullptr;  // the seconds until the picture changes by itself
  Spacing space{scale};

  /// Requests a frame in this many seconds, for changes less frequent than an animation.
  void changesIn(double seconds) const {
    if (nextChange != nullptr) *nextChange = std::min(*nextChange, seconds);
  }

  /// Converts a length in points at scale 1 to this frame's points.
  float px(float length) const { return length * scale; }
};

/// The pass that comparing tools use as the baseline.
struct Reference {
  TracePtr trace;          // null until it is computed
  std::uint64_t salt = 0;  // distinguishes its heatmaps from those of the current pass
  std::string name;        // "before heads = 16"
  std::string problem;     // why it cannot be computed
};

class FlashParts;
struct HeadPurpose;
class Magnitudes;

/// The pass before the last edit, for as long as its changes are lit.
struct FlashState {
  const Trace* before = nullptr;
  float strength = 0.0F;  // 1 at the edit, 0 once it has faded
  FlashParts* parts = nullptr;
};

struct PanelContext {
  const Document& document;  // the newest document
  const Trace& trace;        // the last finished pass; may belong to an older document
  TracePtr traceHeld;        // owner of `trace`, for work that outlives the frame
  ViewState& view;
  FrameCommands& edits;
  const FrameContext& look;
  Computations& computations;
  Magnitudes& magnitudes;      // of the shown matrices, and the arithmetic of the inspected cells:
  Explanations& explanations;  // computed once for all panels
  const History* history = nullptr;
  Reference reference{};
  FlashState flash{};
  const std::vector<HeadPurpose>* purposes = nullptr;  // of the trace's heads; empty: unknown
  std::string_view gradientsProblem = {};              // why no gradients can be computed
  bool alone = false;          // one panel fills the screen or the picture alone
  bool hostHasDialog = false;  // the host has a file dialog; else paths are typed
};

}  // namespace headscope::ui
