#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

TEST(Info, ParametersOfThePresets) {
  EXPECT_EQ(jsonOf({"info", "--preset", "amnl"})["parameters"]["total"], 263168);
  EXPECT_EQ(jsonOf({"info", "--preset", "rul"})["parameters"]["total"], 1050624);
  EXPECT_EQ(jsonOf({"info"})["parameters"]["total"], 1050624);
  const json amnl = jsonOf({"info", "--preset", "amnl", "--no-bias"});
  EXPECT_EQ(amnl["parameters"]["total"], 262144);
  EXPECT_EQ(amnl["parameters"]["b_Q"], 0);
  EXPECT_EQ(amnl["config"]["bias"], false);
}

TEST(Info, JsonHasTheKeysOfTheContract) {
  const json info = jsonOf({"info"});
  const json config = {{"d_model", 512}, {"num_heads", 8},  {"num_kv_heads", 8}, {"d_k", 64},
                       {"seq_len", 6},   {"memory_len", 6}, {"batch", 1},        {"bias", true}};
  EXPECT_EQ(info["config"], config);
  for (const char* key : {"W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O", "total"}) {
    EXPECT_TRUE(info["parameters"].contains(key)) << key;
  }
  const std::vector<std::string> ids = {"project", "split", "score",  "scale", "mask",
                                        "softmax", "weigh", "concat", "output"};
  ASSERT_EQ(info["steps"].size(), ids.size());
  json flops = 0, bytes = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const json& step = info["steps"][i];
    EXPECT_EQ(step["id"], ids[i]);
    EXPECT_TRUE(step["formula"].is_string());
    for (const char* side : {"inputs", "outputs"}) {
      ASSERT_FALSE(step[side].empty());
      EXPECT_TRUE(step[side][0]["name"].is_string());
      EXPECT_TRUE(step[side][0]["shape"].is_array());
    }
    flops = flops.get<long>() + step["flops"].get<long>();
    bytes = bytes.get<long>() + step["bytes"].get<long>();
  }
  EXPECT_EQ(info["flops"], flops);
  EXPECT_EQ(info["bytes"], bytes);
}

TEST(Info, CostsByTheRules) {
  const json info = jsonOf({"info", "--d-model", "8", "--heads", "2", "--seq-len", "3", "--batch",
                            "2", "--memory-len", "5", "--kv-heads", "1"});
  const auto& steps = info["steps"];
  // Q: 2·3·8 outputs of 8 multiply-adds and a bias; K and V: 2·5·4 each
  EXPECT_EQ(steps[0]["flops"], (48 + 40 + 40) * (2 * 8 + 1));
  EXPECT_EQ(steps[0]["bytes"], 4 * (48 + 40 + 40));
  EXPECT_EQ(steps[1]["flops"], 0);
  EXPECT_EQ(steps[1]["bytes"], 0);
  const int cells = 2 * 2 * 3 * 5;
  EXPECT_EQ(steps[2]["flops"], cells * 2 * 4);
  EXPECT_EQ(steps[2]["outputs"][0]["shape"], json({2, 2, 3, 5}));
  EXPECT_EQ(steps[3]["flops"], cells);
  EXPECT_EQ(steps[4]["flops"], 0);
  EXPECT_EQ(steps[5]["flops"], 4 * cells);
  EXPECT_EQ(steps[6]["flops"], 2 * 2 * 3 * 4 * 2 * 5);
  EXPECT_EQ(steps[7]["bytes"], 0);
  EXPECT_EQ(steps[8]["flops"], 48 * (2 * 8 + 1));
  EXPECT_EQ(info["kv_cache_bytes"], 8 * 2 * 5 * 4);
  EXPECT_EQ(info["config"]["num_kv_heads"], 1);
}

TEST(Info, TheTableNamesTheDivision) {
  const CliResult info = runProgram({"info"});
  EXPECT_NE(info.out.find("d_k = 512 / 8 = 64, √64 = 8"), std::string::npos);
  EXPECT_NE(info.out.find("1,050,624"), std::string::npos);
  const CliResult odd = runProgram({"info", "--d-model", "256"});
  EXPECT_NE(odd.out.find("√32 ≈ 5.657"), std::string::npos);
}

TEST(Info, AHeadWidthOfItsOwnIsNoDivision) {
  const CliResult wide = runProgram({"info", "--head-dim", "80"});
  EXPECT_NE(wide.out.find("d_k = 80 (head_dim), √80 ≈ 8.944, d_v = d_k\n"), std::string::npos)
      << wide.out;
  EXPECT_EQ(wide.out.find("512 / 8"), std::string::npos);
  // by itself, yet the division
  const CliResult same = runProgram({"info", "--head-dim", "64"});
  EXPECT_NE(same.out.find("d_k = 512 / 8 = 64"), std::string::npos) << same.out;
  // nothing has to divide
  const json info = jsonOf({"info", "--heads", "7", "--kv-heads", "1", "--head-dim", "64"});
  EXPECT_EQ(info["config"]["head_dim"], 64);
  EXPECT_EQ(info["config"]["d_k"], 64);
  EXPECT_EQ(info["parameters"]["W_Q"], 7 * 64 * 512);
  EXPECT_EQ(info["parameters"]["W_K"], 64 * 512);
  EXPECT_EQ(info["parameters"]["W_O"], 7 * 64 * 512);
  EXPECT_EQ(info["parameters"]["b_Q"], 7 * 64);
  EXPECT_EQ(info["parameters"]["b_O"], 512);
  EXPECT_EQ(info["kv_cache_bytes"], 8 * 6 * 64);
  EXPECT_FALSE(jsonOf({"info"})["config"].contains("head_dim"));
}

