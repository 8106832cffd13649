// Panel: what every panel is given. A panel reads the document and the trace, changes only the
// view, and asks for changes of the document by pushing an edit.
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
  std::string name;  // of the history's entry
};

/// A preset, or an example as one: a whole state that takes the place of everything.
struct OpenedPreset {
  Preset preset;
  std::string name;  // of the history's entry
};

/// Collects the edits of a frame; the application applies them after it.
struct FrameCommands {
  struct Pushed {
    Edit edit;
    std::string gesture;  // one undo entry for all of a drag or of typing
  };
  std::vector<Pushed> edits;
  bool undo = false;
  bool redo = false;
  std::optional<std::size_t> jumpTo;       // a state of the history
  std::optional<std::size_t> compareWith;  // likewise: "Changes" shows what differs from it
  bool gestureGoesOn = false;  // what was pushed last may still be added to: no entry of its own
  std::optional<OpenedDocument> open;  // another document takes the place of this one
  std::optional<OpenedPreset> preset;  // likewise
  struct Together {
    std::vector<Edit> edits;
    std::string name;
  };
  std::optional<Together> together;                // edits that are one entry of the history
  bool stopLearning = false;                       // of weights that are being learned
  bool chooseFiles = false, chooseFolder = false;  // by the host's dialog (Panel::hostHasDialog)
  std::string_view lesson;  // a shipped one that begins with the next frame, by its id
  std::string said;         // for the status bar: what was done, or why something cannot be
  bool saidIsError = false;

  void say(std::string sentence, bool error = false) {
    said = std::move(sentence);
    saidIsError = error;
  }
  void push(Edit edit, std::string gesture = {}) {
    edits.push_back({std::move(edit), std::move(gesture)});
  }
};

/// Seconds between frames while what takes long says how far it is.
inline constexpr double kProgressPace = 0.1;

struct TypedText;

/// Looks and surroundings of a frame.
struct FrameContext {
  const Theme& theme;
  const Fonts& fonts;
  const ColorMaps& maps;
  gl::Scene& scene;
  TypedText& typed;              // in the text field that has the keyboard
  double now;                    // seconds, from the host's clock
  float scale;                   // of the interface
  double mouseStill;             // seconds since the mouse last moved
  bool clickedHere;              // it was clicked and has not moved since
  bool* wantsFrame;              // set it to be drawn again at once (animation)
  double* nextChange = nullptr;  // in how many seconds the picture changes by itself
  Spacing space{scale};

  /// Asks for a frame that soon, for what changes less often than an animation.
  void changesIn(double seconds) const {
    if (nextChange != nullptr) *nextChange = std::min(*nextChange, seconds);
  }

  /// A length in points at scale 1, in this frame's points.
  float px(float length) const { return length * scale; }
};

/// The pass that comparing tools use as baseline.
struct Reference {
  TracePtr trace;          // null while it is not there
  std::uint64_t salt = 0;  // tells its heatmaps from those of the present pass
  std::string name;        // "before heads = 16"
  std::string problem;     // why it will not be there
};

class FlashParts;
struct HeadPurpose;
class Magnitudes;

/// The pass shown before the last edit, for as long as what it changed lights up.
struct FlashState {
  const Trace* before = nullptr;
  float strength = 0.0F;  // 1 at the edit, 0 once it has faded
  FlashParts* parts = nullptr;
};

struct PanelContext {
  const Document& document;  // the newest
  const Trace& trace;        // the last finished; may be of an older document
  TracePtr traceHeld;        // the same, for work beside the frame
  ViewState& view;
  FrameCommands& edits;
  const FrameContext& look;
  Computations& computations;
  Magnitudes& magnitudes;      // of the matrices shown, and the arithmetic of the cells looked at:
  Explanations& explanations;  // found once for all panels
  const History* history = nullptr;
  Reference reference{};
  FlashState flash{};
  const std::vector<HeadPurpose>* purposes = nullptr;  // of the trace; empty: nothing is said
  std::string_view gradientsProblem = {};              // why there will be none
  bool alone = false;  // one panel fills the screen or the picture, no other stands beside it
  bool hostHasDialog = false;  // for files; else their paths are typed
};

}  // namespace headscope::ui
