// ViewState: what is looked at and how; nothing of it changes a number.
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

/// Pages, and cards of theirs that others speak of, by their ids.
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

/// Tools that other panels open, by their ids.
inline constexpr const char* kFlowTool = "flow";
inline constexpr const char* kTermsTool = "terms";
inline constexpr const char* kChangesTool = "changes";
inline constexpr const char* kMistakesTool = "mistakes";

/// What the inspector shows.
enum class InspectorTab { cell, history, scenes };

/// What the tool "Changes" holds the present pass against.
enum class Against { lastEdit, state, rightWay };

/// Whose matrices the stage shows.
enum class StageScope { thisHead, allHeads };

/// A dimension two matrices may have in common, so that hovering one lights the other.
enum class Lane { none, query, key, inner, column };

/// A place in the current step's matrices: positions along the lanes it belongs to.
struct Hover {
  CellRef cell;
  Lane rowLane = Lane::none, colLane = Lane::none;
  Index row = -1, col = -1;  // along those lanes
};

struct ViewState {
  StepId step = StepId::score;
  Index item = 0;
  Index head = 0;
  TensorId part = TensorId::q;  // q, k or v: which one `project` and `split` show
  StageScope scope = StageScope::thisHead;
  bool gradients = false;              // the stage shows them in place of the values …
  bool gradientsThere = false;         // … once they are there: found anew in every frame
  bool faintColumns = false;           // step 1 shows those of X that hold next to nothing, too
  std::optional<Hover> hovered;        // found in the last frame
  std::optional<CellRef> selected;     // clicked: its arithmetic stays
  std::vector<CellRef> trail;          // cells traced back through, the chosen one last
  bool hidesMistakes = false;          // a lesson asks to find them
  bool typesText = false;              // a sentence is being typed: not yet what is meant
  std::optional<std::string> inSight;  // the page scrolls to this card, once; "": to its top
  std::vector<CellRef> pointed;        // lit on the stage while a tool points at them
  TermOrder termOrder;

  ThemeKind theme = ThemeKind::light;
  int colorMaps = 0;   // which pair of maps
  float scale = 1.0F;  // of the interface, 1 … 3
  bool animate = true;
  bool learnHeads = true;  // at sizes that no learned ones are there for; else designed ones
  bool playing = false;
  std::optional<double> playTime;  // where the timeline stands, in its seconds; none: not on it
  Index playQuery = 0;  // whose row the timeline goes through, where the chosen cell has none
  float playSpeed = 1.0F;
  std::string page = kFlowPage;  // what the window shows below its bars, by its id
  HeadsView heads;               // how the heads page shows them
  TrainView train;
  ModelView model;               // which run the train page shows
  std::string focus;             // the card that fills the picture; empty: the whole window
  std::string presented;         // the card that was last presented, by its id
  std::string tool = kFlowTool;  // what the upper card of the flow page shows, by its id
  InspectorTab inspectorTab = InspectorTab::cell;
  Against against = Against::lastEdit;
  Mistake mistake = Mistake::softmaxOverQueries;  // whose effect the tool for mistakes shows

  Index decodePosition = 0;      // KV cache: the token that is new
  bool decodeShowsSize = false;  // … its size in place of the work, where one of them has room
  bool decodePlaying = false;
  double decodeShownAt = 0.0;  // while playing: when it came up
};

/// Lets go of every head, token and cell that was chosen, for a document that has others. How
/// things are shown stays.
void resetSelection(ViewState& view);

inline constexpr float kMinScale = 1.0F;
inline constexpr float kMaxScale = 3.0F;

}  // namespace headscope::ui
