#include "core/attention/rotary_row.h"

#include <algorithm>

namespace headscope {

RotaryRow::RotaryRow(const Rotary& rotary, Index dK, const std::vector<double>& frequencies,
                     Index position, double direction)
    : rotary_(rotary), dK_(dK) {
  for (const double frequency : frequencies) {
    const Turn turn = rotationAt(frequency, position);
    cosine_.push_back(static_cast<float>(rotary.amplitude * turn.cosine));
    sine_.push_back(static_cast<float>(rotary.amplitude * direction * turn.sine));
  }
}

void RotaryRow::apply(const float* x, float* y) const {
  const std::size_t half = cosine_.size();
  if (rotary_.pairing == Rotary::Pairing::neighbours) {
    for (std::size_t j = 0; j < half; ++j) {
      y[2 * j] = x[2 * j] * cosine_[j] - x[2 * j + 1] * sine_[j];
      y[2 * j + 1] = x[2 * j + 1] * cosine_[j] + x[2 * j] * sine_[j];
    }
  } else {
    for (std::size_t j = 0; j < half; ++j) {
      y[j] = x[j] * cosine_[j] - x[j + half] * sine_[j];
      y[j + half] = x[j + half] * cosine_[j] + x[j] * sine_[j];
    }
  }
  const Index turning = rotary_.turning(dK_);
  std::copy_n(x + turning, dK_ - turning, y + turning);
}

}  // namespace headscope
