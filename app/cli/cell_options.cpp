#include "app/cli/cell_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "app/cli/config_options.h"
#include "app/cli/head_flags.h"
#include "core/attention/steps/step.h"
#include "core/base/error.h"

namespace headscope::cli {
namespace {

/// Returns `asked`, or 0 where it is absent; it must be below `count`.
Index inRange(const char* flag, std::optional<Index> asked, Index count, TensorId tensor,
              const char* what) {
  const Index index = asked.value_or(0);
  if (index >= 0 && index < count) return index;
  const auto name = info(tensor).name;
  throw UserError(fmt::format("{} {}: {} has {} 0 to {}", flag, index, name, what, count - 1));
}

}  // namespace

void addCellOptions(CLI::App& app, CellOptions& options) {
  const char* group = "Cell (every index from 0)";
  const auto whole = [&](const char* flag, std::optional<Index>& value, const char* about) {
    addWhole(app, flag, value, about)->group(group);
  };
  app.add_option(
         "--step", options.step,
         "project, split, normalize (in some models), rotate (with --positions-kind rope), score, "
         "scale, mask, softmax, weigh, gate (with --gate), concat or output")
      ->check(notEmpty)
      ->type_name("ID")
      ->group(group);
  whole("--item", options.item, "batch item");
  const auto withoutLayer = [&options](std::string& text) -> std::string {
    const auto named = plainHead(text);
    if (!named) return notWhole(text);
    options.headLayer = named->layer;
    text = std::to_string(named->head);
    return {};
  };
  app.add_option("--head", options.head,
                 "head, or layer and head (1.2, L1H2); of K and V: their own")
      ->transform(CLI::Validator(withoutLayer, ""))
      ->type_name("N|L.H")
      ->group(group);
  whole("--row", options.row, "row: the query, of K and V the key");
  whole("--col", options.col, "column");
}

void checkHeadLayer(const CellOptions& options, std::optional<Index> layer) {
  if (!options.headLayer || *options.headLayer == layer.value_or(0)) return;
  throw UserError(fmt::format("--head {}.{}: this is layer {}: give its heads, as in {}",
                              *options.headLayer, options.head.value_or(0), layer.value_or(0),
                              options.head.value_or(0)));
}

TensorId tensorFrom(const CellOptions& options) {
  if (options.gradient && options.step.empty() && !options.tensor.empty()) {
    if (const auto named = tensorIdFromName(options.tensor)) return *named;
    throw UserError(fmt::format(
        "--tensor {}: name a tensor of the pass (x, W_Q, raw_scores, ...), or give its --step",
        options.tensor));
  }
  if (options.step.empty()) {
    throw UserError("--step is required: the step whose cell is meant");
  }
  const Step& chosen = step(stepIdFromString(options.step));
  const auto outputs = chosen.outputs();
  if (options.tensor.empty()) return chosen.mainOutput();
  if (outputs.size() == 1) {
    throw UserError(
        fmt::format("--tensor {}: the step {} has only the result {}; leave --tensor out",
                    options.tensor, options.step, info(outputs.front()).name));
  }
  for (const TensorId id : outputs) {
    const std::string_view name = info(id).name;
    const bool letter = options.tensor.size() == 1 && name.front() == options.tensor.front();
    if (letter || name == options.tensor) return id;
  }
  std::vector<std::string_view> names;
  for (const TensorId id : outputs) names.push_back(info(id).name);
  throw UserError(fmt::format("--tensor {}: give {}", options.tensor, fmt::join(names, " or ")));
}

CellRef cellFrom(const CellOptions& options, const AttentionConfig& config) {
  CellRef cell;
  cell.tensor = tensorFrom(options);
  cell.gradient = options.gradient;
  const TensorInfo& tensor = info(cell.tensor);
  const bool there = has(config, cell.tensor);
  if (cell.tensor == TensorId::memory && !there) {
    throw UserError("--tensor memory: self-attention has no memory; give --memory-text");
  }
  if (!there) {
    throw UserError(fmt::format("--step {}: this pass has no such step{}", options.step,
                                options.step == "rotate" ? "; --positions-kind rope adds it"
                                : options.step == "gate" ? "; --gate adds it"
                                                         : ""));
  }
  if (!tensor.perHead && options.head) {
    throw UserError(options.step.empty()
                        ? fmt::format("--head {}: {} has no heads; leave --head out", *options.head,
                                      tensor.name)
                        : fmt::format("--head {}: the step {} takes no head; leave --head out",
                                      *options.head, options.step));
  }
  if (!tensor.perItem && options.item) {
    throw UserError(fmt::format("--item {}: {} has no batch items; leave --item out", *options.item,
                                tensor.name));
  }
  const Shape shape = shapeOf(cell.tensor, config);
  std::size_t axis = 0;
  if (tensor.perItem) {
    cell.item = inRange("--item", options.item, shape[axis++], cell.tensor, "items");
  }
  if (tensor.perHead) {
    cell.head = inRange("--head", options.head, shape[axis++], cell.tensor,
                        tensor.kvHeads ? "key/value heads" : "heads");
  }
  if (tensor.rows != Axis::none) {
    cell.row = inRange("--row", options.row, shape[axis++], cell.tensor, "rows");
  } else if (options.row) {
    throw UserError(
        fmt::format("--row {}: {} is one row; leave --row out", *options.row, tensor.name));
  }
  cell.col = inRange("--col", options.col, shape[axis], cell.tensor, "columns");
  return cell;
}

}  // namespace headscope::cli
