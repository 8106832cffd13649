// Edits: any kind of edit, of any document, with values that may be accepted or refused.
#pragma once

#include "core/editing/edit.h"
#include "random.h"

namespace headscope::monkey {

Edit anyEdit(Random& random, const DocumentPtr& document);

}  // namespace headscope::monkey
