#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

std::vector<std::string> train(std::vector<std::string> flags) {
  std::vector<std::string> all{"train", "--task", "brackets", "--d-model", "16", "--batch", "8"};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

/// The result without the fields that differ from run to run.
json timeless(json result) {
  result.erase("ms_per_step");
  return result;
}

class Train : public InFolder {};

TEST_F(Train, GivesLossAccuracyAndRelations) {
  const json result = jsonOf(train({"--steps", "30"}));
  std::vector<std::string> keys;
  for (const auto& item : result.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"accuracy", "loss", "ms_per_step", "parameters",
                                            "relations", "schema", "similarity", "steps", "task"}));
  EXPECT_EQ(result["task"], "brackets");
  EXPECT_EQ(result["steps"], 30);
  ASSERT_EQ(result["loss"].size(), 3U);  // at the start, after 25 steps and at the end
  EXPECT_EQ(result["loss"][0][0], 0);
  EXPECT_EQ(result["loss"][2][0], 30);
  EXPECT_LT(result["loss"][2][1].get<double>(), result["loss"][0][1].get<double>());
  EXPECT_EQ(result["accuracy"].size(), 2U);
  for (const json& accuracy : result["accuracy"]) EXPECT_GT(accuracy.get<double>(), 0.0);
  ASSERT_EQ(result["relations"].size(), 2U);
  for (const json& relation : result["relations"]) {
    EXPECT_TRUE(relation.at("name").is_string());
    EXPECT_EQ(relation.at("layer"), 0);
    EXPECT_LT(relation.at("head").get<int>(), 2);
    EXPECT_GT(relation.at("mass").get<double>(), 0.0);
    EXPECT_TRUE(relation.contains("found_at_step"));
  }
  ASSERT_EQ(result["similarity"].size(), 1U);
  EXPECT_EQ(result["similarity"][0][0][0], 1.0);
  EXPECT_GT(result["ms_per_step"].get<double>(), 0.0);
}

TEST_F(Train, GivesTheSameOnEveryThreadCount) {
  const auto on = [&](const char* threads) {
    return timeless(jsonOf(train({"--steps", "12", "--layers", "2", "--threads", threads})));
  };
  EXPECT_EQ(on("1"), on("2"));
}

TEST_F(Train, ContinuesFromASavedRunExactly) {
  const json whole = jsonOf(train({"--steps", "60"}));
  jsonOf(train({"--steps", "25", "--save", path("run")}));
  const json rest = jsonOf({"train", "--from", path("run"), "--steps", "60"});
  EXPECT_EQ(timeless(rest), timeless(whole));
  // A finished run has no steps left to do.
  jsonOf({"train", "--from", path("run"), "--steps", "60", "--save", path("run")});
  EXPECT_EQ(timeless(jsonOf({"train", "--from", path("run")})), timeless(whole));
}

TEST_F(Train, WritesTheCurves) {
  jsonOf(train({"--steps", "5", "--log", path("curves.csv")}));
  std::ifstream in(path("curves.csv"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[0].rfind("step,loss,gradient_length,evaluation_loss,accuracy_", 0), 0U);
  EXPECT_EQ(lines[1].rfind("0,,,", 0), 0U);
  EXPECT_EQ(lines[2].rfind("1,", 0), 0U);
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  for (const std::string& line : lines) EXPECT_EQ(commas(line), commas(lines[0])) << line;
}

TEST_F(Train, PrintsATable) {
  const CliResult result = runProgram(train({"--steps", "2", "--save", path("run")}));
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* part : {"1 layer, d_model 16, 2 heads", "step 2: loss", "question", "relation",
                           "found at step", "saved: "}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in " << result.out;
  }
}

TEST_F(Train, RefusesWhatCannotBe) {
  expectRefused({"train"}, {"--task", "--from"});
  expectRefused({"train", "--task", "chess"}, {"chess", "cards"});
  expectRefused(train({"--heads", "3"}), {"d_model 16 does not divide into 3 heads"});
  expectRefused(train({"--layers", "0"}), {"layers is 0"});
  expectRefused(train({"--lr", "fast"}), {"--lr", "fast"});
  expectRefused(train({"--lr", "-1"}), {"learning rate is -1"});
  expectRefused({"train", "--from", path("nowhere")}, {"nowhere", "cannot read"});
  jsonOf(train({"--steps", "1", "--save", path("run")}));
  expectRefused({"train", "--from", path("run"), "--heads", "4"}, {"--heads", "--from"});
  expectRefused(train({"--lr", "1e30", "--save", path("good")}),
                {"step 2: layers.0.", "lower learning rate"});
  EXPECT_EQ(jsonOf({"train", "--from", path("good"), "--lr", "0.01", "--steps", "3"})["steps"], 3);
}

}  // namespace
}  // namespace headscope
