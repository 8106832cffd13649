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

using S = Switches;

/// The temperature and its reciprocal both fit in float32.
bool isTemperature(double value) {
  return value > 0.0 && value <= static_cast<double>(std::numeric_limits<float>::max()) &&
         std::isfinite(1.0F / static_cast<float>(value));
}

bool isCap(double value) { return value == 0.0 || (value >= 1e-30 && value <= 1e30); }

constexpr std::array kSwitches{
    Switch{.field = &S::bias,
           .key = "bias",
           .title = trLater("bias"),
           .about = trLater("adds b_Q, b_K, b_V and b_O, and b_G to a gate"),
           .step = StepId::project,
           .inEveryFile = true},
    Switch{.field = &S::scale,
           .key = "scale",
           .title = trLater("÷√d_k"),
           .about = trLater("without 1/√d_k"),
           .step = StepId::scale,
           .flag = "--no-scale",
           .inEveryFile = true},
    Switch{.field = &S::alibi,
           .key = "alibi",
           .title = trLater("ALiBi"),
           .about = trLater("each head takes its slope times the distance off its scores"),
           .step = StepId::mask},
    Switch{.field = &S::gate,
           .key = "gate",
           .title = trLater("gate"),
           .about = trLater(
               "multiplies each number of a head by a gate between 0 and 1 that is computed from "
               "the query's token, as in AlphaFold 2"),
           .step = StepId::gate,
           .flag = "--gate"},
    Switch{
        .field = &S::temperature,
        .key = "temperature",
        .title = trLater("temperature"),
        .about = trLater("divisor of the scores"),
        .step = StepId::scale,
        .flag = "--temperature",
        .inEveryFile = true,
        .accepts = isTemperature,
        .range = trLater("a number above 0, from 3e-39 to 3.4e38 (1 leaves the scores unchanged)")},
    Switch{
        .field = &S::scoreCap,
        .key = "score_cap",
        .title = trLater("score cap"),
        .about = trLater("soft cap of the scores: cap · tanh(score / cap), as in Gemma 2; 0: none"),
        .step = StepId::scale,
        .flag = "--score-cap",
        .accepts = isCap,
        .range = trLater("0 (no cap) or from 1e-30 to 1e30")},
};

/// Converts to any type. Switches can be made of as many of them as it has fields.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): it stands for a bool or a double
};
template <std::size_t... Field>
constexpr bool canBeMadeOf(std::index_sequence<Field...>) {
  return requires { Switches{(static_cast<void>(Field), Anything{})...}; };
}
static_assert(!canBeMadeOf(std::make_index_sequence<kSwitches.size() + 1>()),
              "a field of Switches has no row in kSwitches");

}  // namespace

template class Indirect<Switches>;

std::span<const Switch> allSwitches() { return kSwitches; }

const Switch& switchOf(const decltype(Switch::field)& field) {
  return *std::find_if(kSwitches.begin(), kSwitches.end(),
                       [&](const Switch& each) { return each.field == field; });
}

double valueOf(const Switch& which, const AttentionConfig& config) {
  return std::visit([&](auto field) { return static_cast<double>((*config.switches).*field); },
                    which.field);
}

void setValue(const Switch& which, AttentionConfig& config, double value) {
  if (const auto* flag = std::get_if<bool S::*>(&which.field)) {
    (*config.switches).** flag = value != 0.0;
  } else {
    (*config.switches).*std::get<double S::*>(which.field) = value;
  }
}

double defaultOf(const Switch& which) { return valueOf(which, {}); }

bool sameSwitches(StepId step, const AttentionConfig& a, const AttentionConfig& b) {
  return std::all_of(kSwitches.begin(), kSwitches.end(), [&](const Switch& each) {
    return each.step != step || valueOf(each, a) == valueOf(each, b);
  });
}

}  // namespace headscope
