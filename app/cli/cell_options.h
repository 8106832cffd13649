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
  std::string tensor;  // q, k or v, where a step gives all three; of a gradient any; empty: q
  std::optional<Index> item, head, row, col;
  bool gradient = false;
};

/// --step --item --head --row --col.
void addCellOptions(CLI::App& app, CellOptions& options);

/// The tensor that the options mean: one that the step gives, or the one that is named.
TensorId tensorFrom(const CellOptions& options);

/// The cell, 0 for what is not given. Throws UserError that names the flag and its range.
CellRef cellFrom(const CellOptions& options, const AttentionConfig& config);

}  // namespace headscope::cli
