// Number text: one number as people type it or paste it.
#pragma once

#include <string>
#include <string_view>

namespace headscope::formats {

/// "0.5", "1e-3", "+2", "−3" with a typographic minus; spaces around it are left aside. Throws
/// UserError that opens with `what` ("W_Q[3, 17]") where it is none, or not a finite 32-bit one.
float parseNumber(std::string_view text, const std::string& what);

}  // namespace headscope::formats
