// Figures on the screen: the measurements of the heads of the pass shown, for panels of any page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/heads/view_model/figures.h"
#include "app/ui/panel.h"
#include "app/ui/parts/head_label.h"

namespace headscope::ui {

/// The figures for panels that can also draw without them.
struct MeasuredHeads {
  const Figures* figures = nullptr;  // the latest that fit the pass shown; null: none yet
  bool current = false;              // whether they are of the pass shown, not an earlier one
  std::string_view problem;          // the reason where measuring failed
};

/// Requests missing figures. Figures of another number of heads or tokens are not returned.
MeasuredHeads measuredHeads(const PanelContext& panel);

/// Returns the caption of a head on the shown input; without figures, its purpose as it is.
HeadCaption captionHere(const PanelContext& panel, const MeasuredHeads& measured, Index head);

/// Draws "measuring …", or the reason of a failure, in the middle of the rest of the card.
void noFigures(const PanelContext& panel, const MeasuredHeads& heads);
/// Draws that text as one line while the figures are of an earlier pass; else nothing.
void measuringNote(const PanelContext& panel, const MeasuredHeads& heads);
/// Draw `problem`, or `doing` where it is empty: at the cursor, and in the middle of `room`.
void waitingLabel(const FrameContext& look, ImFont* font, std::string_view problem,
                  std::string_view doing);
void drawWaiting(const FrameContext& look, const Rect& room, std::string_view problem,
                 std::string_view doing);

/// Draws "Entropy: how widely a row spreads its weight …", the formula, and "0 … log2 M, in bits.
/// Shannon 1948" at the cursor.
void metricDefinition(const FrameContext& look, Metric metric);

// For a head's pictures on other pages: rows in the inspector, with the rule of the head's label,
// and the lines of its tile on the heads strip.

/// The rows of a head. Whole: the label, its rule and six figures, one per line. Brief: the label
/// and its rule.
enum class HeadRowsLength { none, brief, whole };

float headRowsHeight(const FrameContext& look, HeadRowsLength length);
/// Draws the rows at the cursor.
void headRows(const PanelContext& panel, Index head, const MeasuredHeads& heads,
              HeadRowsLength length);

struct TileLine {
  ImFont* font = nullptr;
  std::string text;
};

/// Returns a head's label (unless the tile is `named` otherwise), "H 1.41 bits" and "max 0.70"; the
/// latter two share a line where both fit `room`. Undefined figures are omitted.
std::vector<TileLine> tileLines(const FrameContext& look, const HeadReport& report, Index head,
                                float room, bool named);

}  // namespace headscope::ui
