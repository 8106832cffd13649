// Context: what the commands of one process share.
#pragma once

#include <istream>

#include "app/cli/open_model.h"

namespace headscope::cli {

struct Context {
  std::istream* in = nullptr;  // the standard input, for "--file -"; null: it has another use
  OpenModels models = {};
};

}  // namespace headscope::cli