TEST(Info, ListsThePresets) {
  const json found = jsonOf({"info", "--presets"});
  EXPECT_EQ(found["schema"], "headscope.presets/1");
  const json& presets = found["presets"];
  const std::vector<std::string> names = {"by-hand",
                                          "original-transformer",
                                          "tutorial",
                                          "bert-base",
                                          "bert-large",
                                          "gpt2-small",
                                          "gpt3-small",
                                          "vit-base",
                                          "amnl",
                                          "rul",
                                          "alphafold2-evoformer"};
  ASSERT_EQ(presets.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(presets[i]["name"], names[i]);
  const CliResult table = runProgram({"info", "--presets"});
  for (const auto& name : names) EXPECT_NE(table.out.find(name), std::string::npos) << name;
  EXPECT_NE(table.out.find("d_k is 64 in 8 of 11"), std::string::npos);
}

/// The settings of AlphaFold's row attention by flags have the numbers of its preset.
TEST(Info, HasTheGateAndThePairBias) {
  const json preset = jsonOf({"info", "--preset", "alphafold2-evoformer"});
  const json flags = jsonOf({"info", "--d-model", "256", "--heads", "8", "--seq-len", "32",
                             "--gate", "--pair-bias", "random"});
  EXPECT_EQ(flags["steps"], preset["steps"]);
  EXPECT_EQ(flags["parameters"], preset["parameters"]);
  EXPECT_EQ(preset["parameters"]["b_G"], 256);
  EXPECT_EQ(flags["steps"][4]["inputs"].size(), 2U) << "scores and their bias";
  EXPECT_EQ(jsonOf({"info", "--preset", "alphafold2-evoformer", "--seq-len", "5"})["parameters"],
            preset["parameters"]);
  expectRefused({"info", "--seq-len", "60000", "--pair-bias", "random"}, {"--pair-bias", "fewer"});
  expectRefused({"info", "--presets", "--gate"}, {"--presets"});
}

TEST(Info, TheScaleIsANumber) {
  const CliResult narrow = runProgram({"info", "--d-model", "256", "--heads", "8"});
  EXPECT_NE(narrow.out.find("d_k = 256 / 8 = 32, √32 ≈ 5.657, d_v = d_k\n"), std::string::npos)
      << narrow.out;
}

TEST(Info, WhatCannotBeIsRefused) {
  expectRefused({"info", "--d-model", "512", "--heads", "7"}, {"512", "7 heads", "4, 8"});
  expectRefused({"info", "--d-model", "1000000000"},
                {"d_model is 1000000000", "the maximum is 65536"});
  expectRefused({"info", "--d-model", "0"}, {"d_model is 0", "at least 1"});
  expectRefused({"info", "--heads", "-3"}, {"heads is -3", "at least 1"});
  expectRefused({"info", "--heads", "eight"}, {"--heads", "'eight' is not a whole number"});
  expectRefused({"info", "--seq-len", "6.5"}, {"--seq-len", "'6.5' is not a whole number"});
  expectRefused({"info", "--seq-len", "99999999999999999999"}, {"--seq-len", "out of range"});
  expectRefused({"info", "--seq-len", "0"}, {"tokens is 0"});
  expectRefused({"info", "--batch", "-1"}, {"batch is -1"});
  expectRefused({"info", "--memory-len", "-4"}, {"memory_len is -4"});
  expectRefused({"info", "--head-dim", "0"}, {"--head-dim is 0", "d_model / heads"});
  expectRefused({"info", "--head-dim", "-8"}, {"--head-dim is -8"});
  expectRefused({"info", "--head-dim", "x"}, {"--head-dim", "'x' is not a whole number"});
  expectRefused({"info", "--head-dim", "9000"}, {"8 heads of 9000", "72000", "65536"});
  expectRefused({"info", "--heads", "7"}, {"head_dim"});
  expectRefused({"info", "--kv-heads", "3"}, {"8 heads cannot share 3", "2, 4"});
  expectRefused({"info", "--preset", "bart"}, {"\"bart\"", "bert-base"});
  expectRefused({"info", "--preset", ""}, {"--preset"});
  expectRefused({"info", "--presets", "--heads", "4"}, {"--presets"});
  expectRefused(
      {"info", "--batch", "4096", "--seq-len", "65536", "--d-model", "65536", "--heads", "65536"},
      {"64 bits"});
}

}  // namespace
}  // namespace headscope
