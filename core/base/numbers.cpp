#include "core/base/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace headscope {
namespace {

std::string inUnits(double value, const char* const (&units)[6], double step) {
  std::size_t unit = 0;
  while (value >= step && unit + 1 < std::size(units)) {
    value /= step;
    ++unit;
  }
  const int decimals = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

}  // namespace

std::string number(double value, int digits) {
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (std::isnan(value)) return "not a number";
  const double magnitude = std::abs(value);
  if (value == std::round(value) && magnitude < 1e6) return fmt::format("{:.0f}", value + 0.0);
  // few digits are for reading: the exponent of a number near 0 adds nothing
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

std::string bytesInWords(Index bytes) {
  return inUnits(static_cast<double>(bytes), {"bytes", "kB", "MB", "GB", "TB", "PB"}, 1000.0);
}

std::string flopsAmount(Index flops) {
  return inUnits(static_cast<double>(flops), {"", "k", "M", "G", "T", "P"}, 1000.0);
}
std::string flopsInWords(Index flops) { return flopsAmount(flops) + "FLOP"; }

std::string withThousands(Index count) {
  std::string digits = std::to_string(count);
  const std::size_t start = count < 0 ? 1 : 0;
  for (auto at = digits.size(); at > start + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string counted(Index count, const char* one, const char* several) {
  return fmt::format(fmt::runtime(count == 1 ? one : several), withThousands(count));
}

}  // namespace headscope
