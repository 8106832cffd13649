// The gate and the pair bias of one layer as flags, and the preset that has both.
#include "core/formats/numpy_files.h"
#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

class RowAttention : public InFolder {};

TEST_F(RowAttention, AGateIsAStepThatIsStoredAndExplained) {
  const std::vector<std::string> pass{"--d-model", "32",      "--heads", "4",
                                      "--text",    "M Q I F", "--gate"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), pass.begin(), pass.end());
    return flags;
  };
  const json said = jsonOf(with({"run", "--trace", path("t.safetensors")}));
  EXPECT_EQ(said["config"]["gate"], true);
  EXPECT_EQ(said["steps"][7]["id"], "gate");
  const SafetensorsFile file(path("t.safetensors"));
  const json cell = jsonOf(with({"explain", "--step", "gate", "--tensor", "gate", "--head", "2",
                                 "--row", "1", "--col", "5"}));
  EXPECT_EQ(cell["tensor"], "gate");
  EXPECT_EQ(cell["terms"].size(), 33U);
  EXPECT_EQ(cell["terms"][0]["right"], "W_G[21, 0]");
  EXPECT_NEAR(cell["value"].get<double>(), 1.0 / (1.0 + std::exp(-cell["sum"].get<double>())),
              1e-6);
  const json gated =
      jsonOf(with({"explain", "--step", "gate", "--head", "2", "--row", "1", "--col", "5"}));
  EXPECT_EQ(gated["tensor"], "gated");
  EXPECT_EQ(gated["terms"][0]["left"], "gate[0, 2, 1, 5]");
  EXPECT_EQ(gated["terms"][0]["right"], "heads[0, 2, 1, 5]");
  EXPECT_FLOAT_EQ(gated["value"].get<float>(), file.read("gated").at({0, 2, 1, 5}));
  expectRefused({"explain", "--step", "gate"}, {"--step gate", "--gate"});
  expectRefused(with({"explain", "--step", "gate", "--tensor", "x"}), {"gate or gated"});
}

TEST_F(RowAttention, ABiasOfPairsIsDrawnReadAndRefused) {
  const std::vector<std::string> pass{"--d-model", "32", "--heads", "4", "--text", "M Q I"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), pass.begin(), pass.end());
    return flags;
  };
  const auto masked = [&](const std::string& bias) {
    EXPECT_EQ(
        runProgram(with({"run", "--pair-bias", bias, "--trace", path("t.safetensors")})).status, 0);
    return SafetensorsFile(path("t.safetensors")).read("masked_scores").values();
  };
  const auto drawn = masked("random");
  ASSERT_EQ(runProgram(with({"export", "--pair-bias", "random", "--tensor", "pair_bias", "--out",
                             path("b.npy")}))
                .status,
            0);
  EXPECT_EQ(masked(path("b.npy")), drawn);
  ASSERT_EQ(runProgram(with({"export", "--pair-bias", "random", "--tensor", "pair_bias", "--out",
                             path("b.safetensors")}))
                .status,
            0);
  EXPECT_EQ(masked(path("b.safetensors")), drawn);
  expectRefused({"run", "--preset", "by-hand", "--pair-bias", path("b.npy")},
                {"--pair-bias", "b.npy", "(2, 3, 3)", "36"});
  expectRefused(with({"run", "--pair-bias", path("none.npy")}), {"none.npy"});
}

TEST_F(RowAttention, ThePresetRunsOnAnyText) {
  const json own = jsonOf({"run", "--preset", "alphafold2-evoformer"});
  EXPECT_EQ(own["config"]["pair_bias"]["values"].size(), 8U * 32U * 32U);
  EXPECT_EQ(own["config"]["gate"], true);
  const json other = jsonOf({"run", "--preset", "alphafold2-evoformer", "--text", "M K V"});
  EXPECT_FALSE(other["config"].contains("pair_bias"));
  const CliResult said = runProgram({"run", "--preset", "alphafold2-evoformer", "--text", "M K V"});
  EXPECT_NE(said.out.find("the pair bias was left out"), std::string::npos) << said.out;
}

}  // namespace
}  // namespace headscope
