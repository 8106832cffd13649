// Added scores: rows of heads' scores, times a gain each, and what softmax makes of them or of
// their sum: what one head with the matrices of two computes. Pins are left out.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "core/document.h"
#include "core/trace.h"
#include "core/weights/declared_relation.h"

namespace headscope {

class AddedScores {
 public:
  AddedScores(const Trace& trace, Index item);

  /// A head's raw scores of a query.
  void scores(Index head, Index query, std::span<float> row) const;
  /// Raw scores to weights, in place.
  void softmax(Index query, std::span<float> row) const;
  /// How far the key `own` leads `other` in a row of raw scores, in logits; none where one of them
  /// is masked.
  std::optional<double> lead(Index query, std::span<const float> row, Index own, Index other) const;

 private:
  const Trace& trace_;
  Index item_;
};

/// sum = gains[0] · a + gains[1] · b
void addScores(std::span<const float> a, std::span<const float> b, std::array<double, 2> gains,
               std::span<float> sum);

/// Two relations want different keys.
inline bool differ(const std::optional<Index>& a, const std::optional<Index>& b) {
  return a && b && *a != *b;
}

/// How far two relations' own keys lead, over the queries that want different ones.
class Leads {
 public:
  void add(const std::array<std::optional<double>, 2>& leads) {
    if (!leads[0] || !leads[1]) return;
    for (std::size_t r = 0; r < 2; ++r) sum_[r] += *leads[r];
    ++count_;
  }
  /// With these both means are kEqualLead; 1 where there is nothing that leads.
  std::array<double, 2> equalGains() const;

 private:
  std::array<double, 2> sum_{0.0, 0.0};
  Index count_ = 0;
};

}  // namespace headscope
