// Stage items: what the stage shows for a step, in reading order: matrices, laid out as the
// multiplication they are, and the signs between them. Pure: no drawing.
#pragma once

#include <string>
#include <vector>

#include "app/ui/matrix_view.h"

namespace headscope::ui {

enum class Ink { plain, input, query, key, value, head, output, accent };

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
  bool linked = true;  // its rows and columns are those of the same lanes in the other matrices
};

/// Items of a step for the chosen head and batch item.
std::vector<StageItem> stageItems(StepId step, const AttentionConfig& config,
                                  const ViewState& view);

/// The first of the columns of Q, K or V that a (query) head takes as its q, k or v, or of the
/// concatenation's that it fills with its heads. Of Q, K and V no columns are a head's where they
/// are reshaped without the transpose.
Index firstColumnOf(TensorId perHead, Index head, const AttentionConfig& config);

/// The tensor a step's grid of all heads shows, where it has one.
std::optional<TensorId> perHeadResult(StepId step, const ViewState& view);

/// How an axis of a matrix is labelled along a lane: by tokens, or by "feature" and a number.
bool isTokenLane(Lane lane);

}  // namespace headscope::ui
