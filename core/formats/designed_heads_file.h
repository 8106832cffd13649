// Designed heads file: assets/designed_heads.json, what each designed head does and how.
#pragma once

#include <string_view>

#include "core/weights/head_description.h"

namespace headscope::formats {

/// Throws std::runtime_error: the file is the program's own, so an error in it is ours.
HeadDescriptions parseDesignedHeads(std::string_view json);

}  // namespace headscope::formats
