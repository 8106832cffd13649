// Cell options: the flags that name one cell of one step, checked against a configuration.
#pragma once

#include <optional>
#include <string>

#include "core/attention/tensor_id.h"

namespace CLI {
class App;
}

namespace headscope::cli {

struct CellOptions {
  std::string step;
  std::string tensor;  // q, k or v where a step has all three; any for a gradient; empty: q
  std::optional<Index> item, head, row, col;
  bool gradient = false;
  std::optional<Index> headLayer = {};  // of a head that was given with it: "1.2", "L1H2"
};

/// Adds --step, --item, --head, --row and --col.
void addCellOptions(CLI::App& app, CellOptions& options);

/// Throws UserError where the head is of another layer than the pass; without one that is layer 0.
void checkHeadLayer(const CellOptions& options, std::optional<Index> layer);

/// Returns the tensor of the options: the named one, or the step's own.
TensorId tensorFrom(const CellOptions& options);

/// Returns the cell of the options, with 0 for absent indices. Throws UserError that names the flag
/// and its range.
CellRef cellFrom(const CellOptions& options, const AttentionConfig& config);

}  // namespace headscope::cli
