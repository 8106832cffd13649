// JSON file: writes one whole file of JSON.
#pragma once

#include <filesystem>
#include <ostream>

#include "core/base/files.h"
#include "core/base/json.h"

namespace headscope::formats {

/// Writes the file with two spaces per level, as writeAtomically does.
inline void writeJson(const std::filesystem::path& path, const Json& json) {
  writeAtomically(path, [&](std::ostream& out) { out << json.dump(2) << '\n'; });
}

}  // namespace headscope::formats
