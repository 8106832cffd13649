#include "core/attention/switches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/attention/config.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

using C = AttentionConfig;

/// The temperature and its reciprocal both fit in float32.
bool isTemperature(double value) {
  return value > 0.0 && value <= static_cast<double>(std::numeric_limits<float>::max()) &&
         std::isfinite(1.0F / static_cast<float>(value));
}

bool isCap(double value) { return value == 0.0 || (value >= 1e-30 && value <= 1e30); }

constexpr std::array kSwitches{
    Switch{.field = &C::bias,
           .key = "bias",
           .title = trLater("bias"),
           .about = trLater("adds b_Q, b_K, b_V and b_O, and b_G to a gate"),
           .step = StepId::project,
           .inEveryFile = true},
    Switch{.field = &C::scale,
           .key = "scale",
           .title = trLater("÷√d_k"),
           .about = trLater("without 1/√d_k"),
           .step = StepId::scale,
           .flag = "--no-scale",
           .inEveryFile = true},
    Switch{.field = &C::alibi,
           .key = "alibi",
           .title = trLater("ALiBi"),
           .about = trLater("each head takes its slope times the distance off its scores"),
           .step = StepId::mask},
    Switch{.field = &C::gate,
           .key = "gate",
           .title = trLater("gate"),
           .about = trLater(
               "multiplies each number of a head by a gate between 0 and 1 that is computed from "
               "the query's token, as in AlphaFold 2"),
           .step = StepId::gate,
           .flag = "--gate"},
    Switch{
        .field = &C::temperature,
        .key = "temperature",
        .title = trLater("temperature"),
        .about = trLater("divisor of the scores"),
        .step = StepId::scale,
        .flag = "--temperature",
        .inEveryFile = true,
        .accepts = isTemperature,
        .range = trLater("a number above 0, from 3e-39 to 3.4e38 (1 leaves the scores unchanged)")},
    Switch{
        .field = &C::scoreCap,
        .key = "score_cap",
        .title = trLater("score cap"),
        .about = trLater("soft cap of the scores: cap · tanh(score / cap), as in Gemma 2; 0: none"),
        .step = StepId::scale,
        .flag = "--score-cap",
        .accepts = isCap,
        .range = trLater("0 (no cap) or from 1e-30 to 1e30")},
};

template <typename... Fields>
constexpr std::size_t flagsAndNumbers(const std::tuple<Fields&...>*) {
  return (... +
          (std::is_same_v<Fields, const bool> || std::is_same_v<Fields, const double> ? 1 : 0));
}
using AllFields = decltype(fieldsOf(std::declval<const C&>()));
static_assert(flagsAndNumbers(static_cast<const AllFields*>(nullptr)) == kSwitches.size(),
              "a flag or number of AttentionConfig has no row in kSwitches");

}  // namespace

std::span<const Switch> allSwitches() { return kSwitches; }

const Switch& switchOf(const decltype(Switch::field)& field) {
  return *std::find_if(kSwitches.begin(), kSwitches.end(),
                       [&](const Switch& each) { return each.field == field; });
}

double valueOf(const Switch& which, const AttentionConfig& config) {
  return std::visit([&](auto field) { return static_cast<double>(config.*field); }, which.field);
}

void setValue(const Switch& which, AttentionConfig& config, double value) {
  if (const auto* flag = std::get_if<bool C::*>(&which.field)) {
    config.** flag = value != 0.0;
  } else {
    config.*std::get<double C::*>(which.field) = value;
  }
}

double defaultOf(const Switch& which) { return valueOf(which, {}); }

bool sameSwitches(StepId step, const AttentionConfig& a, const AttentionConfig& b) {
  return std::all_of(kSwitches.begin(), kSwitches.end(), [&](const Switch& each) {
    return each.step != step || valueOf(each, a) == valueOf(each, b);
  });
}

}  // namespace headscope
