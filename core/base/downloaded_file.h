// Downloaded file: what a file really is where its bytes are not what its name says, such as the
// pointer of a large file that git has not fetched, or a web page in the place of a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace headscope::formats {

/// "is a Git LFS pointer …: run \"git lfs pull\" in its folder", by the file's first bytes; nothing
/// where they tell nothing.
std::optional<std::string> whatItIsInstead(std::string_view firstBytes);
/// As above for Git LFS pointers alone, which are never the text that is meant.
std::optional<std::string> lfsPointer(std::string_view firstBytes);

/// As above for a file that is no text: a text in its place, such as a server's message, is told
/// too.
std::optional<std::string> whatItIsInsteadOfBinary(std::string_view firstBytes);

/// First bytes of a file that are enough to tell.
inline constexpr std::size_t kTellingBytes = 256;

/// The JSON of a file that came from elsewhere. Throws UserError that names the file, and says what
/// it is instead or where it is damaged.
Json downloadedJson(std::string_view text, const std::string& file, const JsonLimits& limits);

}  // namespace headscope::formats
