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

}  // namespace headscope::ui
