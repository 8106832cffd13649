#include "core/training/weight_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"

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
  constexpr double kMuchLonger = 5.0;
  constexpr double kNearly = 0.5;
  const WeightGradients first = weightGradients(records.front());
  const double ratio = first.valueOutput / std::max(first.queryKey, 1e-30);
  const std::string start = fmt::format(
      "At step {} the gradients of W_V and W_O are {} times as long as those of W_Q and W_K",
      withThousands(records.front().step), number(ratio, 2));
  if (ratio < kMuchLonger) return start + ": no great difference in this run.";
  const auto nearly = std::find_if(records.begin(), records.end(), [](const StepRecord& record) {
    const WeightGradients g = weightGradients(record);
    return g.queryKey >= kNearly * g.valueOutput;
  });
  return start + ": heads learn the content they carry before they learn where to look. " +
         (nearly == records.end()
              ? fmt::format("Up to step {} these stay less than half as long.",
                            withThousands(records.back().step))
              : fmt::format("At step {} these are at least half as long for the first time.",
                            withThousands(nearly->step)));
}

}  // namespace headscope::training
