// Stage items: what the stage shows for a step, in reading order: matrices, laid out as the
// multiplication they are, and the signs between them; where each stands, and which cells of it
// light up for the cell looked at. Pure: no drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/parts/matrix.h"
#include "app/ui/step_looks.h"
#include "core/steps/step.h"

namespace headscope::ui {

struct StageItem {
  bool sign = false;
  std::string text;  // a sign ("×", "="), or the matrix's symbol with ^ and _ for rich text
  Ink ink = Ink::plain;
  MatrixRef ref;
  Lane rowLane = Lane::none, colLane = Lane::none;
  Index rowOffset = 0, colOffset = 0;      // of the first row and column along their lanes
  bool result = false;                     // what the step gives
  Index outlinedFrom = 0, outlinedTo = 0;  // columns (as shown) marked as the chosen head's
  bool outlineRows = false;                // … or rows
  Index leftOutOf = 0;  // columns of X that there are, where some are left out; else 0
  bool linked = true;   // its rows and columns are those of the same lanes in the other matrices
};

/// Items of a step for the chosen head and batch item.
std::vector<StageItem> stageItems(StepId step, const AttentionConfig& config,
                                  const ViewState& view);

/// The tensor a step's grid of all heads shows, where it has one.
std::optional<TensorId> perHeadResult(StepId step, const ViewState& view);

/// How an axis of a matrix is labelled along a lane: by tokens, or by "feature" and a number.
bool isTokenLane(Lane lane);

// Where they stand.

/// Places of the items in a rectangle. All token rows are equally high and all token columns
/// equally wide, so that rows of a product stand at the height of its factor's; where there is room
/// for numbers, columns are up to `widestCell` times as wide as rows are high.
struct StageMetrics {
  float largestCell;   // a token's cell is at most this high
  float widestCell;    // … and this many times as wide as high
  float numberHeight;  // cells lower than this hold no numbers, and are square
  float rowLabel;      // room left of a matrix with token rows
  float columnLabel;   // room below a matrix with token columns
  float title;         // room above every matrix
  float sign;          // width of a sign
  float shortestSide;  // a feature axis is at least this long, if there is room
};
/// One rectangle for each item: of the matrix itself, or of the sign.
std::vector<Rect> layoutStage(const std::vector<StageItem>& items, const Rect& room,
                              const StageMetrics& metrics);

// What lights up: what the cell looked at is made of.

/// A block of cells of a matrix as it is shown.
struct LitBlock {
  Index row = 0, rows = 1;
  Index col = 0, cols = 1;

  bool operator==(const LitBlock&) const = default;
};

/// The cell looked at, where a step's result has it.
std::optional<CellRef> resultLookedAt(const std::vector<StageItem>& items, StepId step,
                                      const ViewState& view);

/// In one matrix of the step that gives a cell: that cell, or its operands there (a row of Q, a
/// column of K^T, one cell of a bias); nothing where it has none.
std::optional<LitBlock> litBlock(const StageItem& item, const Explanation& explanation);

/// One cell, where the matrix shows it.
std::optional<LitBlock> litCell(const StageItem& item, const CellRef& cell);

}  // namespace headscope::ui
