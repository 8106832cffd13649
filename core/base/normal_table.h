// normalOf: a standard normal from 64 random bits, by a table of the inverse distribution function.
//
// Integers throughout but for two conversions and a multiplication by a power of two, each rounded
// once as IEEE 754 says; the compiler itself works out the table, where no operation is fused with
// another. So the bits are the same everywhere, with or without fused multiply-add.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace headscope {

/// The z that a standard normal passes with probability p, from p = 2^-32 to 1/2: 32 knots in every
/// octave of p and straight lines between them, so that the tails are as fine as the middle. The
/// probability of passing a value is right to 1.2e-4 of itself out to 6.23, the variance
/// is 1.00003.
struct NormalTable {
  static constexpr int kOctaves = 31;
  static constexpr int kKnotBits = 5;              // 2^5 knots an octave
  static constexpr int kBetween = 23 - kKnotBits;  // bits of a float's fraction below the knot's
  static constexpr std::size_t kKnots = (kOctaves << kKnotBits) + 1;
  static constexpr float kUnit = 0x1p-28F;

  struct Knot {
    std::uint32_t z;     // in kUnit
    std::uint32_t fall;  // to the next knot
  };
  std::array<Knot, kKnots> knots;

  /// 2^32 p as a float: its exponent and the first bits of its fraction are the knot's number.
  static constexpr std::uint32_t knotOf(std::uint32_t floatBits) {
    constexpr std::uint32_t kFirst = 127U << kKnotBits;
    return (floatBits >> kBetween) - kFirst;
  }
  static constexpr std::uint32_t between(const Knot& knot, std::uint32_t floatBits) {
    const std::uint64_t part = floatBits & ((1U << kBetween) - 1);
    return knot.z - static_cast<std::uint32_t>(knot.fall * part >> kBetween);
  }
};

/// From the middle out: where p falls to the next knot's, z grows by the d that solves
/// p − p' = φ(z) ∫ exp(−zt − t²/2) dt over 0 … d. The integrand's Taylor coefficients follow from
/// its derivative, so + − × ÷ are all it takes. z is right to 1e-7, least so at the far end.
constexpr NormalTable makeNormalTable() {
  NormalTable table{};
  double density = 0x1.9884533d43651p-2;  // φ(0) = 1/√(2π)
  double p = 0.5;
  double z = 0.0;
  table.knots.back() = {0, 0};
  for (std::size_t i = NormalTable::kKnots - 1; i-- > 0;) {
    constexpr std::size_t kPerOctave = std::size_t{1} << NormalTable::kKnotBits;
    const double next = static_cast<double>(kPerOctave + i % kPerOctave) / kPerOctave *
                        static_cast<double>(std::uint64_t{1} << i / kPerOctave) * 0x1p-32;
    const double area = (p - next) / density;
    double d = area;
    double fallOff = 1.0;                                  // exp(−zd − d²/2)
    for (int iteration = 0; iteration < 4; ++iteration) {  // Newton
      fallOff = 1.0;
      double integral = d;
      double power = d;
      double before = 1.0;
      double coefficient = -z;
      for (int k = 1; k < 10; ++k) {
        fallOff += coefficient * power;
        power *= d;
        integral += coefficient * power / (k + 1);
        const double after = (-z * coefficient - before) / (k + 1);
        before = coefficient;
        coefficient = after;
      }
      d -= (integral - area) / fallOff;
    }
    z += d;
    density *= fallOff;
    p = next;
    table.knots[i].z = static_cast<std::uint32_t>(z / NormalTable::kUnit + 0.5);
    table.knots[i].fall = table.knots[i].z - table.knots[i + 1].z;
  }
  return table;
}

inline constexpr NormalTable kNormalTable = makeNormalTable();

/// The top 31 bits are the probability of going further out: odd multiples of 2^-32, up to 1/2.
constexpr std::uint32_t tailBits(std::uint64_t bits) {
  return std::bit_cast<std::uint32_t>(
      static_cast<float>(static_cast<std::int32_t>(bits >> 33 | 1)));
}

/// The sign is the bit after them.
constexpr float signedNormal(std::uint32_t z, std::uint64_t bits) {
  const std::int32_t sign = -static_cast<std::int32_t>(bits >> 32 & 1);
  return static_cast<float>((static_cast<std::int32_t>(z) ^ sign) - sign) * NormalTable::kUnit;
}

/// A standard normal number made of 64 random bits.
constexpr float normalOf(std::uint64_t bits) {
  const std::uint32_t tail = tailBits(bits);
  const NormalTable::Knot& knot = kNormalTable.knots[NormalTable::knotOf(tail)];
  return signedNormal(NormalTable::between(knot, tail), bits);
}

}  // namespace headscope
