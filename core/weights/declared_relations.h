// DeclaredRelation: what a designed head is said to do on an input: which key each query should
// attend to. Written down apart from the matrices, so that a label can be held against it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/document.h"
#include "core/tensor.h"

namespace headscope {

struct DeclaredRelation {
  std::string name;  // as shown: "verb → its subject"
  /// [item][query]: the key declared as its partner, or none where the query has no partner.
  std::vector<std::vector<std::optional<Index>>> partners;
};

/// One per head, by the rules of assets/designed_heads.json over word classes, positions and flags,
/// read apart from the matrices: which key each query has for a partner. None for a head that
/// declares none (uniform, neighbours, temperature …) or was drawn; empty where weights are not
/// designed.
std::vector<std::optional<DeclaredRelation>> declaredRelations(const Document& document);

}  // namespace headscope
