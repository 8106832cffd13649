// learn: weights that learned attention from sentences, in a file that other commands read; and
// `--init learned`.
#include <string>
#include <vector>

#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

/// The text that a command writes to stderr while it works.
std::string printedBy(const std::vector<std::string>& arguments, CliResult& result) {
  testing::internal::CaptureStderr();
  result = runProgram(arguments);
  return testing::internal::GetCapturedStderr();
}

class Learn : public InFolder {};

TEST_F(Learn, WritesAFileThatOtherCommandsRead) {
  const std::string file = path("learned.safetensors");
  const auto json = jsonOf({"learn", "--d-model", "32", "--heads", "4", "--steps", "6", "--seed",
                            "5", "--f16", "--out", file});
  EXPECT_EQ(json["steps"], 6);
  EXPECT_EQ(json["config"]["d_model"], 32);
  EXPECT_EQ(json["questions"].size(), 8U);
  EXPECT_EQ(json["questions"][3]["heads"], nlohmann::json({1}));
  EXPECT_EQ(json["heads"].size(), 4U);
  EXPECT_GT(json["heads"][0]["weight_on_partner"]["prev"], 0.0);
  const SafetensorsFile written(file);
  EXPECT_EQ(written.dtype("in_proj_weight"), "F16");
  EXPECT_EQ(written.metadata().at("trained_for"),
            R"([["prev","subj"],["adj","mod"],["det","pobj"],["pron","verb"]])");
  const auto pass = jsonOf({"run", "--weights", file, "--heads", "4", "--text", "a cat"});
  EXPECT_EQ(pass["config"]["d_model"], 32);
}

TEST_F(Learn, SaysHowFarItIsAndWhatCameOut) {
  CliResult run;
  const std::string printed =
      printedBy({"learn", "--d-model", "32", "--heads", "2", "--steps", "20"}, run);
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(printed.find("step 20 of 20: loss "), std::string::npos) << printed;
  EXPECT_NE(run.out.find("which word is before it?"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("head 2: 0."), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("not written; --out"), std::string::npos) << run.out;
}

TEST_F(Learn, FromSeries) {
  const auto json =
      jsonOf({"learn", "--channels", "2", "--d-model", "32", "--heads", "8", "--steps", "2"});
  EXPECT_EQ(json["learned_from"], "generated series of 2 channels");
  EXPECT_EQ(json["questions"][4]["name"], "spike");
  EXPECT_EQ(json["questions"][4]["heads"], nlohmann::json({4}));
  EXPECT_GT(json["heads"][0]["weight_on_partner"]["prev"], 0.0);
  CliResult run;
  printedBy({"learn", "--channels", "1", "--d-model", "16", "--heads", "2", "--steps", "1"}, run);
  EXPECT_NE(run.out.find("where was the latest spike?"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("right"), std::string::npos) << run.out;
}

TEST_F(Learn, RefusesInASentence) {
  expectRefused({"learn", "--channels", "0"}, {"--channels", "sentences"});
  expectRefused({"learn", "--d-model", "10", "--heads", "4"}, {"10"});
  expectRefused({"learn", "--steps", "0"}, {"--steps"});
  expectRefused({"learn", "--f16"}, {"--f16", "--out"});
  expectRefused({"learn", "--bf16"}, {"--bf16", "--out"});
  expectRefused({"learn", "--f16", "--bf16", "--out", path("l.safetensors")}, {"--bf16", "--f16"});
  expectRefused({"learn", "--seq-len", "4"}, {"--seq-len"});
  expectRefused({"learn", "--d-model", "16", "--heads", "2", "--steps", "1", "--out",
                 "/nowhere/learned.safetensors"},
                {"--out", "/nowhere/learned.safetensors", "there is no folder /nowhere"});
}

TEST(InitLearned, ComesWithTheProgramOrIsLearnedNow) {
  CliResult run;
  EXPECT_EQ(printedBy({"run", "--init", "learned", "--text", "The cat sat"}, run), "");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("learned (from generated sentences), seed 1"), std::string::npos);
  const std::string printed = printedBy(
      {"run", "--init", "learned", "--d-model", "32", "--heads", "2", "--text", "The cat sat"},
      run);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(printed.find("learning, step "), std::string::npos) << printed;
  expectRefused({"run", "--init", "learned", "--input", dataFile("cat_d64_h8_t6.safetensors"),
                 "--heads", "8"},
                {"--init learned", "--input"});
}

TEST(InitLearned, OfASeriesIsLearnedFromSeries) {
  CliResult run;
  const std::string printed = printedBy(
      {"run", "--init", "learned", "--preset", "rul", "--d-model", "32", "--heads", "2"}, run);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(printed.find("learning, step "), std::string::npos) << printed;
  EXPECT_NE(run.out.find("learned (from generated series of 3 channels), seed 1"),
            std::string::npos)
      << run.out;
}

/// The relation each head was trained for, in words and as data.
TEST(InitLearned, HeadsAreSaidToBeTrainedForTheirQuestions) {
  const std::string text = "The cat, which was very fluffy, slept by the warm fire.";
  const CliResult run = runProgram({"run", "--init", "learned", "--text", text});
  EXPECT_NE(run.out.find("head 2: trained for Verb → its subject"), std::string::npos) << run.out;
  const auto report = jsonOf({"analyze", "--init", "learned", "--text", text});
  for (const auto& head : report.at("heads")) {
    EXPECT_GT(head.at("made_for_score").get<double>(), 0.5) << head;
    EXPECT_GE(head.at("label_score").get<double>(), head.at("made_for_score").get<double>());
  }
  EXPECT_EQ(report.at("heads").at(1).at("made_for"), "Verb → its subject");
  const auto unread = jsonOf({"analyze", "--init", "learned", "--text", "of the of the of"});
  EXPECT_TRUE(unread.at("heads").at(1).at("made_for_score").is_null());
}

}  // namespace
}  // namespace headscope
