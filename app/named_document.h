// NamedDocument: a document and its display name.
#pragma once

#include <string>

#include "core/document/fwd.h"

namespace headscope {

struct NamedDocument {
  DocumentPtr document{};
  std::string name{};
};

}  // namespace headscope
