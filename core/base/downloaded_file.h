// Downloaded file: identifies a file whose bytes do not fit its name, such as the pointer of a
// large file that git has not fetched, or a web page instead of the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace headscope {

/// "is a Git LFS pointer …: run \"git lfs pull\" in its folder", by the file's first bytes; nothing
/// where they identify nothing.
std::optional<std::string> whatItIsInstead(std::string_view firstBytes);
/// Identifies only Git LFS pointers, which are never the intended text, in the words above.
std::optional<std::string> lfsPointer(std::string_view firstBytes);

/// Identifies, in place of a binary file, also a text such as a server's message.
std::optional<std::string> whatItIsInsteadOfBinary(std::string_view firstBytes);

/// The number of first bytes that are enough to identify a file.
inline constexpr std::size_t kTellingBytes = 256;

/// Parses the JSON of a downloaded file. Throws UserError that names the file and either what it is
/// instead or the place of the damage.
Json downloadedJson(std::string_view text, const std::string& file, const JsonLimits& limits);

}  // namespace headscope
