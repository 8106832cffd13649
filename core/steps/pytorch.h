// PyTorch: pieces of the lines of PyTorch that several steps share.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/config.h"

namespace headscope {

/// k or v with one head per query head: repeated where a group shares one (GQA).
inline std::string perQueryHead(std::string_view name, const AttentionConfig& c) {
  return c.headsPerGroup() == 1
             ? std::string(name)
             : fmt::format("{}.repeat_interleave({}, 1)", name, c.headsPerGroup());
}

}  // namespace headscope
