// Roles: the relations that the heads of a model attend by: the weight that each head puts on the
// partners of a task's relations, the entropy and similarity of the heads, and the assignment of
// heads to relations.
//
// mass[h][r] = the mean, over all rows of all examples that have a partner by relation r, of the
// sum of head h's weights on the partners (1 where all of its weight is on partners). Entropy and
// similarity are means over all rows (core/analysis/similarity.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/analysis/similarity.h"
#include "core/base/execution.h"
#include "core/tensor/tensor.h"
#include "core/training/task.h"

namespace headscope::training {

/// The mass from which a relation counts as found.
inline constexpr double kFoundMass = 0.60;

struct LayerRoles {
  std::vector<std::vector<double>> mass;  // [head][relation]; NaN where no row has a partner
  std::vector<double> entropy;            // [head], bits: the mean of −Σ_j A_ij log2 A_ij
  HeadSimilarity similarity;
};

/// The head assigned to a relation.
struct Role {
  std::optional<HeadOfLayer> head;  // none: fewer heads than relations, or no row has a partner
  double mass = 0.0;                // of that head
  bool found = false;               // mass is at least kFoundMass
};

struct Roles {
  std::vector<LayerRoles> layers;
  std::vector<Role> relations;
};

/// The relation with the largest mass of a head; none where no row has a partner.
struct Becoming {
  std::size_t relation = 0;
  double mass = 0.0;
};
std::optional<Becoming> becoming(const Roles& roles, const HeadOfLayer& head);

/// Computes the roles from the weights of each layer, (B, H, T, T), on B `examples` of T places.
/// Returns nothing where cancelled.
std::optional<Roles> rolesOf(std::span<const Tensor> weights, const Examples& examples,
                             const ExecutionContext& execution = {});

/// Assigns a distinct head, of any layer, to each relation: as many relations as possible are
/// found, and among those assignments the sum of masses is largest. `mass` is [head][relation],
/// each 0 … 1 or NaN, with the heads of several layers concatenated. Returns the head of each
/// relation.
std::vector<std::optional<Index>> bestHeads(const std::vector<std::vector<double>>& mass,
                                            Index relations);

}  // namespace headscope::training
