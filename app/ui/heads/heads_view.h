// HeadsView: what the heads page shows, and how; a part of the view.
#pragma once

#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope::ui {

/// What a head's matrix is drawn of.
enum class GridContent { weights, normWeighted };
/// How each head is drawn in the grid.
enum class GridDrawing { heatmaps, lines };
/// What a cell shows that covers several, far out.
enum class Pooling { mean, maximum };
/// The card that shows where tokens look.
enum class LooksTab { lines, values, lengths };
/// The card that measures heads.
enum class FiguresTab { scatter, table };
/// How the card across the bottom draws what goes without a head.
enum class EffectDrawing { bars, heatmap };
/// The card across the bottom.
enum class EffectTab { off, outputMatrix, moreHeads, whySeveral, howLearned };

/// The card of the right column that takes all of it.
enum class EnlargedCard { none, figures, similarity };

/// The part of the tokens that is shown; count 0: all.
struct TokenRange {
  Index first = 0;
  Index count = 0;
  bool operator==(const TokenRange&) const = default;
};

struct HeadsView {
  GridContent content = GridContent::weights;
  GridDrawing drawing = GridDrawing::heatmaps;
  Pooling pooling = Pooling::mean;
  bool ownScale = false;        // each head on a scale of its own
  bool meanShown = false;       // the mean over heads beside them
  std::string sortBy;           // a metric's key; empty: by number
  std::vector<Index> compared;  // ctrl-clicked: side by side, and their difference
  TokenRange queries, keys;

  LooksTab looksTab = LooksTab::lines;
  std::vector<Index> lineHeads;  // whose lines are drawn; empty: the chosen head's
  bool linesPicked = false;      // lineHeads holds even where it is empty
  float lineMass = 0.9F;         // the largest weights that make up this much of a row
  Index query = -1;              // tokens chosen in the looks card; −1: none
  Index key = -1;

  FiguresTab figuresTab = FiguresTab::scatter;
  std::string scatterX = "mean_distance";  // metrics' keys
  std::string scatterY = "entropy";
  std::string tableSort;  // a metric's key or "label"; empty: by number
  bool tableDescending = false;
  float similarityCut = 0.9F;  // heads that are more alike count as one
  bool similarityOrdered = true;
  bool averageItems = false;  // metrics over all batch items
  EnlargedCard enlarged = EnlargedCard::none;

  EffectTab effectTab = EffectTab::off;
  EffectDrawing effectDrawing = EffectDrawing::bars;
  std::vector<Index> relationPair;  // the two heads asked of one; empty: the two that blur most
  bool gainsAsBuilt = false;        // of these two heads; else equal
};

}  // namespace headscope::ui
