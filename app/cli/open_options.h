// Open options: what the program opens on, from the flags of a pass.
#pragma once

#include "app/app.h"
#include "app/cli/pass_options.h"

namespace headscope::cli {

/// A session opens on its own document, which its file holds; --scene is gone to from there, as an
/// edit that undo takes back.
AppOptions optionsToOpen(const PassOptions& pass);

}  // namespace headscope::cli
