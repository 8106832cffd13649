// Text value: a number of a head or part in one text of a set, by which its best examples are
// given.
#pragma once

#include <cstddef>

namespace headscope::model {

struct TextValue {
  std::size_t text = 0;
  double value = 0.0;
};
/// How many texts stand for a set.
inline constexpr std::size_t kBestTexts = 5;

}  // namespace headscope::model
