// Roles: what the heads of a model are becoming: how much of its weight each puts where a task's
// relations say, how sharp and how alike the heads are, and which head has taken up which relation.
//
// mass[h][r] = the mean, over all rows of all examples that have a partner by relation r, of the
// sum of head h's weights on the partners (1 of one partner where it looks at nothing else).
// Entropy and similarity are means over all rows (core/analysis/similarity.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/analysis/similarity.h"
#include "core/base/execution.h"
#include "core/tensor/tensor.h"
#include "core/training/task.h"

namespace headscope::training {

/// From this mass on a relation is found.
inline constexpr double kFoundMass = 0.60;

struct LayerRoles {
  std::vector<std::vector<double>> mass;  // [head][relation]; NaN where no row has a partner
  std::vector<double> entropy;            // [head], bits: the mean of −Σ_j A_ij log2 A_ij
  HeadSimilarity similarity;
};

/// The head that a relation is given.
struct Role {
  std::optional<HeadPlace>
      head;            // none: there are fewer heads than relations, or no row to tell by
  double mass = 0.0;   // of that head
  bool found = false;  // it is at least kFoundMass
};

struct Roles {
  std::vector<LayerRoles> layers;
  std::vector<Role> relations;
};

/// The relation that a head has most of its weight on; none where no row has a partner.
struct Becoming {
  std::size_t relation = 0;
  double mass = 0.0;
};
std::optional<Becoming> becoming(const Roles& roles, const HeadPlace& head);

/// Of the weights of each layer, (B, H, T, T), on `examples` of a task: B of T places. Nothing
/// where cancelled.
std::optional<Roles> rolesOf(std::span<const Tensor> weights, const Examples& examples,
                             const ExecutionContext& execution = {});

/// Gives every relation a head of its own, of any layer: so that as many as can be are found, and
/// of all ways to do so the one of the largest sum of masses. `mass` is [head][relation], each 0 …
/// 1 or NaN; the heads of several layers one after the other. Returns the head of each relation.
std::vector<std::optional<Index>> bestHeads(const std::vector<std::vector<double>>& mass,
                                            Index relations);

}  // namespace headscope::training
