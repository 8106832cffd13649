// One layer of a model as the pass of other commands: --model and --layer.
#include "core/base/files.h"
#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

class ModelLayer : public InFolder {};

/// A layer of a model is a pass like any other.
TEST_F(ModelLayer, ALayerIsRunExplainedAndAnalyzed) {
  const auto layer = [](const std::string& command, std::vector<std::string> flags) {
    flags.insert(flags.begin(), {command, "--model", dataFile("tiny-llama"), "--ids",
                                 "1,65,77,5,78,46,50", "--layer", "1"});
    return flags;
  };
  const json said = jsonOf(layer("run", {"--trace", path("t.safetensors")}));
  EXPECT_EQ(said["config"]["num_kv_heads"], 2);
  EXPECT_EQ(said["tokens"][0][1], "65");
  const Tensor weights = SafetensorsFile(path("t.safetensors")).read("weights");
  const Tensor expected =
      SafetensorsFile(dataFile("tiny-llama/expected.safetensors")).read("0.attentions");
  for (Index head = 0; head < 4; ++head) {
    for (Index i = 0; i < 7; ++i) {
      for (Index j = 0; j < 7; ++j) {
        EXPECT_NEAR(weights.at({0, head, i, j}), expected.at({1, head, i, j}), 1e-5F);
      }
    }
  }
  const json cell =
      jsonOf(layer("explain", {"--step", "score", "--head", "3", "--row", "6", "--col", "2"}));
  ASSERT_EQ(cell["terms"].size(), 8U);
  EXPECT_EQ(cell["terms"][0]["left"], "q_rot[0, 3, 6, 0]");
  EXPECT_EQ(cell["terms"][0]["right"], "k_rot[0, 1, 2, 0]");
  const json report = jsonOf(layer("analyze", {"--drop-heads", "2"}));
  EXPECT_EQ(report["heads"][2]["ablation"], 0.0);

  expectRefused(layer("run", {"--causal"}), {"--model", "--causal"});
  expectRefused({"run", "--model", dataFile("tiny-llama"), "--ids", "1"}, {"--layer"});
  expectRefused({"run", "--model", dataFile("tiny-llama"), "--layer", "1"}, {"--ids"});
  expectRefused({"run", "--layer", "1"}, {"--layer", "--model"});
  expectRefused({"run", "--model", dataFile("tiny-llama"), "--ids", "1", "--layer", "2"},
                {"--layer 2", "0 to 1"});
  EXPECT_EQ(runProgram(layer("render", {"--view", "flow", "--out", path("f.png")})).status, 0);
  EXPECT_TRUE(std::filesystem::exists(path("f.png")));
}

/// A layer of an image model: its tokens are patches.
TEST_F(ModelLayer, ALayerOfAnImageModelIsRunExplainedAndExported) {
  const std::string vit = dataFile("image_models/vit");
  const SafetensorsFile golden(vit + "/expected.safetensors");
  writeSafetensors(path("p.safetensors"),
                   std::vector<NamedTensor>{{"pixel_values", golden.read("0.pixel_values")}}, {});
  const auto layer = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin() + 1, {"--model", vit, "--layer", "1"});
    return flags;
  };
  const std::string pixels = path("p.safetensors");
  const json said = jsonOf(layer({"run", "--pixels", pixels, "--trace", path("t.safetensors")}));
  EXPECT_EQ(said["tokens"][0][0], "class");
  EXPECT_EQ(said["tokens"][0][1], "patch 1,1");
  const Tensor weights = SafetensorsFile(path("t.safetensors")).read("weights");
  const Tensor expected = golden.read("0.attentions");
  for (Index i = 0; i < weights.dim(2); ++i) {
    for (Index j = 0; j < weights.dim(3); ++j) {
      EXPECT_NEAR(weights.at({0, 2, i, j}), expected.at({1, 2, i, j}), 1e-5F);
    }
  }
  const CliResult cell = runProgram(
      layer({"explain", "--pixels", pixels, "--step", "softmax", "--row", "0", "--col", "1"}));
  EXPECT_EQ(cell.status, 0) << cell.err;
  EXPECT_NE(cell.out.find("query 0 'class', key 1 'patch 1,1'"), std::string::npos) << cell.out;
  const CliResult written = runProgram(layer({"export", "--image", dataFile("pictures/turned6.jpg"),
                                              "--tensor", "weights", "--out", path("w.csv")}));
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_NE(readText(path("w.csv"), 1 << 24, "CSV").find("\"patch 1,1\""), std::string::npos);

  expectRefused(layer({"run"}), {"reads images", "--image", "--pixels"});
  expectRefused(layer({"run", "--pixels", pixels, "--text", "a"}), {"--text", "--pixels"});
  expectRefused(layer({"run", "--pixels", pixels, "--ids", "1"}), {"--ids", "--pixels"});
  expectRefused(layer({"run", "--pixels", pixels, "--attention", "cross"}), {"--attention"});
  expectRefused({"run", "--pixels", pixels}, {"--pixels", "--model"});
  expectRefused({"run", "--model", dataFile("tiny-llama"), "--layer", "1", "--pixels", pixels},
                {"tiny-llama", "reads texts", "--text"});
}

