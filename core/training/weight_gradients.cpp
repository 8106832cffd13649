#include "core/training/weight_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/words/numbers.h"

namespace headscope::training {

WeightGradients weightGradients(const StepRecord& record) {
  WeightGradients squares;
  const auto square = [](float length) {
    return static_cast<double>(length) * static_cast<double>(length);
  };
  for (const HeadGradients& g : record.heads) {
    squares.queryKey += square(g.wQ) + square(g.wK);
    squares.valueOutput += square(g.wV) + square(g.wO);
  }
  return {std::sqrt(squares.queryKey), std::sqrt(squares.valueOutput)};
}

std::string weightGradientsInWords(std::span<const StepRecord> records) {
  if (records.empty()) return {};
  constexpr double kNearly = 0.5;
  const WeightGradients first = weightGradients(records.front());
  const auto nearly = std::find_if(records.begin(), records.end(), [](const StepRecord& record) {
    const WeightGradients g = weightGradients(record);
    return g.queryKey >= kNearly * g.valueOutput;
  });
  if (nearly == records.begin()) {
    return fmt::format(
        "At step {} the gradients of W_Q and W_K are {} long, those of W_V and W_O {}: all learn "
        "from the start.",
        records.front().step, number(first.queryKey, 2), number(first.valueOutput, 2));
  }
  const std::string start = fmt::format(
      "At step {} the gradients of W_V and W_O are {} times as long as those of W_Q and W_K: what "
      "heads carry is learned before where they look.",
      records.front().step, number(first.valueOutput / first.queryKey, 2));
  if (nearly == records.end()) {
    return start +
           fmt::format(" Up to step {} these stay less than half as long.", records.back().step);
  }
  return start + fmt::format(" At step {} these are at least half as long for the first time.",
                             nearly->step);
}

}  // namespace headscope::training
