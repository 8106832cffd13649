#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

using nlohmann::json;

TEST(CircuitsCommand, AllHeadsAndTheirCompositions) {
  const json found = jsonOf({"circuits", "headscope:induction"});
  EXPECT_EQ(found["schema"], "headscope.circuits/1");
  ASSERT_EQ(found["heads"].size(), 8U);
  EXPECT_GT(found["heads"][4]["copying"].get<double>(), 0.9);
  EXPECT_EQ(found["heads"][4]["qk"].size(), 16U);
  const json& key = found["compositions"]["key"];
  ASSERT_EQ(key["strongest"].size(), 8U);
  EXPECT_EQ(key["strongest"][0]["from"], json({{"layer", 0}, {"head", 3}}));
  EXPECT_GT(key["strongest"][0]["score"], key["mean"]);
  const std::string words = runProgram({"circuits", "headscope:induction"}).out;
  EXPECT_NE(words.find("copying"), std::string::npos) << words;
  const json rotated = jsonOf({"circuits", dataFile("tiny-llama")});
  EXPECT_TRUE(rotated["compositions"]["key"].is_null());
  EXPECT_EQ(rotated["values_alone"], "queries and keys are rotated by their positions");
  EXPECT_FALSE(found.contains("values_alone"));
  const std::string said = runProgram({"circuits", dataFile("tiny-llama")}).out;
  EXPECT_NE(said.find("rotated by their positions: W_QK is no fixed matrix"), std::string::npos)
      << said;
}

/// The weights of such a model are only made to give the attentions.
TEST(CircuitsCommand, RefusesAFileOfAttentionsAlone) {
  const TempFolder folder;
  const auto path = folder / "mine.safetensors";
  writeSafetensors(
      path,
      std::vector<NamedTensor>{
          {"attentions", Tensor::fromValues({1, 1, 2, 2}, std::vector<float>(4, 0.5F))}},
      {});
  const std::string file = path.string();
  expectRefused({"circuits", file}, {file, "attentions alone", "the model's own folder"});
  expectRefused({"why", file, "--ids", "0,1", "--score", "0.0:1:0"}, {file, "attentions alone"});
}

TEST(CircuitsCommand, OneHeadsDirectionsAsTokens) {
  const json found = jsonOf({"circuits", dataFile("tiny-gpt2"), "--layer", "1", "--head", "2",
                             "--directions", "3", "--tokens", "2"});
  ASSERT_EQ(found["heads"].size(), 1U);
  ASSERT_EQ(found["qk_directions"].size(), 6U);
  EXPECT_EQ(found["qk_directions"][1]["end"], "-");
  EXPECT_EQ(found["qk_directions"][0]["asks"].size(), 2U);
  EXPECT_TRUE(found["ov_directions"][0]["writes"][0]["token"].is_string());
  const std::string words =
      runProgram({"circuits", dataFile("tiny-gpt2"), "--layer", "1", "--head", "2"}).out;
  EXPECT_NE(words.find("which tokens ask for which"), std::string::npos) << words;
}

TEST(CircuitsCommand, ALayerAloneMeansAllItsHeads) {
  const std::string folder = dataFile("tiny-gpt2");
  const json found = jsonOf({"circuits", folder, "--layer", "1"});
  EXPECT_EQ(found["heads"].size(), 4U);
  EXPECT_EQ(found, jsonOf({"circuits", folder, "--layer", "1", "--head", "all"}));
  const std::string two = dataFile("families/bart");
  EXPECT_EQ(jsonOf({"circuits", two, "--attention", "cross"}),
            jsonOf({"circuits", two, "--head", "cross:all"}));
}

TEST(CircuitsCommand, AllHeadsOfAnAttention) {
  const std::string folder = dataFile("families/bart");
  const json whole = jsonOf({"circuits", folder});
  for (const std::string attention : {"encoder", "decoder", "cross"}) {
    json expected = json::array();
    for (const json& head : whole["heads"]) {
      if (head["attention"] == attention) expected.push_back({head["layer"], head["head"]});
    }
    ASSERT_GT(expected.size(), 1U);
    const json chosen = jsonOf({"circuits", folder, "--attention", attention, "--head", "all"});
    json found = json::array();
    for (const json& head : chosen["heads"]) {
      EXPECT_EQ(head["attention"], attention);
      EXPECT_TRUE(head.contains("qk_directions"));
      found.push_back({head["layer"], head["head"]});
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(jsonOf({"circuits", folder, "--head", attention + ":all"}), chosen);
  }
  expectRefused({"circuits", folder, "--head", "all"}, {"--head all", "cross:0.3"});
  expectRefused({"circuits", folder, "--attention", "cross", "--head", "cross:0.1"},
                {"--head cross:0.1", "--attention"});
}

TEST(CircuitsCommand, HeadsAreNamedInEitherCase) {
  const std::string folder = dataFile("tiny-gpt2");
  EXPECT_EQ(jsonOf({"circuits", folder, "--head", "l1h2"}),
            jsonOf({"circuits", folder, "--head", "L1H2"}));
}

TEST(CircuitsCommand, WhatCannotBeIsRefused) {
  expectRefused({"circuits", dataFile("tiny-gpt2"), "--layer", "7", "--head", "0"}, {"layer 7"});
  expectRefused({"circuits", dataFile("families/deepseek_v3")}, {"latent attention"});
}

}  // namespace
}  // namespace headscope
