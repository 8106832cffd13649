#include "core/words/head_place.h"

#include <fmt/format.h>

namespace headscope {

std::string shortName(const HeadOfLayer& head) {
  return fmt::format("{}·{}", head.layer + 1, head.head + 1);
}

}  // namespace headscope
