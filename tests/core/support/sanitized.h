// Sanitized: whether the tests run under a sanitizer, where everything takes about seven times as
// long. Checks of numbers then look at fewer cells, as the release build's run looks at all.
#pragma once

namespace headscope::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace headscope::test
