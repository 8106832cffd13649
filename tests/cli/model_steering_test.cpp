// A model that is steered by the flags --steer-….
#include "core/formats/numpy_files.h"
#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

std::vector<std::string> steered(const std::vector<std::string>& flags) {
  std::vector<std::string> all{"model", dataFile("tiny-gpt2")};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

class SteeredModel : public InFolder {};

/// Steering by a text, by a file of the same direction, and by nothing.
TEST_F(SteeredModel, IsThatOfATextOrOfAFile) {
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"--text", "The cat sat", "--no-heads", "--generate", "3"});
    return jsonOf(steered(flags));
  };
  const json plain = run({});
  EXPECT_FALSE(plain.contains("steering"));
  const std::vector<std::string> texts{
      "--steer-layer",   "1",       "--steer-from",     "on the mat",
      "--steer-against", "The dog", "--steer-strength", "30"};
  const json byTexts = run(texts);
  EXPECT_EQ(byTexts["steering"]["layer"], 1);
  EXPECT_EQ(byTexts["steering"]["strength"], 30.0);
  EXPECT_TRUE(byTexts["steering"]["place"].is_null());
  EXPECT_GT(byTexts["steering"]["length"].get<double>(), 1.0);
  EXPECT_NE(byTexts["predictions"], plain["predictions"]);
  EXPECT_NE(byTexts["generated"], plain["generated"]);
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), texts.begin(), texts.end());
    return run(flags);
  };
  const json atOne = with({"--steer-place", "1"});
  EXPECT_EQ(atOne["predictions"][0], plain["predictions"][0]);
  EXPECT_NE(atOne["predictions"][2], plain["predictions"][2]);
  EXPECT_NE(with({"--steer-head", "0.2"})["steering"]["length"], byTexts["steering"]["length"]);
  EXPECT_NE(with({"--steer-at", "0"})["steering"]["length"], byTexts["steering"]["length"]);
  std::vector<std::string> none = texts;
  none.back() = "0";
  EXPECT_EQ(run(none)["predictions"], plain["predictions"]);

  std::vector<float> direction(32);
  for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = static_cast<float>(i) - 9.5F;
  const Tensor tensor = Tensor::fromValues({32}, direction);
  formats::writeNpy(path("d.npy"), tensor);
  writeSafetensors(path("d.safetensors"),
                   {{"other", tensor.slice(0, 0, 3).clone()}, {"d", tensor}});
  const json byNpy = run({"--steer-layer", "0", "--steer-file", path("d.npy")});
  EXPECT_NE(byNpy["predictions"], plain["predictions"]);
  EXPECT_EQ(byNpy["predictions"],
            run({"--steer-layer", "0", "--steer-file", path("d.safetensors:d")})["predictions"]);
  const auto refused = [&](std::vector<std::string> flags, const std::vector<std::string>& parts) {
    flags.insert(flags.begin(), {"--text", "The cat"});
    expectRefused(steered(flags), parts);
  };
  refused({"--steer-layer", "0"}, {"--steer-from", "--steer-file"});
  refused({"--steer-layer", "2", "--steer-from", "a"}, {"--steer-layer 2", "0 to 1"});
  refused({"--steer-from", "a"}, {"--steer-layer"});
  refused({"--steer-layer", "0", "--steer-from", "a", "--steer-at", "9"}, {"--steer-at 9"});
  refused({"--steer-layer", "0", "--steer-file", path("d.safetensors")}, {"2 tensors", "name one"});
  refused({"--steer-layer", "0", "--steer-file", path("d.safetensors:other")},
          {"3 coordinates", "32"});
}

}  // namespace
}  // namespace headscope
