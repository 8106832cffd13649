#include "core/training/curriculum.h"

#include <algorithm>

namespace headscope::training {
namespace {

/// Lengths are rounded up to a multiple of this, so that few sizes of memory are requested.
constexpr Index kLengthStep = 4;

}  // namespace

AskedBatch::AskedBatch(const std::vector<Item>& items) : count(std::ssize(items)) {
  for (const Item& item : items) {
    lengths.push_back(std::ssize(item.things));
    length = std::max(length, lengths.back());
  }
  length = (length + kLengthStep - 1) / kLengthStep * kLengthStep;
  constexpr auto kCount = static_cast<Index>(kLayerQuestions);
  things.assign(static_cast<std::size_t>(count * length), -1);
  answers.assign(static_cast<std::size_t>(count * kCount * length * (length + 1)), 0.0F);
  for (Index item = 0; item < count; ++item) {
    const auto& [numbers, partners] = items[static_cast<std::size_t>(item)];
    std::copy(numbers.begin(), numbers.end(), things.begin() + item * length);
    for (Index question = 0; question < kCount; ++question) {
      const auto q = static_cast<std::size_t>(question);
      float* row = answers.data() + firstAnswer(item, question);
      for (const std::vector<Index>& places : (*partners)[q]) {
        ++(places.empty() ? rowsWithout : rowsWithPartner)[q];
        if (places.empty()) row[length] = 1.0F;
        for (const Index place : places) {
          const Index thing = numbers[static_cast<std::size_t>(place)];
          const auto alike = std::count(numbers.begin(), numbers.end(), thing);
          const float share = 1.0F / static_cast<float>(std::ssize(places) * alike);
          for (std::size_t j = 0; j < numbers.size(); ++j) {
            if (numbers[j] == thing) row[j] += share;
          }
        }
        row += length + 1;
      }
    }
  }
}

std::vector<float> blockFactors(const Layout& layout, std::size_t first, std::size_t last,
                                double factor) {
  std::vector<float> factors(layout.names.size(), 1.0F);
  for (std::size_t block = first; block <= last; ++block) {
    const ColumnRange& columns = layout.blocks[block];
    std::fill_n(factors.begin() + columns.begin, columns.count, static_cast<float>(factor));
  }
  return factors;
}

std::vector<double> meanOfPlaces(const Tensor& x, const AskedBatch& batch) {
  std::vector<double> mean(static_cast<std::size_t>(x.dim(2)), 0.0);
  Index rows = 0;
  for (Index item = 0; item < batch.count; ++item) {
    const ConstMatrixView matrix = x.matrixOf(item, 0);
    for (Index i = 0; i < batch.lengths[static_cast<std::size_t>(item)]; ++i, ++rows) {
      for (std::size_t c = 0; c < mean.size(); ++c) {
        mean[c] += static_cast<double>(matrix(i, static_cast<Index>(c)));
      }
    }
  }
  for (double& each : mean) each /= static_cast<double>(rows);
  return mean;
}

}  // namespace headscope::training
