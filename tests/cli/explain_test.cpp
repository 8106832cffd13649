#include <cmath>
#include <vector>

#include "core/document/trace.h"
#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

const std::vector<std::string> kExplainedPass = {"--text",   "a b c d", "--d-model",  "32",
                                                 "--heads",  "4",       "--kv-heads", "2",
                                                 "--causal", "--init",  "normal"};

json explain(std::vector<std::string> cell) {
  cell.insert(cell.begin(), "explain");
  cell.insert(cell.end(), kExplainedPass.begin(), kExplainedPass.end());
  return jsonOf(cell);
}

class Explain : public InFolder {};

TEST_F(Explain, GivesTheTracesValuesAndSums) {
  std::vector<std::string> run = {"run", "--trace", path("t.safetensors")};
  run.insert(run.end(), kExplainedPass.begin(), kExplainedPass.end());
  ASSERT_EQ(runProgram(run).status, 0);
  const SafetensorsFile trace(path("t.safetensors"));
  const std::vector<std::vector<std::string>> cells = {
      {"--step", "project", "--row", "1", "--col", "31"},
      {"--step", "project", "--tensor", "k", "--row", "1", "--col", "15"},
      {"--step", "project", "--tensor", "v", "--row", "3"},
      {"--step", "split", "--head", "3", "--row", "2", "--col", "7"},
      {"--step", "split", "--tensor", "v", "--head", "1", "--row", "2", "--col", "7"},
      {"--step", "score", "--head", "3", "--row", "2", "--col", "1"},
      {"--step", "scale", "--head", "3", "--row", "2", "--col", "1"},
      {"--step", "mask", "--head", "3", "--row", "2", "--col", "1"},
      {"--step", "softmax", "--head", "3", "--row", "2", "--col", "1"},
      {"--step", "weigh", "--head", "3", "--row", "2", "--col", "5"},
      {"--step", "concat", "--row", "2", "--col", "29"},
      {"--step", "output", "--row", "2", "--col", "29"}};
  for (const auto& cell : cells) {
    const json e = explain(cell);
    const double value = e["value"];
    const Tensor tensor = trace.readAny(e["tensor"].get<std::string>());
    EXPECT_EQ(value, static_cast<double>(tensor.at(e["index"].get<std::vector<Index>>())))
        << e["tensor"];
    double sum = 0.0;
    for (const json& term : e["terms"]) sum += term["product"].get<double>();
    EXPECT_NEAR(e["sum"].get<double>(), sum, 1e-9);
    if (e["tensor"] == "weights") {
      EXPECT_EQ(e["terms"].size(), 3U);  // causal: the keys up to the query
      EXPECT_NEAR(value, e["terms"][1]["product"].get<double>() / sum, 1e-6);
    } else {
      EXPECT_NEAR(value, sum, 1e-5);
    }
  }
}

TEST_F(Explain, NamesOperandsByTheirOwnHeads) {
  const json score = explain({"--step", "score", "--head", "3", "--row", "2", "--col", "1"});
  EXPECT_EQ(score["tensor"], "raw_scores");
  EXPECT_EQ(score["index"], json({0, 3, 2, 1}));
  ASSERT_EQ(score["terms"].size(), 8U);
  EXPECT_EQ(score["terms"][5]["left"], "q[0, 3, 2, 5]");
  EXPECT_EQ(score["terms"][5]["right"], "k[0, 1, 1, 5]");  // heads 2 and 3 share K head 1
}

/// A weight and its arithmetic agree as far down as float32 has normal numbers, and below that both
/// are 0 and the rule says so.
TEST_F(Explain, ASmallWeightIsWhatItsTermsSay) {
  const auto weightAt = [](const std::string& score) {
    return jsonOf({"explain", "--text", "a b", "--d-model", "4", "--heads", "1", "--pin",
                   "scores[0,0,0,0]=0", "--pin", "scores[0,0,0,1]=" + score, "--step", "softmax",
                   "--row", "0", "--col", "1"});
  };
  for (const char* score : {"-79", "-81", "-85", "-87"}) {
    const json cell = weightAt(score);
    const double expected = cell["terms"][1]["product"].get<double>() / cell["sum"].get<double>();
    EXPECT_NEAR(cell["value"].get<double>() / expected, 1.0, 1e-5) << score;
    EXPECT_EQ(cell["rule"].get<std::string>().find("below"), std::string::npos) << cell["rule"];
  }
  for (const char* score : {"-88", "-95", "-1000"}) {
    const json cell = weightAt(score);
    EXPECT_EQ(cell["value"], 0.0) << score;
    EXPECT_NE(cell["rule"].get<std::string>().find(
                  "; below float32's smallest normal number (1.18e-38): 0"),
              std::string::npos)
        << cell["rule"];
  }
}

TEST_F(Explain, TheBiasIsTheLastTerm) {
  const json output = explain({"--step", "output"});
  EXPECT_EQ(output["index"], json({0, 0, 0}));
  ASSERT_EQ(output["terms"].size(), 33U);
  EXPECT_EQ(output["terms"][32]["left"], "b_O[0]");
  EXPECT_EQ(output["terms"][32]["right"], "1");
}

