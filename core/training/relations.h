// Relations: what the heads of a document are said to do, whether they were designed for it or
// trained for it; empty where nothing is said of them.
#pragma once

#include "core/heads/declared_relations.h"

namespace headscope {

DeclaredRelations declaredRelations(const Document& document);

}  // namespace headscope
