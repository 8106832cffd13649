// ViewState: the choices of what is shown and how; none of them changes a number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/heads_view.h"
#include "app/ui/model/model_view.h"
#include "app/ui/term_order.h"
#include "app/ui/theme.h"
#include "app/ui/train/train_view.h"
#include "core/attention/mistakes.h"
#include "core/attention/tensor_id.h"
#include "core/document/trace.h"

namespace headscope::ui {

/// The ids of pages and of cards that other code names.
inline constexpr const char* kFlowPage = "flow";
inline constexpr const char* kHeadsPage = "heads";
inline constexpr const char* kTrainPage = "train";
inline constexpr const char* kLearnPage = "learn";
inline constexpr const char* kModelPage = "model";
inline constexpr const char* kToolsCard = "flow";
inline constexpr const char* kStageCard = "stage";
inline constexpr const char* kStripCard = "heads";
inline constexpr const char* kAllHeadsCard = "all heads";
inline constexpr const char* kTaskCard = "task";
inline constexpr const char* kLiveHeadsCard = "live heads";
inline constexpr const char* kModelTextCard = "model text";
inline constexpr const char* kModelHeadsCard = "model heads";
inline constexpr const char* kModelPredictionCard = "model prediction";
inline constexpr const char* kOverStepsCard = "over steps";
inline constexpr const char* kCurvesCard = "curves";

/// The ids of tools that other panels open.
inline constexpr const char* kFlowTool = "flow";
inline constexpr const char* kTermsTool = "terms";
inline constexpr const char* kChangesTool = "changes";
inline constexpr const char* kMistakesTool = "mistakes";

/// The content of the inspector.
enum class InspectorTab { cell, history, scenes };

/// The pass that the tool "Changes" compares the current pass with.
enum class Against { lastEdit, state, rightWay };

/// The heads whose matrices the stage shows.
enum class StageScope { thisHead, allHeads };

/// A dimension that two matrices may share, so that hovering over one lights the other.
enum class Lane { none, query, key, inner, column };

/// A place in the current step's matrices: its positions along its lanes.
struct Hover {
  CellRef cell;
  Lane rowLane = Lane::none, colLane = Lane::none;
  Index row = -1, col = -1;  // along those lanes
};

struct ViewState {
  StepId step = StepId::score;
  Index item = 0;
  Index head = 0;
  TensorId part = TensorId::q;  // q, k or v: the one that `project` and `split` show
  StageScope scope = StageScope::thisHead;
  bool gradients = false;              // the stage shows gradients in place of values …
  bool gradientsThere = false;         // … once they are computed; updated in every frame
  bool faintColumns = false;           // step 1 also shows the nearly empty columns of X
  std::optional<Hover> hovered;        // found in the last frame
  std::optional<CellRef> selected;     // the chosen cell, whose arithmetic stays shown
  std::vector<CellRef> trail;          // cells traced back through, the chosen one last
  bool hidesMistakes = false;          // set while a lesson asks to find the mistakes
  bool typesText = false;              // a sentence is being typed and is not yet complete
  std::optional<std::string> inSight;  // the page scrolls to this card, once; "": to its top
  std::vector<CellRef> pointed;        // lit on the stage while a tool points at them
  TermOrder termOrder;

  ThemeKind theme = ThemeKind::light;
  int colorMaps = 0;   // index of the pair of maps
  float scale = 1.0F;  // scale of the interface, 1 … 3
  bool animate = true;
  bool learnHeads = true;  // learns heads at sizes without learned ones; else designed ones
  bool playing = false;
  std::optional<double> playTime;  // the position on the timeline in seconds; none: not on it
  Index playQuery = 0;  // query whose row the timeline shows, where the chosen cell has none
  float playSpeed = 1.0F;
  std::string page = kFlowPage;  // id of the page below the bars
  HeadsView heads;               // how the heads page shows heads
  TrainView train;
  ModelView model;               // the choices on the page Model
  std::string focus;             // the card that fills the picture; empty: the whole window
  std::string presented;         // the card that was last presented, by its id
  std::string tool = kFlowTool;  // id of the tool in the upper card of the flow page
  InspectorTab inspectorTab = InspectorTab::cell;
  Against against = Against::lastEdit;
  Mistake mistake = Mistake::softmaxOverQueries;  // shown by the tool for mistakes

  Index decodePosition = 0;      // KV cache: the new token
  bool decodeShowsSize = false;  // … shows its size, not the work, where only one has room
  bool decodePlaying = false;
  double decodeShownAt = 0.0;  // while playing: when this token appeared
};

/// Resets every chosen head, token and cell, for a document that has others. The manner of display
/// stays.
void resetSelection(ViewState& view);

inline constexpr float kMinScale = 1.0F;
inline constexpr float kMaxScale = 3.0F;

}  // namespace headscope::ui
