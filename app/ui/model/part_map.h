// Part map: a number for each of a model's parts, as coloured cells with one row per layer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/parts/layout.h"
#include "core/model/stream_parts.h"

namespace headscope::ui {

struct FrameContext;
struct PanelContext;
struct ColorScale;
struct TokenPictures;

struct PartCell {
  Index layer = 0, column = 0;
  double value = 0.0;
  bool chosen = false;
};

struct PartMap {
  const char* id;
  Index layers = 1, columns = 1;
  std::function<std::string(Index column, float width)> columnName;
  std::vector<PartCell> cells;
  std::function<std::string(std::size_t cell)> tip;        // what the part is, with its number
  bool changes = true;                                     // the numbers are changes, with a sign
  std::function<std::string(Index layer)> layerName = {};  // none: "layer 1" and so on
  const char* widestLayer = "layer 00";                    // the widest of these names
  const TokenPictures* pictures =
      nullptr;  // in the places of the names of columns that are patches
};

/// The map of what heads, attention biases and networks add to a number. `config` must outlive it.
PartMap writtenPartsMap(const FrameContext& look, const char* id, const model::ModelConfig& config,
                        const std::vector<model::WrittenPart>& parts,
                        std::optional<HeadOfLayer> chosen);

/// Draws the map within `room`; with many layers it is higher than its room, and scrolls. Returns
/// the index of the cell that was clicked.
std::optional<std::size_t> drawPartMap(const PanelContext& panel, const PartMap& map,
                                       const ColorScale& scale, const Rect& room);

}  // namespace headscope::ui
