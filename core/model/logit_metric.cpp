#include "core/model/logit_metric.h"

#include <algorithm>
#include <cmath>

namespace headscope::model {

double metricOf(std::span<const float> logits, const AskedWord& asked) {
  const auto at = [&](Index id) { return double{logits[static_cast<std::size_t>(id)]}; };
  return asked.other ? at(asked.word) - at(*asked.other) : at(asked.word);
}

double divergenceBetween(std::span<const float> p, std::span<const float> q) {
  const auto logTotal = [](std::span<const float> logits) {
    const auto largest = static_cast<double>(*std::ranges::max_element(logits));
    double total = 0.0;
    for (const float x : logits) total += std::exp(static_cast<double>(x) - largest);
    return largest + std::log(total);
  };
  const double ofP = logTotal(p), ofQ = logTotal(q);
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double logP = static_cast<double>(p[i]) - ofP;
    sum += std::exp(logP) * (logP - (static_cast<double>(q[i]) - ofQ));
  }
  return std::max(0.0, sum);
}

}  // namespace headscope::model
