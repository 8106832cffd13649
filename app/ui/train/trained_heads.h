// Trained heads: the weights of all heads of a run on one text, as equal tiles. Each has the head's
// name and, below it, what the head does.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/parts/head_grid.h"
#include "core/attention/places.h"
#include "core/tensor/tensor.h"

namespace headscope::ui {

/// The title above a head's picture.
struct HeadTitle {
  std::string does = {};   // "partner"; empty: nothing is known
  std::string mass = {};   // "0.93": how much of its weight does that; may be empty
  bool found = false;      // it does it firmly
  ImU32 color = 0;         // of `does`; 0: muted
  std::string since = {};  // "120": the step since which it does; empty: none

  std::string words() const { return mass.empty() ? does : does + " " + mass; }
};

class TrainedHeads {
 public:
  struct Shown {
    Index layers = 1, heads = 1;
    bool causal = false;
    std::span<const std::string> names;          // of the places of the text
    std::function<Tensor(Index layer)> weights;  // (1, H, T, T)
    std::function<HeadTitle(const HeadOfLayer&)> title;
    std::uint64_t number = 0;  // identifies what is shown
    // false on a slide: marks in place of the names of places, and one line of title for each head,
    // which is what it does, or its name
    bool detailed = true;
    std::vector<ImU32> marks = {};  // a colour for each place
  };

  /// `rowsAreLayers`: each layer has a row of its own; else the tiles are as large as possible.
  TrainedHeads(const FrameContext& look, const Rect& room, Shown shown, bool rowsAreLayers = false);

  /// Draws the pictures. Returns the head that was clicked.
  std::optional<HeadOfLayer> draw() const;

 private:
  Index count() const { return shown_.layers * shown_.heads; }
  HeadOfLayer head(Index n) const { return {n / shown_.heads, n % shown_.heads}; }
  Rect picture(Index n) const { return grid_.pictureAt(room_.a, n); }
  void title(ImDrawList* list, Index n, const Rect& at) const;
  void marks(ImDrawList* list, const Rect& at) const;

  const FrameContext& look_;
  Rect room_;
  Shown shown_;
  TileGrid grid_;
};

}  // namespace headscope::ui
