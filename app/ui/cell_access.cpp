#include "app/ui/cell_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "app/ui/axis_labels.h"
#include "core/steps/step.h"
#include "core/trace.h"

namespace headscope::ui {
namespace {

/// A cell of q_proj, k_proj or v_proj: a row of the input times a row of the weight.
CellAccess projected(const AttentionConfig& c, const CellRef& cell) {
  const bool ofMemory = cell.tensor != TensorId::qProj && c.crossAttention();
  const TensorId source = ofMemory ? TensorId::memory : TensorId::x;
  const TensorId weight = cell.tensor == TensorId::qProj   ? TensorId::wQ
                          : cell.tensor == TensorId::kProj ? TensorId::wK
                                                           : TensorId::wV;
  return {CellKind::readOnly,
          cell,
          fmt::format("follows from {} and {}: change those", info(source).name, info(weight).name),
          {{source, cell.item, -1, cell.row, 0}, {weight, -1, -1, cell.col, 0}}};
}

/// The one cell that a cell of a view is.
CellRef sourceOf(const Trace& trace, const CellRef& cell) {
  return explainCell(trace, cell).terms.front().cells.front();
}

CellAccess viewOfProjection(const Trace& trace, const CellRef& cell) {
  const CellRef source = sourceOf(trace, cell);
  CellAccess access = projected(trace.config(), source);
  access.target = cell;
  access.why = fmt::format("a view of {}, which {}", info(source.tensor).name, access.why);
  return access;
}

}  // namespace

CellAccess cellAccess(const Trace& trace, const CellRef& cell) {
  const AttentionConfig& c = trace.config();
  if (!isResult(cell.tensor)) return {CellKind::operand, cell, {}, {}};
  if (canBePinned(cell.tensor)) return {CellKind::pinnable, cell, {}, {}};
  switch (cell.tensor) {
    case TensorId::q:
    case TensorId::k:
    case TensorId::v:
      return viewOfProjection(trace, cell);
    case TensorId::maskedScores: {
      CellRef score = cell;
      score.tensor = TensorId::scores;
      if (allowedKeys(c.mask, cell.item, cell.row, c.keys())(cell.col)) {
        return {CellKind::pinnable, score, {}, {}};
      }
      return {CellKind::readOnly,
              cell,
              "forbidden (" + whyForbidden(c.mask, cell.item, cell.row, cell.col) +
                  "): allow the pair in the mask painter",
              {score}};
    }
    case TensorId::concat:
      return {CellKind::readOnly,
              cell,
              "a view of heads: pin the head's output",
              {sourceOf(trace, cell)}};
    case TensorId::output:
      return {CellKind::readOnly,
              cell,
              "follows from heads and W_O: pin a head's output or change W_O",
              {{TensorId::heads, cell.item, 0, cell.row, 0}, {TensorId::wO, -1, -1, cell.col, 0}}};
    default:
      return projected(c, cell);
  }
}

Edit setCell(const CellAccess& access, float value) {
  if (access.kind == CellKind::pinnable) return SetPin{{access.target, value}};
  return SetCell{access.target, value};
}

float heldValue(const Document& document, const Trace& trace, const CellAccess& access) {
  const CellRef& cell = access.target;
  if (access.kind == CellKind::operand && exists(cell, document.config)) {
    // a trace nothing was computed in has the operands; it owns nothing of the document
    return Trace(DocumentPtr(DocumentPtr(), &document)).value(cell);
  }
  if (const auto pin = document.pins.at(cell)) return *pin;
  return trace.value(cell);
}

std::string_view coordinateName(const Trace& trace, const CellRef& cell) {
  const auto& names = trace.document().input->coordinates;
  const bool named = cell.tensor == TensorId::x && cell.col < static_cast<Index>(names.size());
  return named ? std::string_view(names[static_cast<std::size_t>(cell.col)]) : std::string_view();
}

bool isFullyMasked(const Trace& trace, Index item, Index row) {
  const auto& rows = trace.fullyMaskedRows;  // by item, row, head
  const auto place = [](const FullyMaskedRow& r) { return std::tuple(r.item, r.row); };
  const auto found = std::lower_bound(
      rows.begin(), rows.end(), std::tuple(item, row),
      [&](const FullyMaskedRow& r, const std::tuple<Index, Index>& k) { return place(r) < k; });
  return found != rows.end() && place(*found) == std::tuple(item, row);
}

std::string whyFullyMasked(const Trace& trace, const CellRef& cell) {
  if (info(cell.tensor).rows != Axis::query || cell.tensor < TensorId::maskedScores ||
      !isFullyMasked(trace, cell.item, cell.row)) {
    return {};
  }
  const auto& tokens = laneTokens(trace, Lane::query, cell.item);
  const std::string name = cell.row < static_cast<Index>(tokens.size())
                               ? std::string(shownToken(tokens[static_cast<std::size_t>(cell.row)]))
                               : std::to_string(cell.row);
  const bool pinned = std::any_of(trace.document().pins.all().begin(),
                                  trace.document().pins.all().end(), [&](const Pin& pin) {
                                    return pin.cell.tensor >= TensorId::weights &&
                                           pin.cell.item == cell.item && pin.cell.row == cell.row;
                                  });
  return fmt::format("every key of '{}' is masked: no softmax, {}", name,
                     pinned                ? "weights 0 but for what is pinned"
                     : trace.config().bias ? "weights 0, output b_O"
                                           : "weights 0, output 0");
}

}  // namespace headscope::ui
