#include "app/ui/cells/cell_access.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/input/tables.h"

namespace headscope::ui {
namespace {

/// A cell of q_proj, k_proj or v_proj: a row of the input times a row of the weight.
CellAccess projectedCell(const AttentionConfig& c, const CellRef& cell) {
  for (const LinearLayer& layer : producerOf(cell.tensor).layers(c)) {
    if (layer.y != cell.tensor) continue;
    return {CellKind::readOnly,
            cell,
            trFormat("follows from {} and {}: change those", info(layer.x).name,
                     info(layer.weight).name),
            {{layer.x, cell.item, -1, cell.row, 0}, {layer.weight, -1, -1, cell.col, 0}}};
  }
  return {CellKind::readOnly, cell, {}, {}};
}

/// Returns the cell that owns the value which a cell of a view shows.
CellRef viewedCell(const Trace& trace, const CellRef& cell) {
  return explainCell(trace, cell).terms.front().cells.front();
}

CellAccess viewOfProjection(const Trace& trace, const CellRef& cell) {
  const CellRef source = viewedCell(trace, cell);
  CellAccess access = projectedCell(trace.config(), source);
  access.target = cell;
  access.why = trFormat("a view of {}, which {}", info(source.tensor).name, access.why);
  return access;
}

double stepReach(float magnitude) {
  return std::isfinite(magnitude) && magnitude > 0.0F ? static_cast<double>(magnitude) : 1.0;
}

}  // namespace

CellAccess cellAccess(const Trace& trace, const CellRef& cell) {
  const AttentionConfig& c = trace.config();
  if (cell.gradient) {
    return {CellKind::readOnly,
            cell,
            tr("a gradient follows from the whole pass: change its values"),
            {}};
  }
  if (!isResult(cell.tensor)) return {CellKind::operand, cell, {}, {}};
  if (canBePinned(cell.tensor)) return {CellKind::pinnable, cell, {}, {}};
  if (producerOf(cell.tensor).work() == StepWork::heads) {
    CellAccess access{CellKind::readOnly,
                      cell,
                      cell.tensor == TensorId::gated
                          ? tr("follows from the gate and the head's output: pin one")
                          : tr("follows from the query or key before: change that"),
                      {}};
    for (const Term& term : explainCell(trace, cell).terms) {
      access.sources.insert(access.sources.end(), term.cells.begin(), term.cells.end());
    }
    return access;
  }
  switch (cell.tensor) {
    case TensorId::q:
    case TensorId::k:
    case TensorId::v:
      return viewOfProjection(trace, cell);
    case TensorId::maskedScores: {
      CellRef score = cell;
      score.tensor = TensorId::scores;
      if (allowedKeys(c.mask, cell.item, cell.row, c.keys())(cell.col)) {
        if (!c.switches->alibi && !c.pairBias.on()) return {CellKind::pinnable, score, {}, {}};
        const char* what = c.switches->alibi ? tr("the score minus ALiBi's penalty: pin the score")
                           : c.pairBias.ofPairs()
                               ? tr("the score plus its pair's bias: pin the score")
                               : tr("the score plus its distance's bias: pin the score");
        return {CellKind::readOnly, cell, what, {score}};
      }
      return {CellKind::readOnly,
              cell,
              "forbidden (" + whyForbidden(c.mask, cell.item, cell.row, cell.col) +
                  tr("): allow the pair in the mask painter"),
              {score}};
    }
    case TensorId::concat:
      return {CellKind::readOnly,
              cell,
              tr("a view of heads: pin the head's output"),
              {viewedCell(trace, cell)}};
    case TensorId::output:
      return {CellKind::readOnly,
              cell,
              tr("follows from heads and W_O: pin a head's output or change W_O"),
              {{joinedHeads(c), cell.item, 0, cell.row, 0}, {TensorId::wO, -1, -1, cell.col, 0}}};
    default:
      return projectedCell(c, cell);
  }
}

Edit setCell(const CellAccess& access, float value) {
  if (access.kind == CellKind::pinnable) return SetPin{{access.target, value}};
  return SetCell{access.target, value};
}

float heldValue(const Document& document, const Trace& trace, const CellAccess& access) {
  const CellRef& cell = access.target;
  if (access.kind == CellKind::operand && exists(cell, document.config)) {
    // a trace without results gives the operands; it does not own the document
    return Trace(DocumentPtr(DocumentPtr(), &document)).value(cell);
  }
  if (const auto pin = document.pins.at(cell)) return *pin;
  return trace.value(cell);
}

TypedNumber typedNumber(const std::string& text, const CellRef& cell) {
  try {
    return {parseNumber(text, toString(cell)), {}};
  } catch (const UserError& error) {
    return {std::nullopt, error.what()};
  }
}

double dragStep(float magnitude, bool finer, bool coarser) {
  return stepReach(magnitude) / 200.0 * (finer ? 0.1 : 1.0) * (coarser ? 10.0 : 1.0);
}

double wheelStep(float magnitude) {
  constexpr double kNotches = 25.0;  // to the largest number
  const double least = stepReach(magnitude) / kNotches * (1.0 - 1e-9);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double leading : {1.0, 2.0, 5.0}) {
    if (leading * power >= least) return leading * power;
  }
  return 10.0 * power;
}

double moved(double value, double by, double step) {
  const double grain = std::pow(10.0, std::floor(std::log10(step)) - 1.0);
  const double rounded = std::round((value + by) / grain) * grain;
  return std::isfinite(rounded) ? rounded : value;
}

std::string fieldText(float value) {
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  return fmt::format("{}", value == 0.0F ? 0.0F : value);
}

}  // namespace headscope::ui
