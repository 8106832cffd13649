// Head reference: what a head does, written down once more from the definitions, in double and with
// plain loops, to hold core/analysis against.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/head_metrics.h"
#include "core/document/trace.h"
#include "tests/core/support/reference.h"

namespace headscope::test {

/// A mean over rows, undefined over none.
class NaiveMean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  std::optional<double> value() const {
    return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt;
  }

 private:
  double sum_ = 0.0;
  int count_ = 0;
};

/// One item of a trace. `tokens` are the keys', lower-cased; empty: there are none.
class HeadReference {
 public:
  HeadReference(const Trace& trace, Index item, std::vector<std::string> tokens = {})
      : trace_(trace), c_(trace.config()), item_(item), tokens_(std::move(tokens)) {}

  double weight(Index head, Index i, Index j) const {
    return trace_.value({TensorId::weights, item_, head, i, j});
  }
  bool sees(Index i, Index j) const {
    return c_.mistakes.zeroForMasked || mayAttend(c_, item_, i, j);
  }
  bool padded(Index i) const {
    return !c_.crossAttention() && !c_.mask.lengths.empty() &&
           i >= c_.mask.lengths[static_cast<std::size_t>(item_)];
  }
  bool counts(Index i) const {
    if (padded(i)) return false;
    for (Index j = 0; j < c_.keys(); ++j) {
      if (sees(i, j)) return true;
    }
    return false;
  }

  /// Returns whether all rows that count have weights of at least 0 and sums of 1.
  bool shares(Index h) const {
    for (Index i = 0; i < c_.seqLen; ++i) {
      if (!counts(i)) continue;
      double sum = 0.0;
      for (Index j = 0; j < c_.keys(); ++j) {
        if (weight(h, i, j) < 0.0) return false;
        sum += weight(h, i, j);
      }
      if (std::abs(sum - 1.0) > 1e-5) return false;
    }
    return true;
  }

  /// The metrics of a head by key, as in DESIGN's table.
  std::map<std::string, std::optional<double>> metrics(Index h) const {
    const auto A = [&](Index i, Index j) { return weight(h, i, j); };
    const auto sum = [&](const std::function<double(Index)>& term) {
      double total = 0.0;
      for (Index j = 0; j < c_.keys(); ++j) total += term(j);
      return total;
    };
    std::map<std::string, NaiveMean> mean;
    for (Index i = 0; i < c_.seqLen; ++i) {
      if (!counts(i)) continue;
      const double entropy = rowEntropy([&](Index j) { return A(i, j); });
      mean["entropy"].add(entropy);
      const double unmasked = sum([&](Index j) { return sees(i, j) ? 1.0 : 0.0; });
      if (unmasked > 1) mean["normalized_entropy"].add(entropy / std::log2(unmasked));
      double most = 0.0;
      for (Index j = 0; j < c_.keys(); ++j) most = std::max(most, A(i, j));
      mean["confidence"].add(most);
      mean["ablation"].add(length(term(h, i)) / length(output(i)));
      if (c_.crossAttention()) continue;
      const auto apart = [&](Index j) { return std::abs(static_cast<double>(i - j)); };
      mean["mean_distance"].add(sum([&](Index j) { return A(i, j) * apart(j); }));
      mean["local"].add(
          sum([&](Index j) { return apart(j) >= 1 && apart(j) <= 2 ? A(i, j) : 0.0; }));
      mean["self"].add(A(i, i));
      if (i >= 1) mean["previous_token"].add(A(i, i - 1));
      if (i >= 1) mean["first_token"].add(A(i, 0));
      if (i + 1 < c_.seqLen && !padded(i + 1)) mean["next_token"].add(A(i, i + 1));
      if (tokens_.empty()) continue;
      const auto token = [&](Index t) { return tokens_[static_cast<std::size_t>(t)]; };
      const auto duplicate = [&](Index j) { return j != i && sees(i, j) && token(j) == token(i); };
      const auto follower = [&](Index j) {
        return j >= 1 && j < i && sees(i, j) && token(j - 1) == token(i);
      };
      addOver(mean["duplicate_token"], duplicate, [&](Index j) { return A(i, j); });
      addOver(mean["induction"], follower, [&](Index j) { return A(i, j); });
    }
    std::map<std::string, std::optional<double>> values;
    for (const MetricInfo& m : allMetrics()) values[std::string(m.key)] = std::nullopt;
    for (const auto& [key, value] : mean) {
      if (key == "ablation" || shares(h)) values[key] = value.value();
    }
    return values;
  }

  std::optional<double> similarity(Index a, Index b) const {
    for (Index h = 0; h < c_.numHeads; ++h) {
      if (!shares(h)) return std::nullopt;
    }
    NaiveMean divergence;
    for (Index i = 0; i < c_.seqLen; ++i) {
      if (!counts(i)) continue;
      // by its first definition: the mean Kullback–Leibler divergence from the middle
      double sum = 0.0;
      for (Index j = 0; j < c_.keys(); ++j) {
        const double p = weight(a, i, j), q = weight(b, i, j), m = (p + q) / 2;
        if (p > 0) sum += p * std::log2(p / m) / 2;
        if (q > 0) sum += q * std::log2(q / m) / 2;
      }
      divergence.add(sum);
    }
    const auto value = divergence.value();
    return value ? std::optional(1.0 - *value) : std::nullopt;
  }

  std::optional<double> uniformDistance() const {
    NaiveMean mean;
    for (Index i = 0; i < c_.seqLen; ++i) {
      if (!counts(i)) continue;
      NaiveMean row;
      for (Index j = 0; j < c_.keys(); ++j) {
        if (sees(i, j)) row.add(std::abs(static_cast<double>(i - j)));
      }
      mean.add(*row.value());
    }
    return mean.value();
  }

  /// head_h[i] · W_O,h
  std::vector<double> term(Index h, Index i) const {
    const Index dK = c_.dK();
    std::vector<double> sum;
    for (Index o = 0; o < c_.dModel; ++o) {
      double value = 0.0;
      for (Index d = 0; d < dK; ++d) {
        value += static_cast<double>(trace_.value({joinedHeads(trace_.config()), item_, h, i, d})) *
                 static_cast<double>(trace_.value({TensorId::wO, -1, -1, o, h * dK + d}));
      }
      sum.push_back(value);
    }
    return sum;
  }
  std::vector<double> output(Index i) const {
    std::vector<double> row;
    for (Index o = 0; o < c_.dModel; ++o) {
      row.push_back(trace_.value({TensorId::output, item_, -1, i, o}));
    }
    return row;
  }

  static double length(const std::vector<double>& v) { return std::sqrt(dot(v, v)); }
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

 private:
  double rowEntropy(const std::function<double(Index)>& p) const {
    double bits = 0.0;
    for (Index j = 0; j < c_.keys(); ++j) {
      if (p(j) > 0) bits -= p(j) * std::log2(p(j));
    }
    return bits;
  }

  void addOver(NaiveMean& mean, const std::function<bool(Index)>& chosen,
               const std::function<double(Index)>& value) const {
    double sum = 0.0;
    bool any = false;
    for (Index j = 0; j < c_.keys(); ++j) {
      if (!chosen(j)) continue;
      any = true;
      sum += value(j);
    }
    if (any) mean.add(sum);
  }

  const Trace& trace_;
  const AttentionConfig& c_;
  Index item_;
  std::vector<std::string> tokens_;
};

}  // namespace headscope::test
