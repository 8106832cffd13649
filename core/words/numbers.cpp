#include "core/words/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/ledger.h"

namespace headscope {
namespace {

std::string costOf(const AttentionConfig& config) {
  ScoresHeld held = ScoresHeld::all;
  try {
    held = scoresToHold(config, defaultMemoryBudget());
  } catch (const UserError&) {  // what it would need is told all the same
  }
  const Ledger cost = ledger(config, held);
  return fmt::format("{} parameters, {} a pass, {}", withThousands(cost.parameters.total),
                     flopsInWords(cost.flops), bytesInWords(cost.residentBytes));
}

}  // namespace

std::string number(double value, int digits) {
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (std::isnan(value)) return "not a number";
  const double magnitude = std::abs(value);
  if (value == std::round(value) && magnitude < 1e6) return fmt::format("{:.0f}", value + 0.0);
  // who asks for few digits reads them: nothing is told by the exponent of what is nearly 0
  constexpr int kToRead = 4;
  constexpr double kNearlyZero = 1e-6;
  if (digits <= kToRead && magnitude < kNearlyZero) return "≈ 0";
  if (magnitude >= 1e6 || magnitude < 1e-4) return fmt::format("{:.{}e}", value, digits - 1);
  const int whole = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, digits - whole));
}

std::string nearZeroText(double value) {
  const double magnitude = std::abs(value);
  return magnitude > 0.0 && magnitude < 1e-4 ? fmt::format("{:.1e}", value) : number(value, 2);
}

std::string cellNumber(double value, int decimals) {
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (std::abs(value) >= 1e5) return fmt::format("{:.0e}", value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);
  return text;
}

std::string factorText(double value) {
  const std::string text = number(value, 3);
  return value < 0 ? "(" + text + ")" : text;
}

std::string costTip(const AttentionConfig& now, const AttentionConfig& doubled) {
  std::string text = "\nnow: " + costOf(now);
  if (!validate(doubled).empty()) return text;
  try {
    text += "\ntwice as many: " + costOf(doubled);
  } catch (const UserError&) {  // too large to be counted
  }
  return text;
}

}  // namespace headscope
