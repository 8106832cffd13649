#include "bench/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/formats/tokenizer_files.h"

namespace headscope::bench {

bool measureTokens(std::string_view argument) {
  constexpr std::string_view kFlag = "--tokens=";
  constexpr int kRuns = 9;
  const std::size_t comma = argument.find(',');
  if (!argument.starts_with(kFlag) || comma == std::string_view::npos) return false;
  const auto tokenizer =
      formats::openTokenizer(argument.substr(kFlag.size(), comma - kFlag.size()));
  const std::string text =
      readText(argument.substr(comma + 1), tokenizer::kMostTokenizedBytes, "the text");
  std::vector<double> rates;
  std::size_t tokens = 0;
  for (int run = 0; run < kRuns; ++run) {
    const std::clock_t start = std::clock();  // processor time: other programs may run
    tokens = tokenizer->encode(text).size();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    rates.push_back(static_cast<double>(text.size()) / 1e6 / seconds);
  }
  std::ranges::sort(rates);
  fmt::print("{:.1f} MB/s best, {:.1f} median; {} bytes, {} tokens\n", rates.back(),
             rates[rates.size() / 2], text.size(), tokens);
  return true;
}

}  // namespace headscope::bench
