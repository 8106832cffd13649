#include "core/formats/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/error.h"
#include "core/input/utf8.h"
#include "core/trimmed.h"

namespace headscope::formats {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& what) {
  const std::string shown = excerpt(text, 40);
  if (text.find(',') != std::string_view::npos) {
    throw UserError(
        fmt::format("{}: \"{}\" has a comma; write decimals with a point, as in 0.5", what, shown));
  }
  throw UserError(
      fmt::format("{}: \"{}\" is not a number; write one such as 0.5, −3 or 1e-3", what, shown));
}

}  // namespace

float parseNumber(std::string_view text, const std::string& what) {
  constexpr std::string_view kMinus = "−";
  const std::string_view all = trimmed(text);
  if (all.empty()) throw UserError(what + " needs a number; type one such as 0.5");
  std::string_view digits = all;
  const bool minus = digits.starts_with(kMinus);
  if (minus) digits.remove_prefix(kMinus.size());
  if (!minus && digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.size() < all.size() && (digits.starts_with('-') || digits.starts_with('+'))) {
    refuse(all, what);  // one sign is enough
  }
  double value = 0.0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    refuse(all, what);
  }
  const auto number = static_cast<float>(minus ? -value : value);
  if (code != std::errc() || !std::isfinite(number)) {
    throw UserError(
        fmt::format("{} cannot be {}: give a number within ±3.4e38", what, excerpt(all, 40)));
  }
  return number;
}

}  // namespace headscope::formats
