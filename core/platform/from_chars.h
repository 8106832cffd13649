// std::from_chars of numbers. Not every standard library has it for doubles yet (libc++ from 20
// on).
#pragma once

#include <charconv>
#include <concepts>
#ifdef _LIBCPP_VERSION
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#endif

namespace headscope::platform {

template <std::integral Number>
std::from_chars_result fromChars(const char* first, const char* last, Number& value) {
  return std::from_chars(first, last, value);
}

inline std::from_chars_result fromChars(const char* first, const char* last, double& value) {
#ifdef _LIBCPP_VERSION
  // strtod takes more: white space and a sign + before, hexadecimal numbers
  std::string text(first, last);
  text.resize(std::min(text.find_first_of("xX"), text.size()));
  constexpr const char* kBegins = "-.0123456789iInN";
  if (text.find_first_of(kBegins) != 0) return {first, std::errc::invalid_argument};
  char* end = nullptr;
  errno = 0;
  const double parsed = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const char* stopped = first + (end - text.c_str());
  if (errno == ERANGE) return {stopped, std::errc::result_out_of_range};
  value = parsed;
  return {stopped, std::errc()};
#else
  return std::from_chars(first, last, value);
#endif
}

}  // namespace headscope::platform
