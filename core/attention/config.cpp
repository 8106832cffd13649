#include "core/attention/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/limits.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/tensor/finite.h"

namespace headscope {
namespace {

/// The divisors of n nearest to `wanted`.
std::vector<Index> nearestDivisors(Index n, Index wanted, std::size_t count) {
  std::vector<Index> divisors;
  for (Index d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    divisors.push_back(d);
    if (d != n / d) divisors.push_back(n / d);
  }
  std::sort(divisors.begin(), divisors.end(), [wanted](Index a, Index b) {
    const Index da = std::abs(a - wanted);
    const Index db = std::abs(b - wanted);
    return da != db ? da < db : a < b;
  });
  if (divisors.size() > count) divisors.resize(count);
  return divisors;
}

class Findings {
 public:
  void add(std::string field, std::string message, std::vector<std::int64_t> suggestions = {}) {
    found.push_back({std::move(field), std::move(message), std::move(suggestions)});
  }
  /// False, and a finding, where `value` is not in [1, limit].
  bool count(const char* field, Index value, Index limit) {
    if (value < 1) {
      add(field, trFormat("{} is {}: it must be at least 1", field, value), {1});
      return false;
    }
    if (value > limit) {
      add(field, trFormat("{} is {}: the maximum is {}", field, value, limit), {limit});
      return false;
    }
    return true;
  }
  std::vector<Problem> found;
};

void checkHeads(const AttentionConfig& c, HeadWidth width, Findings& findings) {
  if (!findings.count("d_model", c.dModel, Limits::kDModel)) return;
  if (!findings.count("heads", c.numHeads, Limits::kDModel)) return;
  if (c.headDim != 0) {
    if (!findings.count("head_dim", c.headDim, Limits::kDModel)) return;
    if (c.headDim * c.numHeads > Limits::kDModel) {
      findings.add("head_dim",
                   trFormat("{} heads of {} coordinates are {} together: the maximum is {}",
                            c.numHeads, c.headDim, c.numHeads * c.headDim, Limits::kDModel),
                   {Limits::kDModel / c.numHeads});
      return;
    }
  } else if (c.dModel % c.numHeads != 0) {
    auto nearest = nearestHeadCounts(c.dModel, c.numHeads);
    std::sort(nearest.begin(), nearest.end());
    const bool several = nearest.size() > 1;
    findings.add("heads",
                 trFormat("d_model {} does not divide into {} heads ({} / {} = {:.2f}, and d_k "
                          "must be whole); {}: {}{}",
                          c.dModel, c.numHeads, c.dModel, c.numHeads,
                          static_cast<double>(c.dModel) / static_cast<double>(c.numHeads),
                          several ? tr("the nearest head counts that divide")
                                  : tr("the nearest head count that divides"),
                          fmt::join(nearest, ", "),
                          width == HeadWidth::free
                              ? tr("; or give d_k by itself (head_dim; in the window: More)")
                              : ""),
                 nearest);
    return;
  }
  if (!findings.count("kv_heads", c.numKvHeads, Limits::kDModel)) return;
  if (c.numHeads % c.numKvHeads != 0 || c.numKvHeads > c.numHeads) {
    const auto nearest = nearestDivisors(c.numHeads, c.numKvHeads, 2);
    findings.add("kv_heads",
                 trFormat("{} heads cannot share {} key/value heads evenly; the nearest counts "
                          "that divide: {}",
                          c.numHeads, c.numKvHeads, fmt::join(nearest, ", ")),
                 nearest);
  }
}

void checkMask(const AttentionConfig& c, Findings& findings) {
  const Mask& mask = c.mask;
  if (mask.window < 0) {
    findings.add("window", trFormat("window is {}: give 1 or more, or 0 for none", mask.window),
                 {1});
  }
  if (!mask.lengths.empty()) {
    if (static_cast<Index>(mask.lengths.size()) != c.batch) {
      findings.add("lengths", trFormat("lengths has {} values for a batch of {}: give one per "
                                       "batch item",
                                       mask.lengths.size(), c.batch));
    }
    for (const Index length : mask.lengths) {
      if (length < 0 || length > c.keys()) {
        findings.add("lengths", trFormat("length {} is not between 0 and the {} keys there are",
                                         length, c.keys()));
        break;
      }
    }
  }
  if (mask.painted != nullptr &&
      (mask.painted->queries != c.seqLen || mask.painted->keys != c.keys())) {
    findings.add("mask", trFormat("the painted mask is {} × {}, the scores are {} × {}",
                                  mask.painted->queries, mask.painted->keys, c.seqLen, c.keys()));
  }
}

/// Checks the numbers that are added to scores, pair by pair.
void checkPairBias(const AttentionConfig& c, Findings& findings) {
  if (!c.pairBias.on()) return;
  const PairBias::Settings& s = c.pairBias.settings();
  const Index ofOneWay = s.bothWays ? s.buckets / 2 : s.buckets;
  if (s.buckets != 0 && (ofOneWay < 2 || s.maxDistance <= ofOneWay / 2)) {
    findings.add("pair_bias",
                 trFormat("the pair bias has {} buckets up to a distance of {}: it needs 2 or more "
                          "for each direction, and a distance above half of these",
                          s.buckets, s.maxDistance));
    return;
  }
  const Index each = s.buckets > 0 ? s.buckets : c.seqLen * c.keys();
  const bool sized = s.buckets > 0 || (s.queries == c.seqLen && s.keys == c.keys());
  if (!sized || std::ssize(s.values) != c.numHeads * each) {
    findings.add("pair_bias", trFormat("the pair bias has {} numbers, and {} heads with {} {} "
                                       "each need {}",
                                       s.values.size(), c.numHeads, each,
                                       s.buckets > 0 ? "buckets" : "pairs", c.numHeads * each));
  }
  if (!std::ranges::all_of(s.values, [](float each) { return std::isfinite(each); })) {
    findings.add("pair_bias", tr("the numbers of a pair bias must be finite"));
  }
  if (s.buckets > 0 && c.crossAttention()) {
    findings.add(
        "pair_bias",
        tr("a bias by distance needs query and key in one text, and in cross-attention the "
           "keys come from another text"));
  }
}

/// Checks the settings that change queries, keys or scores: RoPE, ALiBi and the norm of heads.
void checkQueriesAndKeys(const AttentionConfig& c, Findings& findings) {
  if (!findings.found.empty()) return;  // d_k may mean nothing
  const Rotary& r = c.rotary;
  if (c.switches->alibi && r.on()) {
    findings.add(
        "alibi",
        tr("RoPE and ALiBi are both on: a layer can have only one of them, so turn one off"));
  }
  if (c.switches->alibi && c.crossAttention()) {
    findings.add("alibi",
                 tr("ALiBi needs the distance of query and key in one text, and in cross-attention "
                    "the keys come from another text: turn ALiBi off, or leave the memory out"));
  }
  if (r.on()) {
    if (r.turning(c.dK()) % 2 != 0) {
      findings.add("rope", trFormat("{} is {}, and RoPE turns pairs of coordinates: make it even",
                                    r.dims > 0 ? tr("the number of coordinates that turn") : "d_k",
                                    r.turning(c.dK())));
    }
    if (r.dims < 0 || r.dims > c.dK()) {
      findings.add("rope", trFormat("{} coordinates of each head turn, and d_k is {}: give at "
                                    "most that many, or 0 for all",
                                    r.dims, c.dK()));
    }
    const auto positive = [](double value) { return value > 0.0 && std::isfinite(value); };
    if (!positive(r.theta)) {
      findings.add("rope_theta", trFormat("rope_theta is {}: it must be a number above 0 (10000 "
                                          "is usual)",
                                          inWords(r.theta)));
    }
    if (!positive(r.amplitude)) {
      findings.add("rope", trFormat("RoPE's amplitude is {}: it must be a number above 0",
                                    inWords(r.amplitude)));
    }
    if (r.scaling == Rotary::Scaling::perPair && (std::ssize(r.divisors) != r.turning(c.dK()) / 2 ||
                                                  !std::ranges::all_of(r.divisors, positive))) {
      findings.add("rope_scaling",
                   trFormat("RoPE has {} divisors for {} pairs: give a number above 0 for each",
                            r.divisors.size(), r.turning(c.dK()) / 2));
    }
    if (!positive(r.factor)) {
      findings.add("rope_scaling",
                   trFormat("RoPE's factor is {}: it must be a number above 0", inWords(r.factor)));
    }
    if (r.scaling == Rotary::Scaling::llama3 &&
        (!positive(r.lowFrequencyFactor) || !positive(r.highFrequencyFactor) ||
         r.lowFrequencyFactor >= r.highFrequencyFactor || r.originalPositions < 1)) {
      findings.add("rope_scaling",
                   trFormat("RoPE's frequency factors {} and {} and {} positions cannot be used: "
                            "the first must be above 0 and below the second, the last at least 1",
                            inWords(r.lowFrequencyFactor), inWords(r.highFrequencyFactor),
                            r.originalPositions));
    }
  }
  if (c.relative.on()) {
    const auto& s = c.relative.settings();
    const auto fits = [&](const std::vector<float>& table) {
      return table.empty() || std::ssize(table) == c.numHeads * 2 * s.span * c.dK();
    };
    if (s.span < 1 || !fits(s.positionKeys) || !fits(s.positionQueries) ||
        (s.buckets > 0 && (s.buckets < 4 || s.maxDistance - 1 <= s.buckets / 2))) {
      findings.add("relative_scores",
                   trFormat("the tables of relative positions do not fit {} heads with d_k = {}",
                            c.numHeads, c.dK()));
    }
    if (c.crossAttention()) {
      findings.add(
          "relative_scores",
          tr("relative positions need query and key in one text, and in cross-attention the "
             "keys come from another text"));
    }
  }
  checkPairBias(c, findings);
  if (!c.headNorm.on()) return;
  for (const auto& [gains, heads] :
       {std::pair(&c.headNorm.q(), c.numHeads), std::pair(&c.headNorm.k(), c.numKvHeads)}) {
    if (std::ssize(*gains) != c.dK() && std::ssize(*gains) != heads * c.dK()) {
      findings.add("head_norm", trFormat("{} gains are given to normalise d_k = {} coordinates: "
                                         "give one for each",
                                         gains->size(), c.dK()));
      return;
    }
  }
  if (!(c.headNorm.epsilon() >= 0.0 && std::isfinite(c.headNorm.epsilon()))) {
    findings.add("head_norm", trFormat("the epsilon of Q's and K's norm is {}: it must be a "
                                       "finite number from 0",
                                       inWords(c.headNorm.epsilon())));
  }
}

}  // namespace

double AttentionConfig::rootDk() const { return std::sqrt(static_cast<double>(dK())); }

float AttentionConfig::scoreMultiplier() const {
  const double root = switches->scale ? rootDk() : 1.0;
  return static_cast<float>(1.0 / (root * switches->temperature));
}

std::vector<Index> nearestHeadCounts(Index dModel, Index wanted, std::size_t count) {
  // one below and one above where both exist, so that a step in either direction has a target
  auto nearest = nearestDivisors(dModel, wanted, static_cast<std::size_t>(-1));
  std::vector<Index> picked;
  const auto pick = [&](auto&& fits) {
    const auto it = std::find_if(nearest.begin(), nearest.end(), fits);
    if (it != nearest.end()) picked.push_back(*it);
  };
  pick([wanted](Index d) { return d <= wanted; });
  pick([wanted](Index d) { return d > wanted; });
  std::sort(picked.begin(), picked.end(),
            [wanted](Index a, Index b) { return std::abs(a - wanted) < std::abs(b - wanted); });
  for (const Index d : nearest) {
    if (picked.size() >= count) break;
    if (std::find(picked.begin(), picked.end(), d) == picked.end()) picked.push_back(d);
  }
  if (picked.size() > count) picked.resize(count);
  return picked;
}

std::vector<Problem> validate(const AttentionConfig& c, HeadWidth width) {
  Findings findings;
  checkHeads(c, width, findings);
  findings.count("tokens", c.seqLen, Limits::kTokens);
  findings.count("batch", c.batch, Limits::kBatch);
  if (c.crossAttention()) findings.count("memory_len", c.memoryLen, Limits::kTokens);
  if (c.memoryLen < 0) findings.count("memory_len", c.memoryLen, Limits::kTokens);
  if (c.memoryWidth != 0 && findings.count("memory width", c.memoryWidth, Limits::kDModel) &&
      !c.crossAttention()) {
    findings.add("memory", trFormat("the keys' and values' weights expect a memory of {} "
                                    "features: load one, or type a memory text first",
                                    c.memoryWidth));
  }
  for (const Switch& each : allSwitches()) {
    const double value = valueOf(each, c);
    if (each.isFlag() || each.accepts(value)) continue;
    findings.add(std::string(each.key),
                 trFormat("{} is {}: it must be {}", each.key, inWords(value), tr(each.range)));
  }
  checkQueriesAndKeys(c, findings);
  if (!(c.dropout.rate >= 0.0 && c.dropout.rate < 1.0)) {
    findings.add("dropout", trFormat("dropout is {}: it must be at least 0 (off) and below 1",
                                     inWords(c.dropout.rate)));
  }
  if (!c.headGains.empty() && static_cast<Index>(c.headGains.size()) != c.numHeads) {
    findings.add("gains", trFormat("{} gains are given for {} heads: give one per head",
                                   c.headGains.size(), c.numHeads));
  }
  if (!c.sinks.empty() && static_cast<Index>(c.sinks.size()) != c.numHeads) {
    findings.add("sinks", trFormat("{} sinks are given for {} heads: give one per head",
                                   c.sinks.size(), c.numHeads));
  }
  for (const float sink : c.sinks) {
    if (!std::isfinite(sink)) findings.add("sinks", tr("a head's sink must be a finite number"));
  }
  if (!c.sinks.empty() && c.mistakes.softmaxOverQueries) {
    findings.add(
        "sinks",
        tr("a sink takes part in the softmax over keys: with the softmax over queries leave "
           "the sinks out"));
  }
  for (const float gain : c.headGains) {
    if (!std::isfinite(gain)) findings.add("gains", tr("a head's gain must be a finite number"));
  }
  checkMask(c, findings);
  return std::move(findings.found);
}

}  // namespace headscope
