#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

class Render : public InFolder {
 protected:
  /// The bytes of the picture.
  std::string picture(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"render", "--out", path("p.png"), "--size", "320x200"});
    const CliResult result = runProgram(flags);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("p.png"), std::string::npos);
    std::ifstream file(path("p.png"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

std::uint32_t bigEndian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  }
  return value;
}

TEST_F(Render, WritesAPictureOfTheSize) {
  const std::string png = picture({});
  ASSERT_GT(png.size(), 100U);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(bigEndian(png, 16), 320U);
  EXPECT_EQ(bigEndian(png, 20), 200U);
}

TEST_F(Render, FlagsChangeThePicture) {
  const std::string plain = picture({});
  EXPECT_EQ(plain, picture({"--view", "flow", "--theme", "light", "--scale", "1"}));
  EXPECT_NE(plain, picture({"--theme", "dark"}));
  EXPECT_NE(plain, picture({"--scale", "1.5"}));
  EXPECT_NE(plain, picture({"--view", "heads"}));
  const std::string score = picture({"--view", "step", "--step", "score"});
  EXPECT_NE(score, picture({"--view", "step", "--step", "softmax"}));
  EXPECT_NE(score, picture({"--view", "step", "--step", "score", "--head", "3"}));
  EXPECT_NE(score, picture({"--view", "step", "--step", "score", "--d-model", "64"}));
}

TEST_F(Render, TheStageStandsOnTheWordOnWhichTheWindowOpens) {
  EXPECT_EQ(picture({"--view", "stage"}),
            picture({"--view", "stage", "--head", "1", "--row", "8"}));  // “slept” looks at “cat”
}

TEST_F(Render, AMomentOfTheTimeline) {
  const std::string start = picture({"--view", "step", "--moment", "0"});
  EXPECT_EQ(start, picture({"--view", "step", "--moment", "0.5"}));  // the same moment
  EXPECT_NE(start, picture({"--view", "step", "--moment", "30"}));
  EXPECT_NE(start, picture({"--view", "step", "--step", "project"}));
  EXPECT_NE(start, picture({"--view", "step", "--moment", "0", "--row", "2"}));
}

TEST_F(Render, BadFlagsLeaveNoFile) {
  const auto refused = [&](std::vector<std::string> flags, const std::vector<std::string>& parts) {
    flags.insert(flags.begin(), {"render", "--out", path("p.png")});
    expectRefused(flags, parts);
  };
  refused({"--size", "big"}, {"--size big", "1600x1000"});
  refused({"--size", "0x100"}, {"--size 0x100"});
  refused({"--size", "1000000x1000000"}, {"--size"});
  refused({"--size", "100x100x100"}, {"--size"});
  refused({"--view", "list"}, {"--view"});
  refused({"--moment", "-1"}, {"--moment"});
  refused({"--moment", "soon"}, {"--moment"});
  refused({"--moment", "1", "--view", "heads"}, {"--moment", "give --view stage, flow or step"});
  refused({"--theme", "blue"}, {"--theme"});
  refused({"--scale", "0.1"}, {"--scale"});
  refused({"--scale", "nan"}, {"--scale", "'nan'"});
  refused({"--step", "guess"}, {"'guess'"});
  refused({"--step", "score", "--head", "8"}, {"--head 8"});
  refused({"--step", "output", "--head", "8"}, {"--head 8"});
  refused({"--row", "14"}, {"--row 14"});
  refused({"--item", "1"}, {"--item 1"});
  refused({"--heads", "7"}, {"7 heads"});
  refused({"--shader-dir", path("none")}, {"--shader-dir"});
  EXPECT_TRUE(folderIsEmpty());
}

TEST_F(Render, ARefusedPassLeavesNoFile) {
  const std::string input = path("huge.safetensors");
  writeSafetensors(input, {{"x", Tensor::fromValues({2, 8}, std::vector<float>(2 * 8, 3e38F))}});
  const CliResult run = runProgram({"run", "--input", input, "--heads", "2"});
  ASSERT_EQ(run.status, 2) << run.err;
  const CliResult render =
      runProgram({"render", "--input", input, "--heads", "2", "--out", path("p.png")});
  EXPECT_EQ(render.status, 2);
  EXPECT_EQ(render.out, "");
  EXPECT_EQ(render.err, run.err);
  EXPECT_FALSE(std::filesystem::exists(path("p.png")));
}

TEST_F(Render, AnUnwritablePictureIsNamed) {
  expectRefused({"render", "--out", path("none/p.png"), "--size", "320x200"}, {"none/p.png"});
  EXPECT_TRUE(folderIsEmpty());
}

}  // namespace
}  // namespace headscope
