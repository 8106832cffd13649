// Asset JSON: reads the files under assets/; whatever is wrong with one becomes an error that names
// it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace headscope::formats {

/// What `read` makes of the parsed text. Throws `Error`.
template <typename Json, typename Error, typename Read>
auto readAsset(std::string_view text, const char* file, Read read) {
  try {
    return read(Json::parse(text));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}: {}", file, error.what()));
  }
}

/// JSON's own conversion would take 1e300 too, as any number.
template <typename Int, typename Json>
Int wholeNumber(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.template get<std::uint64_t>();
    if (std::in_range<Int>(number)) return static_cast<Int>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.template get<std::int64_t>();
    if (std::in_range<Int>(number)) return static_cast<Int>(number);
  }
  throw std::runtime_error("a count or a distance is not a whole number that can be used");
}

}  // namespace headscope::formats
