// The train command for language models: what it prints and writes, and what it refuses.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

using nlohmann::json;

std::vector<std::string> trainStories(std::vector<std::string> flags) {
  std::vector<std::string> all{"train",     "--task",    "stories", "--layers", "1",
                               "--d-model", "16",        "--heads", "2",        "--batch",
                               "2",         "--context", "48"};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

class TrainLanguage : public InFolder {};

TEST_F(TrainLanguage, GivesLossAnswersAndHeads) {
  const json result = jsonOf(trainStories({"--steps", "3", "--save-model", path("model")}));
  EXPECT_EQ(result["task"], "stories");
  EXPECT_EQ(result["steps"], 3);
  ASSERT_EQ(result["loss"].size(), 2U);
  EXPECT_EQ(result["loss"][1][0], 3);
  std::vector<std::string> questions;
  for (const auto& item : result["accuracy"].items()) questions.push_back(item.key());
  EXPECT_EQ(questions,
            (std::vector<std::string>{"agree", "box", "give", "pronoun", "song", "thank"}));
  ASSERT_EQ(result["relations"].size(), 6U);
  for (const json& relation : result["relations"]) {
    EXPECT_EQ(relation.at("layer"), 0);
    EXPECT_GT(relation.at("mass").get<double>(), 0.0);
    EXPECT_TRUE(relation.at("found_at_step").is_null());
    const json& missed = relation.at("most_missed");
    const json& right = result["accuracy"][relation.at("name").get<std::string>()];
    if (!missed.is_null()) {
      EXPECT_LT(missed.at("accuracy_without"), right);
    }
  }
  ASSERT_EQ(result["similarity"].size(), 1U);
  EXPECT_EQ(result["similarity"][0][1][1], 1.0);
  EXPECT_TRUE(result["sample"].get<std::string>().starts_with("One day Mia and Leo went"));
  const json said = jsonOf({"model", path("model"), "--text", "One day Mia and Leo went to the"});
  EXPECT_EQ(said["config"]["model_type"], "gpt2");
  EXPECT_EQ(said["tokens"].back(), "the");
}

TEST_F(TrainLanguage, WritesTheSameBitsOnEveryNumberOfThreads) {
  const auto trained = [&](const std::string& threads) {
    runProgram(trainStories({"--steps", "4", "--threads", threads, "--save-model", path(threads)}));
    return readAll(path(threads + "/model.safetensors"));
  };
  const std::string one = trained("1");
  EXPECT_GT(one.size(), 10'000U);
  EXPECT_EQ(one, trained("2"));
}

TEST_F(TrainLanguage, ASavedRunContinues) {
  jsonOf(trainStories({"--steps", "2", "--save", path("run")}));
  // the rate falls to 0 at the last step, so the number of steps is part of a run's way
  const json more =
      jsonOf({"train", "--from", path("run"), "--steps", "4", "--log", path("c.csv")});
  EXPECT_EQ(more["steps"], 4);
  const std::string csv = readAll(path("c.csv"));
  EXPECT_TRUE(csv.starts_with("step,loss,gradient_length,held_out_loss,accuracy_agree")) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);
  expectRefused({"train", "--from", path("run"), "--context", "64"}, {"--context", "fixed"});
  expectRefused({"train", "--from", path("run"), "--heads", "4"}, {"--heads", "fixed"});
}

TEST_F(TrainLanguage, LearnsFromOnesOwnText) {
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "the cat sat on mat " + std::to_string(i % 7) + ". ";
  write("book.txt", text);
  const std::vector<std::string> command{
      "train",     "--task",    "text",    "--text", path("book.txt"), "--layers", "1",
      "--d-model", "16",        "--heads", "2",      "--batch",        "2",        "--steps",
      "2",         "--context", "16"};
  for (const char* kind : {"words", "bpe", "characters"}) {
    std::vector<std::string> flags = command;
    flags.insert(flags.end(),
                 {"--cut-into", kind, "--vocabulary", "320", "--save-model", path(kind)});
    const json result = jsonOf(flags);
    EXPECT_TRUE(result["accuracy"].empty());
    EXPECT_TRUE(result["relations"].empty());
    ASSERT_EQ(result["labels"].size(), 2U);
    EXPECT_EQ(result["labels"][1]["head"], 1);
    EXPECT_NE(result["labels"][0]["rule"].get<std::string>().find("of 20 texts"),
              std::string::npos);
    EXPECT_EQ(jsonOf({"model", path(kind), "--text", "the cat sat"})["config"]["layers"], 1);
  }
  expectRefused({"train", "--task", "text"}, {"--text FILE"});
  expectRefused({"train", "--task", "text", "--text", path("none.txt")}, {"none.txt"});
  expectRefused(trainStories({"--text", path("book.txt")}), {"--text", "--task text"});
  expectRefused({"train", "--task", "cards", "--rotary"}, {"--rotary", "--task stories"});
  expectRefused({"train", "--task", "cards", "--text", path("book.txt")}, {"with --task text"});
}

TEST_F(TrainLanguage, RefusesSizesThatCannotBeBeforeItReadsAnything) {
  expectRefused({"train", "--task", "stories", "--heads", "5"}, {"192", "5"});
  expectRefused({"train", "--task", "stories", "--context", "20"}, {"context is 20", "48"});
  expectRefused({"train", "--task", "stories", "--layers", "99"}, {"layers is 99"});
}

}  // namespace
}  // namespace headscope
