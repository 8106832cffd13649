// Edits: any edit there is, of any document, with values that may or may not be taken.
#pragma once

#include "core/editing/edit.h"
#include "random.h"

namespace headscope::monkey {

Edit anyEdit(Random& random, const DocumentPtr& document);

}  // namespace headscope::monkey
