#include "core/analysis/added_scores.h"

#include <algorithm>
#include <limits>

#include "core/analysis/two_in_one.h"
#include "core/error.h"
#include "core/finite.h"
#include "core/steps/score_rows.h"
#include "core/steps/softmax_row.h"

namespace headscope {

AddedScores::AddedScores(const Trace& trace, Index item) : trace_(trace), item_(item) {}

void AddedScores::scores(Index head, Index query, std::span<float> row) const {
  trace_.tile(TensorId::rawScores, item_, head, query, 1, 0, static_cast<Index>(row.size()),
              row.data());
}

void AddedScores::softmax(Index query, std::span<float> row) const {
  scoresForSoftmax(row, row, trace_.config(), {}, {item_, 0, query, 0});
  const auto keys = static_cast<Index>(row.size());
  if (!allFinite({row.data(), 1, keys, keys, 1})) {
    throw UserError(
        "the two heads' scores together do not fit a 32-bit float: scale W_Q or W_K down");
  }
  softmaxRow(row, softmaxKeys(trace_.config(), item_, query));
}

std::optional<double> AddedScores::lead(Index query, std::span<const float> row, Index own,
                                        Index other) const {
  const AllowedKeys allowed = softmaxKeys(trace_.config(), item_, query);
  if (!allowed(own) || !allowed(other)) return std::nullopt;
  std::array both{row[static_cast<std::size_t>(own)], row[static_cast<std::size_t>(other)]};
  scaleScores(both, both, trace_.config(), {}, {item_, 0, query, 0});
  return static_cast<double>(both[0]) - static_cast<double>(both[1]);
}

void addScores(std::span<const float> a, std::span<const float> b, std::array<double, 2> gains,
               std::span<float> sum) {
  const auto first = static_cast<float>(gains[0]);
  const auto second = static_cast<float>(gains[1]);
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] = first * a[j] + second * b[j];
}

std::array<double, 2> Leads::equalGains() const {
  if (count_ == 0 || sum_[0] <= 0.0 || sum_[1] <= 0.0) return {1.0, 1.0};
  const double wanted = kEqualLead * static_cast<double>(count_);
  const std::array gains{wanted / sum_[0], wanted / sum_[1]};
  // of leads next to nothing they would be more than a float holds
  const bool usable = std::max(gains[0], gains[1]) <= std::numeric_limits<float>::max();
  return usable ? gains : std::array{1.0, 1.0};
}

}  // namespace headscope
