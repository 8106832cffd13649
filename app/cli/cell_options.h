// Cell options: the flags that name one cell of one step, checked against a configuration.
#pragma once

#include <optional>
#include <string>

#include "core/tensor_id.h"

namespace CLI {
class App;
}

namespace headscope::cli {

struct CellOptions {
  std::string step;
  std::string tensor;  // q, k or v, where a step gives all three; empty: q
  std::optional<Index> item, head, row, col;
};

/// --step --item --head --row --col.
void addCellOptions(CLI::App& app, CellOptions& options);

/// The tensor of the step that the options mean.
TensorId tensorFrom(const CellOptions& options);

/// The cell, 0 for what is not given. Throws UserError that names the flag and its range.
CellRef cellFrom(const CellOptions& options, const AttentionConfig& config);

}  // namespace headscope::cli
