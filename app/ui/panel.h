// Panel: the surroundings given to every panel. A panel reads the document and the trace, changes
// only the view, and adds commands to change anything else.
//
// The header declares what a panel may need and includes none of it: a source includes the headers
// of the parts that it uses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/frame_context.h"
#include "core/base/translation.h"
#include "core/document/fwd.h"

namespace headscope {
class Explanations;
class History;
class LearnedLayers;
}  // namespace headscope

namespace headscope::ui {

class Computations;
class FlashParts;
class FrameCommands;
class Magnitudes;
struct FrameState;
struct HeadPurpose;
struct HeadsView;
struct ModelView;
struct Preferences;
struct Selection;
struct StageView;
struct TrainView;
struct ViewState;

/// The pass that comparing tools use as the baseline.
struct Reference {
  TracePtr trace;          // null until it is computed
  std::uint64_t salt = 0;  // distinguishes its heatmaps from those of the current pass
  std::string name;        // "before heads = 16"
  std::string problem;     // why it cannot be computed
};

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
  ViewState& view;           // all choices; its parts are:
  Selection& selection;
  Preferences& preferences;
  FrameState& frame;
  StageView& stageView;
  HeadsView& headsView;
  TrainView& trainView;
  ModelView& modelView;
  FrameCommands& commands;
  const FrameContext& look;
  Computations& computations;
  // Computed once for all panels: of the shown matrices, and the arithmetic of inspected cells.
  Magnitudes& magnitudes;
  Explanations& explanations;
  std::shared_ptr<LearnedLayers> learnedLayers = {};
  const History* history = nullptr;
  Reference reference{};
  FlashState flash{};
  const std::vector<HeadPurpose>* purposes = nullptr;     // of the trace's heads; empty: unknown
  std::string_view gradientsProblem = {};                 // why no gradients can be computed
  std::string_view gradientsOf = tr("the output's sum");  // the number that they are of
  bool slide = false;           // a slide of a lecture: without tabs and buttons
  bool alone = false;           // one panel fills the screen or the picture alone
  bool hostHasDialog = false;   // the host has a file dialog; else paths are typed
  bool copiesPictures = false;  // the host puts pictures onto the clipboard
  const std::vector<std::string>* recent = nullptr;     // paths of opened files, the last one first
  const std::vector<std::string>* languages = nullptr;  // of the interface, English first
  bool filmable = false;  // the host makes films, and there is something to film
};

}  // namespace headscope::ui
