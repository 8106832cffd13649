#include "extremes.h"

#include <array>
#include <cstdint>
#include <limits>

namespace headscope::monkey {
namespace {

using Floats = std::numeric_limits<float>;
using Doubles = std::numeric_limits<double>;

constexpr std::array kFloats{0.0F,
                             -0.0F,
                             1.0F,
                             -1.0F,
                             0.5F,
                             1e30F,
                             -1e30F,
                             Floats::max(),
                             1e-30F,
                             Floats::min(),
                             -1e-42F,
                             Floats::denorm_min(),
                             1e19F,
                             -1e19F,
                             88.8F,
                             -104.0F,
                             1e-7F,
                             Floats::infinity(),
                             -Floats::infinity(),
                             Floats::quiet_NaN()};
constexpr std::array kDoubles{1.0,
                              0.5,
                              2.0,
                              0.0,
                              -1.0,
                              1e-300,
                              1e-38,
                              1e-9,
                              1e30,
                              1e308,
                              -0.0,
                              Doubles::denorm_min(),
                              Doubles::infinity(),
                              Doubles::quiet_NaN()};
constexpr std::array<Index, 12> kCounts{0,  -1, 13, 16,  24,     32,
                                        64, 96, 97, 512, 65'537, std::numeric_limits<Index>::max()};

constexpr std::array kWords{"the",   "cat", "sat",   "on",  "a",    "mat", "The", "it",   "was",
                            "tired", "not", "dog",   "ran", "home", ",",   ".",   "!",    "?",
                            "''",    "\"",  "don't", "x2",  "_",    "@",   "#",   "%s%d", "{}",
                            "##id",  "###", "W_Q",   "a^b", "\\n",  "[0]", "1e5", "−∞"};

constexpr std::array kScripts{"naïve",
                              "Ünïcödé",
                              "日本語のテキスト",
                              "привет",
                              "مرحبا",
                              "👩‍👩‍👧‍👦",
                              "𝑄𝐾",
                              "e\u0301\u0301\u0301\u0301",
                              "\u200B\u200D",
                              "\u202Eright to left\u202C",
                              "\uFEFF",
                              "\uFFFF",
                              "√Σᵀₖ",
                              "\t",
                              "\xFF\xFE",
                              "\xC3",
                              "\xED\xA0\x80",
                              "\x01\x7F"};

constexpr std::array kNumbers{"0",
                              "1",
                              "2",
                              "3",
                              "4",
                              "6",
                              "8",
                              "12",
                              "16",
                              "24",
                              "96",
                              "97",
                              "-1",
                              "-0",
                              "007",
                              "512",
                              "1e3",
                              "65536",
                              "65537",
                              "0.5",
                              ".5",
                              "1e30",
                              "-1e30",
                              "1e39",
                              "1e-45",
                              "1e-400",
                              "1e999",
                              "3.4e38",
                              "NaN",
                              "INF",
                              "-Infinity",
                              "0x10",
                              "1,5",
                              "1 000",
                              "",
                              " ",
                              "--",
                              "e",
                              "9223372036854775807",
                              "9223372036854775808",
                              "99999999999999999999999999",
                              "−3",
                              "½",
                              "1.00000000000000000001"};

}  // namespace

float anyFloat(Random& random) {
  if (random.oneIn(3)) return random.of(kFloats);
  return random.fraction() * 4.0F - 2.0F;
}

double anyDouble(Random& random) {
  if (random.oneIn(2)) return random.of(kDoubles);
  return 0.25 + static_cast<double>(random.fraction()) * 4.0;
}

Index anyCount(Random& random) {
  if (random.oneIn(6)) return random.of(kCounts);
  return 1 + static_cast<Index>(random.below(12));
}

std::string anyText(Random& random) {
  std::string text;
  const int words = random.oneIn(60) ? random.between(100, 600) : random.between(1, 7);
  for (int i = 0; i < words; ++i) {
    if (i > 0) text += ' ';
    text += random.oneIn(8) ? random.of(kScripts) : random.of(kWords);
  }
  if (random.oneIn(80)) text.append(static_cast<std::size_t>(random.between(100, 3000)), 'w');
  return text;
}

std::string anyNumber(Random& random) { return random.of(kNumbers); }

std::string anyName(Random& random) {
  constexpr std::array kNames{
      "a",       "talk",   "a b",     "weights.npy",      "x.csv",  "x.safetensors",
      "out.png", "日本語", ".hidden", "a.headscope.json", "script", "'; \""};
  if (random.oneIn(40)) return std::string(300, 'l');
  return random.of(kNames);
}

}  // namespace headscope::monkey
