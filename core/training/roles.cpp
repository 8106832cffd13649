#include "core/training/roles.h"

#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/analysis/rows.h"

namespace headscope::training {
namespace {

/// One head on one example, summed over its rows.
struct HeadSums {
  std::vector<double> mass;  // by relation
  double entropy = 0.0;
};

/// The sum of a row's weights on its partners.
double weightOn(const std::uint8_t* partners, std::span<const float> row) {
  double sum = 0.0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (partners[j] != 0) sum += static_cast<double>(row[j]);
  }
  return sum;
}

HeadSums sumsOf(const ConstMatrixView& weights, const Examples& examples, Index example) {
  HeadSums sums;
  for (const auto& partners : examples.partners) {
    const std::uint8_t* of = partners.data() + example * weights.rows * weights.cols;
    double mass = 0.0;
    for (Index i = 0; i < weights.rows; ++i) {
      mass += weightOn(of + i * weights.cols, weights.row(i));
    }
    sums.mass.push_back(mass);
  }
  for (Index i = 0; i < weights.rows; ++i) {
    sums.entropy += entropyOf(weights.row(i).data(), weights.cols);
  }
  return sums;
}

/// The number of rows that have a partner, by relation.
std::vector<double> rowsWithPartners(const Examples& examples) {
  std::vector<double> rows;
  const auto keys = static_cast<std::size_t>(examples.length);
  for (const auto& partners : examples.partners) {
    double count = 0.0;
    for (std::size_t i = 0; i < partners.size(); i += keys) {
      bool any = false;
      for (std::size_t j = i; j < i + keys; ++j) any = any || partners[j] != 0;
      if (any) count += 1.0;
    }
    rows.push_back(count);
  }
  return rows;
}

std::optional<LayerRoles> layerRoles(const Tensor& weights, const Examples& examples,
                                     const std::vector<double>& rows,
                                     const ExecutionContext& execution) {
  assert(weights.dim(0) == examples.count && weights.dim(2) == examples.length);
  const Index heads = weights.dim(1);
  std::vector<HeadSums> parts(static_cast<std::size_t>(examples.count * heads));
  constexpr Index kFlopsPerWeight = 20;  // its logarithm, and one test for each relation
  const ScopedThreadLimit threads(threadsFor(weights.size() * kFlopsPerWeight, execution.threads));
  parallelFor(static_cast<Index>(parts.size()), execution, [&](Index i) {
    parts[static_cast<std::size_t>(i)] =
        sumsOf(weights.matrix({i / heads, i % heads}), examples, i / heads);
  });
  auto similarity = headSimilarity(weights, execution);
  if (!similarity) return std::nullopt;

  LayerRoles roles;
  roles.similarity = std::move(*similarity);
  roles.mass.assign(static_cast<std::size_t>(heads), std::vector<double>(rows.size(), 0.0));
  roles.entropy.assign(static_cast<std::size_t>(heads), 0.0);
  const auto allRows = static_cast<double>(examples.count * examples.length);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t h = i % static_cast<std::size_t>(heads);
    roles.entropy[h] += parts[i].entropy / allRows;
    for (std::size_t r = 0; r < rows.size(); ++r) roles.mass[h][r] += parts[i].mass[r] / rows[r];
  }
  return roles;
}

/// The value of a choice of heads: first the number found, then the sum.
struct Worth {
  int found = 0;
  double sum = 0.0;

  auto operator<=>(const Worth&) const = default;
};

}  // namespace

/// best[set]: the best choice of distinct heads, among those visited so far, for exactly the
/// relations of `set` (one bit each). Relations are few, heads may be many.
std::vector<std::optional<Index>> bestHeads(const std::vector<std::vector<double>>& mass,
                                            Index relations) {
  struct Choice {
    Worth worth;
    std::vector<std::optional<Index>> heads;
  };
  assert(relations < 16);
  std::vector<std::optional<Choice>> best(std::size_t{1} << relations);
  best.front() = Choice{{}, std::vector<std::optional<Index>>(static_cast<std::size_t>(relations))};
  for (std::size_t h = 0; h < mass.size(); ++h) {
    // larger sets first: the smaller sets that they extend must not include this head yet
    for (std::size_t set = best.size() - 1; set > 0; --set) {
      for (std::size_t r = 0; r < static_cast<std::size_t>(relations); ++r) {
        const std::size_t rest = set & ~(std::size_t{1} << r);
        const double m = mass[h][r];
        if (rest == set || !best[rest] || std::isnan(m)) continue;
        Choice choice = *best[rest];
        choice.worth.found += m >= kFoundMass ? 1 : 0;
        choice.worth.sum += m;
        choice.heads[r] = static_cast<Index>(h);
        if (!best[set] || choice.worth > best[set]->worth) best[set] = std::move(choice);
      }
    }
  }
  const Choice* chosen = &*best.front();
  for (const auto& choice : best) {
    if (choice && choice->worth >= chosen->worth) chosen = &*choice;
  }
  return chosen->heads;
}

std::optional<Becoming> becoming(const Roles& roles, const HeadOfLayer& head) {
  const auto& mass =
      roles.layers[static_cast<std::size_t>(head.layer)].mass[static_cast<std::size_t>(head.head)];
  std::optional<Becoming> most;
  for (std::size_t r = 0; r < mass.size(); ++r) {
    if (std::isfinite(mass[r]) && (!most || mass[r] > most->mass)) most = {r, mass[r]};
  }
  return most;
}

std::optional<Roles> rolesOf(std::span<const Tensor> weights, const Examples& examples,
                             const ExecutionContext& execution) {
  const std::vector<double> rows = rowsWithPartners(examples);
  Roles roles;
  std::vector<HeadOfLayer> places;
  std::vector<std::vector<double>> mass;
  for (const Tensor& ofLayer : weights) {
    auto layer = layerRoles(ofLayer, examples, rows, execution);
    if (!layer) return std::nullopt;
    for (std::size_t h = 0; h < layer->mass.size(); ++h) {
      places.push_back({std::ssize(roles.layers), static_cast<Index>(h)});
      mass.push_back(layer->mass[h]);
    }
    roles.layers.push_back(std::move(*layer));
  }
  const auto heads = bestHeads(mass, std::ssize(examples.partners));
  for (std::size_t r = 0; r < heads.size(); ++r) {
    Role role;
    if (heads[r]) {
      const auto h = static_cast<std::size_t>(*heads[r]);
      role = {places[h], mass[h][r], mass[h][r] >= kFoundMass};
    }
    roles.relations.push_back(role);
  }
  return roles;
}

}  // namespace headscope::training
