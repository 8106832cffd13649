// Page: what a program in a browser gets from the page that it runs in.
#pragma once

#include <optional>
#include <string>

namespace headscope::platform {

#ifdef __EMSCRIPTEN__
inline constexpr bool kInPage = true;
#else
inline constexpr bool kInPage = false;
#endif

/// Loads a file that lies next to the page, by its path from there. Nothing where it cannot be
/// loaded, and outside of a page.
std::optional<std::string> loadFromPage(const std::string& path);

}  // namespace headscope::platform
