// Metric value: a measured number, or the reason why there is none.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/tensor/tensor.h"

namespace headscope {

/// A number, or in words why there is none ("no token repeats"); never NaN.
struct MetricValue {
  std::optional<double> value;
  std::string why;

  static MetricValue undefined(std::string why) { return {std::nullopt, std::move(why)}; }
  explicit operator bool() const { return value.has_value(); }
  double operator*() const { return *value; }
  bool operator==(const MetricValue&) const = default;
};

/// The batch item that is measured; none: the mean over all items in which the number is defined.
using ItemChoice = std::optional<Index>;

}  // namespace headscope
