#include "app/ui/cell_input.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/formats/number_text.h"

namespace headscope::ui {
namespace {

double reach(float magnitude) {
  return std::isfinite(magnitude) && magnitude > 0.0F ? static_cast<double>(magnitude) : 1.0;
}

}  // namespace

TypedNumber typedNumber(const std::string& text, const CellRef& cell) {
  try {
    return {formats::parseNumber(text, toString(cell)), {}};
  } catch (const UserError& error) {
    return {std::nullopt, error.what()};
  }
}

double dragStep(float magnitude, bool finer, bool coarser) {
  return reach(magnitude) / 200.0 * (finer ? 0.1 : 1.0) * (coarser ? 10.0 : 1.0);
}

double wheelStep(float magnitude) { return reach(magnitude) / 100.0; }

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