/// RoPE as a switch of a single layer: its step is run, stored and explained.
TEST_F(ModelLayer, OneLayerCanBeRotated) {
  const std::vector<std::string> pass{"--d-model", "32",      "--heads",          "4",
                                      "--text",    "a b c d", "--positions-kind", "rope"};
  auto run = pass;
  run.insert(run.begin(), {"run", "--trace", path("t.safetensors")});
  const json said = jsonOf(run);
  ASSERT_EQ(said["steps"].size(), 10U);
  EXPECT_EQ(said["steps"][2]["id"], "rotate");
  const SafetensorsFile file(path("t.safetensors"));
  ASSERT_TRUE(file.has("q_rot") && file.has("k_rot"));
  auto explain = pass;
  explain.insert(explain.begin(), {"explain", "--step", "rotate", "--tensor", "q", "--head", "1",
                                   "--row", "3", "--col", "5"});
  const json cell = jsonOf(explain);
  EXPECT_EQ(cell["tensor"], "q_rot");
  EXPECT_EQ(cell["terms"].size(), 2U);
  EXPECT_NEAR(cell["sum"].get<double>(), cell["value"].get<double>(), 1e-5);
  EXPECT_NEAR(cell["value"].get<double>(), static_cast<double>(file.read("q_rot").at({0, 1, 3, 5})),
              1e-6);
  expectRefused({"explain", "--step", "rotate"}, {"--step rotate", "--positions-kind rope"});
  auto render = pass;
  render.insert(render.begin(),
                {"render", "--view", "step", "--step", "rotate", "--out", path("f.png")});
  const CliResult drawn = runProgram(render);
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_TRUE(std::filesystem::exists(path("f.png")));
}

/// A part of each head that turns, neighbours that pair, and sinks as switches of a single layer.
TEST_F(ModelLayer, OneLayerCanTurnInPartAndHaveSinks) {
  const json turned = jsonOf({"explain", "--positions-kind", "rope", "--rope-dims", "4",
                              "--rope-pairs", "neighbours", "--step", "rotate", "--tensor", "q",
                              "--head", "1", "--row", "3", "--col", "1"});
  EXPECT_EQ(turned["terms"].size(), 2U);
  EXPECT_NE(turned["rule"].get<std::string>().find("[t, j − 1]"), std::string::npos) << turned;
  const json still = jsonOf({"explain", "--positions-kind", "rope", "--rope-dims", "4", "--step",
                             "rotate", "--tensor", "q", "--row", "3", "--col", "5"});
  EXPECT_EQ(still["terms"].size(), 1U);
  expectRefused({"run", "--rope-dims", "4"}, {"--rope-dims", "--positions-kind rope"});

  // weights of their own, as the preset has, keep the sinks
  const json sunk = jsonOf({"explain", "--preset", "by-hand", "--sinks", "0.5,-1", "--step",
                            "softmax", "--head", "1", "--row", "2", "--col", "1"});
  ASSERT_EQ(sunk["terms"].size(), 4U);
  double sum = 0.0;
  for (const double score : {3.0, 1.0, 1.0, -1.0}) sum += std::exp(score - 3.0);
  EXPECT_NEAR(sunk["value"].get<double>(), std::exp(-2.0) / sum, 1e-6);
  expectRefused({"run", "--preset", "by-hand", "--sinks", "0.5"}, {"1 sinks", "2 heads"});
}

/// ALiBi as a switch of a single layer: it acts in the step mask.
TEST_F(ModelLayer, OneLayerCanHaveAlibi) {
  const std::vector<std::string> pass{"--d-model", "32",      "--heads",          "4",
                                      "--text",    "a b c d", "--positions-kind", "alibi"};
  auto run = pass;
  run.insert(run.begin(), {"run", "--trace", path("t.safetensors")});
  EXPECT_EQ(jsonOf(run)["steps"].size(), 9U);
  const SafetensorsFile file(path("t.safetensors"));
  const float score = file.read("scores").at({0, 1, 3, 0});
  const float masked = file.readAny("masked_scores").at({0, 1, 3, 0});
  EXPECT_NEAR(masked, score - 3.0F / 16.0F, 1e-6);  // the second of four slopes is 2^−4
  auto explain = pass;
  explain.insert(explain.begin(),
                 {"explain", "--step", "mask", "--head", "1", "--row", "3", "--col", "0"});
  const json cell = jsonOf(explain);
  ASSERT_EQ(cell["terms"].size(), 2U);
  EXPECT_NEAR(cell["sum"].get<double>(), static_cast<double>(masked), 1e-6);
  expectRefused({"run", "--positions-kind", "sines"}, {"--positions-kind", "rope", "alibi"});
  expectRefused({"run", "--text", "a b", "--memory-text", "c d", "--positions-kind", "alibi"},
                {"ALiBi", "turn ALiBi off"});
}

}  // namespace
}  // namespace headscope
