// Heads view fields: every field of the heads page's view that a session keeps, as one line each.
#pragma once

#include <array>

#include "app/ui/heads/heads_view.h"
#include "core/config.h"

namespace headscope {

/// `Fields` reads or writes a view; see view_json.cpp.
template <typename Fields, typename View>
void visitHeadsFields(Fields& f, View& view) {
  constexpr std::array kContents{"weights", "norm-weighted"};
  constexpr std::array kDrawings{"heatmaps", "lines"};
  constexpr std::array kPoolings{"mean", "maximum"};
  constexpr std::array kLooks{"lines", "values", "lengths"};
  constexpr std::array kFigures{"scatter", "table"};
  constexpr std::array kEnlarged{"none", "figures", "similarity"};
  constexpr std::array kEffects{"off", "output-matrix", "more-heads", "why-several"};
  constexpr std::array kEffectDrawings{"bars", "heatmap"};
  constexpr Index kMostHeads = Limits::kDModel;
  constexpr Index kMostTokens = Limits::kTokens;
  f.choice("grid_content", view.content, kContents);
  f.choice("grid_drawing", view.drawing, kDrawings);
  f.choice("grid_pooling", view.pooling, kPoolings);
  f.flag("grid_own_scale", view.ownScale);
  f.flag("grid_mean", view.meanShown);
  f.word("grid_sort", view.sortBy);
  f.indices("compared_heads", view.compared, kMostHeads);
  f.number("first_query", view.queries.first, Index{0}, kMostTokens);
  f.number("queries", view.queries.count, Index{0}, kMostTokens);
  f.number("first_key", view.keys.first, Index{0}, kMostTokens);
  f.number("keys", view.keys.count, Index{0}, kMostTokens);
  f.choice("looks_tab", view.looksTab, kLooks);
  f.indices("line_heads", view.lineHeads, kMostHeads);
  f.flag("lines_picked", view.linesPicked);
  f.number("line_mass", view.lineMass, 0.0F, 1.0F);
  f.number("looks_query", view.query, Index{-1}, kMostTokens - 1);
  f.number("looks_key", view.key, Index{-1}, kMostTokens - 1);
  f.choice("figures_tab", view.figuresTab, kFigures);
  f.word("scatter_x", view.scatterX);
  f.word("scatter_y", view.scatterY);
  f.word("table_sort", view.tableSort);
  f.flag("table_descending", view.tableDescending);
  f.number("similarity_cut", view.similarityCut, 0.5F, 1.0F);
  f.flag("similarity_ordered", view.similarityOrdered);
  f.flag("average_items", view.averageItems);
  f.choice("enlarged_card", view.enlarged, kEnlarged);
  f.choice("effect_tab", view.effectTab, kEffects);
  f.choice("effect_drawing", view.effectDrawing, kEffectDrawings);
  f.indices("relation_pair", view.relationPair, kMostHeads);
  f.flag("relation_gains_as_built", view.gainsAsBuilt);
}

}  // namespace headscope
