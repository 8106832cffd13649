#include <sstream>
#include <string>
#include <vector>

#include "core/analysis/head_metrics.h"
#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

const std::vector<std::string> kPass = {"--text",  "a b A c", "--d-model", "32",
                                        "--heads", "4",       "--init",    "normal"};

std::vector<std::string> analyze(std::vector<std::string> flags) {
  flags.insert(flags.begin(), "analyze");
  return flags;
}

class Analyze : public InFolder {};

TEST_F(Analyze, GivesEveryKeyOfEveryHead) {
  const json report = jsonOf(analyze(kPass));
  ASSERT_EQ(report["heads"].size(), 4U);
  ASSERT_EQ(report["similarity"].size(), 4U);
  for (std::size_t h = 0; h < 4; ++h) {
    const json& head = report["heads"][h];
    EXPECT_EQ(head["head"], h);
    for (const MetricInfo& m : metricsFor(false)) {
      EXPECT_TRUE(head.at(std::string(m.key)).is_number()) << m.key;
    }
    EXPECT_TRUE(head.at("label").is_string());
    EXPECT_TRUE(head.at("made_for").is_null());
    EXPECT_TRUE(head.at("made_for_score").is_null());
    EXPECT_TRUE(head.contains("label_score"));
    EXPECT_TRUE(head.at("label_rows").is_number_integer());
    EXPECT_FALSE(head.contains("undefined"));
    EXPECT_EQ(report["similarity"][h].size(), 4U);
    EXPECT_EQ(report["similarity"][h][h], 1.0);
    EXPECT_EQ(report["similarity"][h][0], report["similarity"][0][h]);
  }
}

TEST_F(Analyze, MeasuresThePassThatRunComputes) {
  std::vector<std::string> run = {"run", "--trace", path("t.safetensors")};
  run.insert(run.end(), kPass.begin(), kPass.end());
  ASSERT_EQ(runProgram(run).status, 0);
  const Tensor weights = SafetensorsFile(path("t.safetensors")).read("weights");
  const json report = jsonOf(analyze(kPass));
  for (Index h = 0; h < 4; ++h) {
    double self = 0.0, duplicate = 0.0;
    for (Index i = 0; i < 4; ++i) self += weights.at({0, h, i, i}) / 4.0;
    duplicate = (weights.at({0, h, 0, 2}) + weights.at({0, h, 2, 0})) / 2.0;
    const json& head = report["heads"][static_cast<std::size_t>(h)];
    EXPECT_NEAR(head["self"].get<double>(), self, 1e-6);
    EXPECT_NEAR(head["duplicate_token"].get<double>(), duplicate, 1e-6);
  }
}

TEST_F(Analyze, WhatIsNotDefinedIsNullAndSaysWhy) {
  const json report = jsonOf({"analyze", "--text", "one", "--d-model", "8", "--heads", "1"});
  const json& head = report["heads"][0];
  for (const char* key : {"previous_token", "next_token", "first_token", "normalized_entropy"}) {
    EXPECT_TRUE(head.at(key).is_null()) << key;
  }
  EXPECT_EQ(head["undefined"]["previous_token"], "one token only");
  EXPECT_EQ(head["undefined"]["duplicate_token"], "no token repeats");
  ASSERT_TRUE(head["label"].is_null());
  EXPECT_EQ(head["label_rows"], 0);
  EXPECT_EQ(head["undefined"]["label"],
            "no row has two or more keys to choose between, and a label needs 3 rows");
  EXPECT_EQ(report["similarity"], json::parse("[[1.0]]"));

  const json masked = jsonOf({"analyze", "--text", "a b", "--lengths", "0"});
  EXPECT_TRUE(masked["heads"][3]["entropy"].is_null());
  EXPECT_TRUE(masked["heads"][3]["label_score"].is_null());
  ASSERT_TRUE(masked["heads"][3]["label"].is_null());
  EXPECT_EQ(masked["heads"][3]["undefined"]["label"], "every row is fully masked");
  EXPECT_TRUE(masked["similarity"][1][1].is_null());
  EXPECT_EQ(masked["undefined"]["similarity"], "every row is fully masked");
}

TEST_F(Analyze, TheNumberOfRowsStandsNextToTheLabel) {
  const CliResult words = runProgram(analyze({"--init", "designed"}));
  EXPECT_NE(words.out.find("does here"), std::string::npos);
  EXPECT_NE(words.out.find("uniform attention:"), std::string::npos) << words.out;
  const CliResult csv = runProgram(analyze({"--csv"}));
  EXPECT_NE(csv.out.find(",label,label_score,label_rows,"), std::string::npos) << csv.out;
  EXPECT_NE(runProgram({"analyze", "--help"}).out.find("A label needs n"), std::string::npos);
}

