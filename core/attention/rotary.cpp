#include "core/attention/rotary.h"

#include <cmath>
#include <numbers>

namespace headscope {
namespace {

/// Llama 3.1's scaling of a frequency (apply_scaling in its release).
double scaledLikeLlama3(double frequency, const Rotary& r) {
  const auto learned = static_cast<double>(r.originalPositions);
  const double wave = 2.0 * std::numbers::pi / frequency;  // in positions
  if (wave < learned / r.highFrequencyFactor) return frequency;
  if (wave > learned / r.lowFrequencyFactor) return frequency / r.factor;
  const double smooth =
      (learned / wave - r.lowFrequencyFactor) / (r.highFrequencyFactor - r.lowFrequencyFactor);
  return (1.0 - smooth) * frequency / r.factor + smooth * frequency;
}

}  // namespace

std::vector<double> rotaryFrequencies(const Rotary& rotary, Index dK) {
  std::vector<double> frequencies;
  const Index turning = rotary.turning(dK);
  for (Index j = 0; j < turning / 2; ++j) {
    double frequency =
        std::pow(rotary.theta, -2.0 * static_cast<double>(j) / static_cast<double>(turning));
    if (rotary.scaling == Rotary::Scaling::linear) frequency /= rotary.factor;
    if (rotary.scaling == Rotary::Scaling::llama3) frequency = scaledLikeLlama3(frequency, rotary);
    if (rotary.scaling == Rotary::Scaling::perPair) {
      frequency /= rotary.divisors[static_cast<std::size_t>(j)];
    }
    frequencies.push_back(frequency);
  }
  return frequencies;
}

RotatedPair coordinatesOf(Index pair, const Rotary& rotary, Index dK) {
  if (rotary.pairing == Rotary::Pairing::neighbours) return {2 * pair, 2 * pair + 1};
  return {pair, pair + rotary.turning(dK) / 2};
}

Turn rotationAt(double frequency, Index position) {
  const double angle = frequency * static_cast<double>(position);
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace headscope