TEST_F(Explain, AMaskedCellIsMinusInfinity) {
  const json masked = explain({"--step", "mask", "--row", "1", "--col", "2"});
  EXPECT_EQ(masked["value"], "-inf");
  EXPECT_NE(masked["rule"].get<std::string>().find("causal"), std::string::npos);
  EXPECT_EQ(explain({"--step", "softmax", "--row", "1", "--col", "2"})["value"], 0.0);
}

TEST_F(Explain, TheTextStartsWithTheLargestTerms) {
  const CliResult text =
      runProgram({"explain", "--step", "score", "--head", "5", "--row", "2", "--col", "1"});
  EXPECT_EQ(text.out.rfind("raw_scores[0, 5, 2, 1] = ", 0), 0U) << text.out;
  EXPECT_NE(text.out.find("query 2 'sat', key 1 'cat'"), std::string::npos);
  EXPECT_NE(text.out.find("and 52 more terms"), std::string::npos);
  EXPECT_NE(text.out.find("sum of 64 terms"), std::string::npos);
  const CliResult softmax = runProgram({"explain", "--step", "softmax"});
  EXPECT_NE(softmax.out.find("exp("), std::string::npos);
  EXPECT_NE(softmax.out.find("\nmaximum "), std::string::npos);
  const CliResult masked = runProgram({"explain", "--step", "mask", "--col", "3", "--causal"});
  EXPECT_NE(masked.out.find("= −∞"), std::string::npos);
}

TEST_F(Explain, WrongCellsAreNamedWithTheirRange) {
  expectRefused({"explain", "--step", "guess"}, {"'guess'", "project", "output"});
  for (const char* step : {"project", "concat", "output"}) {
    expectRefused({"explain", "--step", step, "--head", "1"}, {"--head 1", "no head"});
  }
  expectRefused({"explain", "--step", "score", "--head", "8"}, {"--head 8", "heads 0 to 7"});
  expectRefused({"explain", "--step", "score", "--row", "6"}, {"--row 6", "rows 0 to 5"});
  expectRefused({"explain", "--step", "score", "--col", "-1"}, {"--col -1", "columns 0 to 5"});
  expectRefused({"explain", "--step", "weigh", "--col", "64"}, {"--col 64", "0 to 63"});
  expectRefused({"explain", "--step", "score", "--item", "1"}, {"--item 1", "items 0 to 0"});
  expectRefused({"explain", "--step", "score", "--tensor", "k"}, {"--tensor k", "raw_scores"});
  expectRefused({"explain", "--step", "split", "--tensor", "x"}, {"--tensor"});
  expectRefused({"explain", "--step", "split", "--tensor", "k", "--kv-heads", "2", "--head", "2"},
                {"--head 2", "key/value heads 0 to 1"});
}

TEST_F(Explain, TakesGradientsApart) {
  const std::vector<std::vector<std::string>> cells = {
      {"--tensor", "x", "--row", "1", "--col", "31"},
      {"--tensor", "W_K", "--row", "15", "--col", "3"},
      {"--tensor", "b_V", "--col", "3"},
      {"--step", "project", "--tensor", "v", "--row", "3"},
      {"--step", "split", "--tensor", "k", "--head", "1", "--row", "2", "--col", "7"},
      {"--step", "score", "--head", "3", "--row", "2", "--col", "1"},
      {"--step", "scale", "--head", "3", "--row", "2", "--col", "1"},
      {"--step", "softmax", "--head", "3", "--row", "2", "--col", "1"},
      {"--step", "concat", "--row", "2", "--col", "29"}};
  for (auto cell : cells) {
    cell.emplace_back("--grad");
    const json e = explain(cell);
    EXPECT_TRUE(e["tensor"].get<std::string>().starts_with("grad.")) << e["tensor"];
    EXPECT_NEAR(e["value"].get<double>(), e["sum"].get<double>(), 1e-4) << e["tensor"];
    EXPECT_FALSE(e["terms"].empty());
  }
  const json softmax =
      explain({"--grad", "--step", "mask", "--head", "3", "--row", "2", "--col", "1"});
  ASSERT_EQ(softmax["terms"].size(), 4U);
  const json& own = softmax["terms"][1];
  // the terms are weight times gradient, the left factor the gradient
  EXPECT_NEAR(softmax["value"].get<double>(),
              own["right_value"].get<double>() *
                  (own["left_value"].get<double>() - softmax["sum"].get<double>()),
              1e-5);
}

TEST_F(Explain, WrongGradientsAreNamed) {
  expectRefused({"explain", "--grad"}, {"--step is required"});
  expectRefused({"explain", "--grad", "--tensor", "W_Z"}, {"--tensor W_Z"});
  expectRefused({"explain", "--grad", "--tensor", "memory"}, {"--tensor memory"});
  expectRefused({"explain", "--grad", "--tensor", "W_Q", "--item", "0"}, {"--item 0"});
  expectRefused({"explain", "--grad", "--tensor", "b_Q", "--row", "0"}, {"--row 0"});
  expectRefused({"explain", "--step", "score", "--grad-output", path("none")}, {"--grad"});
}

}  // namespace
}  // namespace headscope
