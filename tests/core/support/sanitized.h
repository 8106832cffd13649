// Sanitized: whether the program runs under a sanitizer, where everything takes about seven times
// as long. Checks of numbers then look at fewer cells, as the release build's run looks at all.
#pragma once

#ifdef __linux__
// Found out at run time: the objects of core_tests are linked to an engine under the sanitizers and
// to one without.
extern "C" {
[[gnu::weak]] void __asan_init();  // NOLINT(bugprone-reserved-identifier)
[[gnu::weak]] void __tsan_init();  // NOLINT(bugprone-reserved-identifier)
}
#endif

namespace headscope::test {

#ifdef __linux__
inline const bool kSanitized = &__asan_init != nullptr || &__tsan_init != nullptr;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace headscope::test
