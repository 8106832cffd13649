// DeclaredRelation: the declared behaviour of a head on an input: the keys that each query should
// attend to. It is independent of the matrices, so that a label can be compared with it. Relations
// of designed heads are defined here, those of trained heads in training/trained_relations.h;
// training/relations.h returns those of any document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/document/fwd.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct DeclaredRelation {
  std::string name;  // as shown: "verb → its subject"
  /// [item][query]: the keys declared as its partners, in order; none where the query has none.
  std::vector<std::vector<std::vector<Index>>> partners;
  /// How the head came to it: by design, by training on questions about it, or by itself while a
  /// task was learned (LearnedRelation).
  enum class Origin { designed, trained, learned };
  Origin origin = Origin::designed;
  std::string whyNone{};      // the reason why no query has a partner, if known
  bool hiddenByMask = false;  // there are partners, and the mask forbids them all
  /// The parts of a combined relation, which give heads their names.
  std::vector<DeclaredRelation> parts{};
};

/// One per head; none where nothing was declared for it.
using DeclaredRelations = std::vector<std::optional<DeclaredRelation>>;

/// Finds the partners of each query by the rules of assets/designed_heads.json over word classes,
/// positions and flags, independently of the matrices. None for a head without a relation (uniform,
/// neighbours, temperature …) or with drawn weights; empty where weights are not designed.
DeclaredRelations designedRelations(const Document& document);

}  // namespace headscope
