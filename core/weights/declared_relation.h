// DeclaredRelation: what a designed head is said to do on an input: which key each query should
// attend to. Written down apart from the matrices, so that a label can be held against it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace headscope {

struct DeclaredRelation {
  std::string name;  // as shown: "verb → its subject"
  /// [item][query]: the key declared as its partner, or none where the query has no partner.
  std::vector<std::vector<std::optional<Index>>> partners;
};

}  // namespace headscope
