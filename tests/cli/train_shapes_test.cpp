// The train command for shapes: what it prints and writes, and what it refuses.
#include <string>
#include <vector>

#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

using nlohmann::json;

std::vector<std::string> trainShapes(std::vector<std::string> flags) {
  std::vector<std::string> all{"train", "--task",  "shapes", "--layers", "1", "--d-model",
                               "8",     "--heads", "2",      "--batch",  "4"};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

class TrainShapes : public InFolder {};

TEST_F(TrainShapes, GivesLossAccuracyAndWhereHeadsLook) {
  const json result = jsonOf(
      trainShapes({"--steps", "3", "--save-model", path("model"), "--log", path("log.csv")}));
  EXPECT_EQ(result["task"], "shapes");
  EXPECT_EQ(result["steps"], 3);
  ASSERT_EQ(result["loss"].size(), 2U);
  for (const char* shape : {"shape", "circle", "square", "triangle"}) {
    EXPECT_GE(result["accuracy"].at(shape).get<double>(), 0.0);
  }
  ASSERT_EQ(result["looks"].size(), 2U);
  const double touched = result["touched_tokens"];
  EXPECT_NEAR(touched, 0.19, 0.02);
  for (const json& head : result["looks"]) {
    EXPECT_EQ(head.at("layer"), 0);
    EXPECT_NEAR(head.at("on_shape").get<double>(), touched, 0.05) << "it has hardly learned";
  }
  EXPECT_EQ(result["relations"][0]["name"], "shape");
  EXPECT_EQ(result["similarity"].size(), 1U);
  EXPECT_TRUE(
      readAll(path("log.csv"))
          .starts_with(
              "step,loss,gradient_length,held_out_loss,accuracy,on_shape_0.0,on_shape_0.1\n0,,,"));
  const json said = jsonOf({"model", path("model"), "--image", "headscope:shapes/square"});
  EXPECT_EQ(said["config"]["model_type"], "vit");
  EXPECT_EQ(said["predictions"][0].size(), 3U);
}

TEST_F(TrainShapes, ContinuesFromASavedRunAndWritesTheSameBits) {
  runProgram(trainShapes({"--steps", "4", "--save-model", path("whole"), "--threads", "1"}));
  runProgram(trainShapes({"--steps", "4", "--save-model", path("threads"), "--threads", "2"}));
  EXPECT_EQ(readAll(path("whole/model.safetensors")), readAll(path("threads/model.safetensors")));
  runProgram(trainShapes({"--steps", "0", "--save", path("run")}));
  runProgram({"train", "--from", path("run"), "--steps", "4", "--save", path("run")});
  const std::string text = runProgram({"train", "--from", path("run"), "--steps", "4"}).out;
  EXPECT_NE(text.find("step 4: loss"), std::string::npos) << text;
  EXPECT_NE(text.find("on the shape"), std::string::npos) << text;
  EXPECT_NE(text.find("layer 1, head 2"), std::string::npos) << text;
}

TEST_F(TrainShapes, RefusesWhatCannotBe) {
  expectRefused(trainShapes({"--rotary"}), {"--rotary", "--task stories"});
  expectRefused({"train", "--task", "shapes", "--heads", "5"}, {"64", "5"});
  expectRefused({"model", "headscope:shapes", "--image", "headscope:shapes/star", "--json"},
                {"headscope:shapes/star", "headscope:shapes/triangle"});
  expectRefused({"tokenize", "headscope:shapes", "--text", "a"}, {"reads pictures", "--image"});
}

}  // namespace
}  // namespace headscope
