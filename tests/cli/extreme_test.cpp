// Numbers at the ends of float32 on the command line: results are finite, or are reported as not
// finite and no file is left.
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

class Extreme : public InFolder {
 protected:
  /// The flags of a pass over four tokens whose embedding holds `value` and its halves.
  std::vector<std::string> passOf(const std::string& command, float value) {
    Tensor x = Tensor::uninitialised({1, 4, 16});
    for (Index i = 0; i < x.size(); ++i) {
      x.mutableData()[i] = value / static_cast<float>(1 + i % 3);
    }
    writeSafetensors(path("x.safetensors"), {{"x", x}});
    return {command, "--input", path("x.safetensors"), "--d-model", "16", "--heads", "4"};
  }
  static std::vector<std::string> with(std::vector<std::string> flags,
                                       const std::vector<std::string>& more) {
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }
};

TEST_F(Extreme, WhatOverflowsIsNamedAndNothingIsWritten) {
  const std::vector<std::string> parts{"raw_scores[0, 0, ", "does not fit a 32-bit float",
                                       "scale them down"};
  expectRefused(passOf("run", 1e30F), parts);
  expectRefused(with(passOf("run", 1e30F), {"--trace", path("out.safetensors")}), parts);
  expectRefused(with(passOf("export", 1e30F), {"--tensor", "weights", "--out", path("w.csv")}),
                parts);
  expectRefused(with(passOf("export", 1e30F), {"--pytorch", path("script")}), parts);
  expectRefused(with(passOf("explain", 1e30F), {"--step", "softmax"}), parts);
  expectRefused(with(passOf("analyze", 1e30F), {}), parts);
  for (const char* file : {"out.safetensors", "w.csv", "script"}) {
    EXPECT_FALSE(std::filesystem::exists(path(file))) << file;
  }
}

TEST_F(Extreme, WhatIsLargeOrTinyIsComputed) {
  for (const float value : {1e18F, 1e-30F, std::numeric_limits<float>::denorm_min(), 0.0F}) {
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--temperature", "1e-30"}, {"--temperature", "1e30"}}) {
      const CliResult result =
          runProgram(with(passOf("run", value), with(more, {"--trace", path("out.safetensors")})));
      if (result.status == 2) {  // said to be not finite
        EXPECT_NE(result.err.find("does not fit"), std::string::npos) << value << result.err;
        continue;
      }
      ASSERT_EQ(result.status, 0) << value << ": " << result.err;
      const SafetensorsFile file(path("out.safetensors"));
      for (const char* tensor : {"weights", "output"}) {
        for (const float cell : file.readAny(tensor).values()) {
          ASSERT_TRUE(std::isfinite(cell)) << tensor << " of " << value;
        }
      }
    }
  }
}

TEST_F(Extreme, ARowWithoutKeysIsZero) {
  const std::vector<std::string> mask{"--causal", "--lengths", "0"};
  const CliResult result =
      runProgram(with(passOf("run", 1.0F), with(mask, {"--trace", path("out.safetensors")})));
  ASSERT_EQ(result.status, 0) << result.err;
  const SafetensorsFile file(path("out.safetensors"));
  for (const float weight : file.read("weights").values()) EXPECT_EQ(weight, 0.0F);
  const CliResult metrics = runProgram(with(passOf("analyze", 1.0F), mask));
  EXPECT_EQ(metrics.status, 0) << metrics.err;
  EXPECT_EQ(metrics.out.find("nan"), std::string::npos) << metrics.out;
}

}  // namespace
}  // namespace headscope
