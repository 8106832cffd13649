// writeAtomically: a file appears whole or not at all (written beside, flushed, renamed).
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

namespace headscope::formats {

/// Throws UserError naming the path and the system's reason; what was there before stays.
void writeAtomically(const std::filesystem::path& path,
                     const std::function<void(std::ostream&)>& write);

}  // namespace headscope::formats
