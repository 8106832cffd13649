// Relations: the declared relations of a document's heads: designed, trained, or learned with a
// task; empty where there are none.
#pragma once

#include "core/heads/declared_relations.h"

namespace headscope {

DeclaredRelations declaredRelations(const Document& document);

}  // namespace headscope
