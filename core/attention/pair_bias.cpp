#include "core/attention/pair_bias.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/attention/limits.h"
#include "core/tensor/random_tensors.h"

namespace headscope {
namespace {

Index bucketsOfOneWay(const PairBias::Settings& s) {
  return s.bothWays ? s.buckets / 2 : s.buckets;
}

/// The buckets of the distances 0, 1, … in one direction, up to the first in the last bucket. Near
/// distances have buckets of their own, and those of far ones grow by a constant factor
/// (_relative_position_bucket in the authors' code, which computes in float32).
std::vector<Index> bucketsByDistance(const PairBias::Settings& s) {
  std::vector<Index> buckets;
  const Index count = bucketsOfOneWay(s), near = count / 2;
  if (near < 1 || s.maxDistance <= near) return buckets;
  const auto base = static_cast<float>(near);
  const auto range =
      static_cast<float>(std::log(static_cast<double>(s.maxDistance) / static_cast<double>(near)));
  for (Index apart = 0; apart < std::min(s.maxDistance, Limits::kTokens); ++apart) {
    const float grown = apart < near ? 0.0F : std::log(static_cast<float>(apart) / base) / range;
    const Index far = near + static_cast<Index>(grown * static_cast<float>(count - near));
    buckets.push_back(apart < near ? apart : std::min(far, count - 1));
  }
  return buckets;
}

}  // namespace

PairBias::PairBias(Settings settings) {
  std::vector<Index> buckets = bucketsByDistance(settings);
  const bool byDistance = settings.buckets > 0;
  const Index rows = byDistance ? 1 : settings.queries;
  const Index cols = byDistance ? settings.buckets : settings.keys;
  const Index ofHead = rows * cols, count = std::ssize(settings.values);
  const bool whole = ofHead > 0 && count % ofHead == 0;
  Tensor tensor =
      whole ? Tensor::fromValues({count / ofHead, rows, cols}, settings.values) : Tensor();
  shared_ = std::make_shared<const Shared>(
      Shared{std::move(settings), std::move(buckets), std::move(tensor)});
}

PairBias PairBias::of(const Tensor& numbers) {
  return PairBias({.values = numbers.values(), .queries = numbers.dim(1), .keys = numbers.dim(2)});
}

PairBias PairBias::drawn(Index heads, Index queries, Index keys, std::uint64_t seed) {
  Tensor numbers = Tensor::uninitialised({heads, queries, keys});
  draw(std::array{Draw{&numbers, RandomStream(seed, "pair_bias"), Distribution::normal, 1.0F}});
  return PairBias({.values = numbers.values(), .queries = queries, .keys = keys, .seed = seed});
}

bool PairBias::fits(Index heads, Index queries, Index keys) const {
  if (!on()) return true;
  const Settings& s = settings();
  const bool ofOtherPairs = s.buckets == 0 && (s.queries != queries || s.keys != keys);
  return !ofOtherPairs &&
         std::ssize(s.values) == heads * (s.buckets > 0 ? s.buckets : queries * keys);
}

PairBias PairBias::fittedTo(Index heads, Index queries, Index keys) const {
  if (fits(heads, queries, keys)) return *this;
  constexpr Index kMostDrawn = Index{1} << 24;
  const auto& seed = settings().seed;
  const bool some = heads > 0 && queries > 0 && keys > 0;
  if (!seed || !some || heads > kMostDrawn / queries / keys) return {};
  return drawn(heads, queries, keys, *seed);
}

Index PairBias::bucketOf(Index distance) const {
  const Settings& s = settings();
  const Index count = bucketsOfOneWay(s);
  const Index first = s.bothWays && distance > 0 ? count : 0;
  const Index apart = s.bothWays ? std::abs(distance) : std::max<Index>(0, -distance);
  if (apart >= std::ssize(shared_->buckets)) return first + count - 1;
  return first + shared_->buckets[static_cast<std::size_t>(apart)];
}

float PairBias::at(Index head, Index query, Index key) const {
  const Settings& s = settings();
  const Index place = s.buckets > 0 ? head * s.buckets + bucketOf(key - query)
                                    : (head * s.queries + query) * s.keys + key;
  return s.values[static_cast<std::size_t>(place)];
}

void PairBias::addTo(std::span<float> scores, Index head, Index query, Index firstKey) const {
  for (std::size_t j = 0; j < scores.size(); ++j) {
    scores[j] += at(head, query, firstKey + static_cast<Index>(j));
  }
}

}  // namespace headscope
