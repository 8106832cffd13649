// HeadsView: the heads page's part of the view: its content and settings.
#pragma once

#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope::ui {

/// The matrix that a head's picture shows.
enum class GridContent { weights, normWeighted };
/// The drawing of each head in the grid.
enum class GridDrawing { heatmaps, lines, arcs };
/// The value of a drawn cell that covers several cells.
enum class Pooling { mean, maximum };
/// The tabs of the looks card.
enum class LooksTab { sentence, lines, values, lengths };
/// The tabs of the figures card.
enum class FiguresTab { scatter, table };
/// The drawing of the effect of removing a head.
enum class EffectDrawing { bars, heatmap };
/// The tabs of the effects card, across the bottom.
enum class EffectTab { off, outputMatrix, moreHeads, whySeveral, howLearned };

/// The card that takes the whole right column.
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
  bool ownScale = false;        // whether each head has its own colour scale
  bool meanShown = false;       // whether a tile shows the mean over heads
  std::string sortBy;           // a metric's key; empty: by number
  std::vector<Index> compared;  // heads compared side by side
  TokenRange queries, keys;

  LooksTab looksTab = LooksTab::sentence;
  std::vector<Index> lineHeads;  // heads whose lines are drawn; empty: the chosen head
  bool linesPicked = false;      // whether an empty lineHeads means no lines
  float lineMass = 0.9F;         // draw each row's largest weights up to this share of it
  Index query = -1;              // token chosen in the looks card; −1: none
  Index key = -1;

  FiguresTab figuresTab = FiguresTab::scatter;
  std::string scatterX = "mean_distance";  // metrics' keys
  std::string scatterY = "entropy";
  std::string tableSort;  // a metric's key or "label"; empty: by number
  bool tableDescending = false;
  float similarityCut = 0.9F;  // heads at least this similar count as one
  bool similarityOrdered = true;
  bool averageItems = false;  // whether metrics average over all batch items
  EnlargedCard enlarged = EnlargedCard::none;

  EffectTab effectTab = EffectTab::off;
  EffectDrawing effectDrawing = EffectDrawing::bars;
  std::vector<Index> relationPair;  // the two heads to merge; empty: the two that blur most
  bool gainsAsBuilt = false;        // whether the two keep their own gains; else equal gains

  bool operator==(const HeadsView&) const = default;
};

}  // namespace headscope::ui
