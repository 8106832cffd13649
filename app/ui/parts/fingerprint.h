// Fingerprint: a hash of all that a computed or drawn thing depends on (revisions, indices,
// settings), to detect a change.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace headscope::ui {

/// A 64-bit hash of its parts: two different sets of parts agree with a chance of one in 2^64.
class Fingerprint {
 public:
  Fingerprint() = default;

  template <typename... Parts>
  explicit Fingerprint(std::string_view name, const Parts&... parts) {
    for (const char c : name) mix(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    (add(parts), ...);
  }

  template <typename Part>
  Fingerprint& add(const Part& part) {
    if constexpr (std::is_same_v<Part, Fingerprint>) {
      mix(part.value_);
    } else if constexpr (std::is_enum_v<Part> || std::integral<Part>) {
      mix(static_cast<std::uint64_t>(part));
    } else if constexpr (std::floating_point<Part>) {
      mix(std::bit_cast<std::uint64_t>(static_cast<double>(part)));
    } else {
      for (const auto& each : part) add(each);
    }
    return *this;
  }

  std::uint64_t value() const { return value_; }
  bool operator==(const Fingerprint&) const = default;

 private:
  void mix(std::uint64_t part) {
    value_ = (value_ ^ (part + 0x9E3779B97F4A7C15ULL + (value_ << 6U) + (value_ >> 2U))) *
             0xFF51AFD7ED558CCDULL;
    value_ ^= value_ >> 32U;
  }

  std::uint64_t value_ = 0;
};

}  // namespace headscope::ui