TEST_F(Analyze, WeightsThatDoNotSumToOneAreNotMeasured) {
  const json report = jsonOf({"analyze", "--init", "designed", "--dropout", "0.9"});
  const std::string why = "a row's weights do not sum to 1 (dropout)";
  for (const json& head : report["heads"]) {
    for (const char* key : {"entropy", "normalized_entropy", "confidence", "self"}) {
      EXPECT_TRUE(head.at(key).is_null()) << key;
      EXPECT_EQ(head["undefined"][key], why);
    }
    EXPECT_TRUE(head["ablation"].is_number());
    ASSERT_TRUE(head["label"].is_null());
    EXPECT_EQ(head["undefined"]["label"], why);
    EXPECT_TRUE(head["label_score"].is_null());
  }
  EXPECT_TRUE(report["similarity"][0][0].is_null());
  EXPECT_EQ(report["undefined"]["similarity"], "in head 1 " + why);
  const json pinned = jsonOf({"analyze", "--pin", "weights[0,1,2,3]=5"});
  EXPECT_TRUE(pinned["heads"][0]["entropy"].is_number());
  EXPECT_TRUE(pinned["heads"][1]["entropy"].is_null());
  const CliResult words = runProgram(analyze({"--pin", "weights[0,1,2,3]=5"}));
  EXPECT_NE(words.out.find("entropy is not defined for 1 head: a row's weights do not sum to 1"),
            std::string::npos)
      << words.out;
}

TEST_F(Analyze, TakesABatchItemOrTheirMean) {
  const std::vector<std::string> texts = {"--text", "the cat the", "--text",
                                          "a b",    "--init",      "normal"};
  const auto of = [&](const std::string& item) {
    auto flags = analyze(texts);
    flags.insert(flags.end(), {"--item", item});
    return jsonOf(flags)["heads"][2];
  };
  const json first = of("0"), second = of("1"), mean = of("mean");
  EXPECT_EQ(jsonOf(analyze(texts))["heads"][2], first);
  EXPECT_NEAR(mean["entropy"].get<double>(),
              (first["entropy"].get<double>() + second["entropy"].get<double>()) / 2, 1e-12);
  EXPECT_TRUE(second["duplicate_token"].is_null());
  EXPECT_EQ(mean["duplicate_token"], first["duplicate_token"]);  // where it is defined
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream in(line + ",");
  for (std::string field; std::getline(in, field, ',');) found.push_back(field);
  return found;
}

TEST_F(Analyze, TheTableHoldsTheSameNumbers) {
  auto flags = analyze({"--text", "one two", "--d-model", "16", "--heads", "2"});
  const json report = jsonOf(flags);
  flags.emplace_back("--csv");
  std::istringstream lines(runProgram(flags).out);
  std::string line;
  std::getline(lines, line);
  const auto header = fields(line);
  ASSERT_EQ(header.size(), 1 + metricsFor(false).size() + 2 + 3 + 2);
  for (std::size_t h = 0; h < 2; ++h) {
    ASSERT_TRUE(std::getline(lines, line));
    const auto cells = fields(line);
    ASSERT_EQ(cells.size(), header.size());
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (header[i].rfind("similarity_", 0) == 0) {
        const auto other = static_cast<std::size_t>(std::stoi(header[i].substr(11)));
        EXPECT_EQ(std::stod(cells[i]), report["similarity"][h][other].get<double>());
        continue;
      }
      const json& value = report["heads"][h].at(header[i]);
      if (value.is_null()) {
        EXPECT_EQ(cells[i], "") << header[i];
      } else if (value.is_string()) {
        EXPECT_EQ(cells[i], value.get<std::string>());
      } else {
        EXPECT_EQ(std::stod(cells[i]), value.get<double>()) << header[i];
      }
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(Analyze, TheTextCountsHeadsFromOneAndNamesTheRule) {
  const CliResult text = runProgram(analyze({"--text", "a b c d e f", "--heads", "8"}));
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(
      text.out.find("Head 8  uniform    6  normalized entropy is 1.00 over 6 rows, at least 0.95"),
      std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("duplicate_token is not defined: no token repeats"), std::string::npos);
  const CliResult many = runProgram(analyze({"--heads", "32"}));
  EXPECT_NE(many.out.find("most alike: heads "), std::string::npos);
  EXPECT_NE(many.out.find("--json or --csv give all 32 × 32"), std::string::npos);
}

TEST_F(Analyze, RefusesWhatItCannotUse) {
  expectRefused(analyze({"--item", "1"}), {"--item 1", "items 0 to 0", "mean"});
  expectRefused(analyze({"--item", "all"}), {"--item", "'all'", "mean"});
  expectRefused(analyze({"--item", "-1"}), {"--item"});
  expectRefused(analyze({"--json", "--csv"}), {"--json", "--csv", "leave one"});
  expectRefused(analyze({"--heads", "7"}), {"512", "7"});
  expectRefused(analyze({"--step", "score"}), {"--step"});
  expectRefused(analyze({"--text", ""}), {"text", "empty"});
}

}  // namespace
}  // namespace headscope
