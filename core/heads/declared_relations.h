// DeclaredRelation: what a head is said to do on an input: which keys each query should attend to.
// Written down apart from the matrices, so that a label can be held against it. Of designed heads
// it is found here, of learned ones in training/trained_relations.h; relations.h gives those of any
// document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/document/document.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct DeclaredRelation {
  std::string name;  // as shown: "verb → its subject"
  /// [item][query]: the keys declared as its partners, in order; none where the query has none.
  std::vector<std::vector<std::vector<Index>>> partners;
  bool trained = false;   // for it, not made for it
  std::string whyNone{};  // why no query has a partner, where more is known than that
  /// The relations it is made of, where it is of several: by these heads are called.
  std::vector<DeclaredRelation> parts{};
};

/// One per head; none where nothing was declared for it.
using DeclaredRelations = std::vector<std::optional<DeclaredRelation>>;

/// By the rules of assets/designed_heads.json over word classes, positions and flags, read apart
/// from the matrices: which key each query has for a partner. None for a head that declares none
/// (uniform, neighbours, temperature …) or was drawn; empty where weights are not designed.
DeclaredRelations designedRelations(const Document& document);

}  // namespace headscope
