// Compared pictures: a matrix in two passes or two models, and the difference, side by side; or one
// matrix alone. The cell under the mouse tells its value in all of them.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/frame_context.h"
#include "app/ui/parts/fingerprint.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/reduce.h"
#include "app/ui/parts/token_pictures.h"

namespace headscope::ui {

/// The cells of a matrix in both passes, and what the first exceeds the second by, with the names
/// of their rows and columns.
struct Pictures {
  struct One {
    CellRows cells;  // none: there is nothing to draw, for the reason `why`
    ColorScale scale;
    std::string title, why;
    std::vector<std::string> rows = {}, columns = {};  // columns without names are numbered
    std::string extent = {};                           // behind the title: "at most 2.34"
    std::optional<TokenPictures> patches = {};         // of the rows, next to their names
  };
  static constexpr std::size_t kCount = 3;
  std::array<One, kCount> all;
  std::size_t count = kCount;  // how many of them there are
  Fingerprint values;          // of all that the cells depend on
  bool reduced = false;        // a cell is the largest of several
  bool stretched = false;      // cells fill the room, whatever their shape
  std::string click = {};      // what a click on a cell does; empty: nothing
  /// The name of a cell; null: its query looks at its key, or its row and column.
  std::function<std::string(const MatrixCell& at)> nameOf = {};
};

/// Returns the cell under the mouse.
std::optional<MatrixCell> drawPictures(const FrameContext& look, const Pictures& pictures,
                                       const Rect& room);

}  // namespace headscope::ui
