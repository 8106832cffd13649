#include "core/words/cell_sentence.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope {
namespace {

std::string_view wholeOf(TensorId tensor) {
  switch (tensor) {
    case TensorId::x:
      return "X";
    case TensorId::memory:
      return tr("the memory");
    case TensorId::qProj:
      return "Q";
    case TensorId::kProj:
      return "K";
    case TensorId::vProj:
      return "V";
    case TensorId::concat:
      return tr("the concatenation");
    default:
      return tr("the output");
  }
}

/// The head of a column of Q, K, V or the concatenation: " (head 3)".
std::string ownerOf(TensorId whole, Index column, const AttentionConfig& c) {
  if (c.mistakes.reshapeWithoutTranspose || c.mistakes.sharedHead) return {};
  const auto perHead = whole == TensorId::qProj    ? std::optional(TensorId::q)
                       : whole == TensorId::kProj  ? std::optional(TensorId::k)
                       : whole == TensorId::vProj  ? std::optional(TensorId::v)
                       : whole == TensorId::concat ? std::optional(TensorId::heads)
                                                   : std::nullopt;
  return perHead ? fmt::format(" ({})", headName(*perHead, column / c.dK(), c)) : std::string();
}

/// The input and output that a cell of a weight matrix, stored (out, in), connects.
std::optional<std::string> weightLeads(const CellRef& cell, const AttentionConfig& c) {
  for (const StepId id : {StepId::project, StepId::output}) {
    for (const LinearLayer& layer : step(id).layers(c)) {
      if (layer.weight != cell.tensor) continue;
      return trFormat("from column {} of {}{} to column {} of {}{}", cell.col, wholeOf(layer.x),
                      ownerOf(layer.x, cell.col, c), cell.row, wholeOf(layer.y),
                      ownerOf(layer.y, cell.row, c));
    }
  }
  return std::nullopt;
}

}  // namespace

std::string cellInWords(const Trace& trace, const CellRef& cell) {
  const TensorInfo& t = info(cell.tensor);
  const std::string value = number(trace.value(cell), 6);
  const auto token = [&](Axis axis, Index index) {
    return fmt::format("‘{}’", placeName(trace, axis, cell.item, index));
  };
  const std::string of = cell.gradient ? tr("gradient of the ") : "";
  if (cell.tensor == TensorId::weights) {
    const std::string query = token(t.rows, cell.row);
    const std::string key = token(t.cols, cell.col);
    const float weight = trace.value(cell);
    const bool share = !cell.gradient && weight >= 0.0F && weight <= 1.0F;
    return share ? trFormat("{} gives {} of its attention to {}", query, value, key)
                 : trFormat("{}weight of {} on {}: {}", of, query, key, value);
  }
  if (!t.word.empty() && t.cols == Axis::key) {
    return trFormat("{}{} of {} for {}: {}", of, t.word, token(t.rows, cell.row),
                    token(t.cols, cell.col), value);
  }
  if (!t.word.empty()) {
    return trFormat("{}{} of {}, number {}: {}", of, t.word, token(t.rows, cell.row), cell.col,
                    value);
  }
  if (t.rows == Axis::none) return trFormat("{}{}, number {}: {}", of, t.name, cell.col, value);
  if (const auto leads = weightLeads(cell, trace.config())) {
    return fmt::format("{}{} {}: {}", of, t.name, *leads, value);
  }
  return trFormat("{}{}, row {}, column {}: {}", of, t.name, cell.row, cell.col, value);
}

}  // namespace headscope
