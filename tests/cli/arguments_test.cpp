#include <filesystem>
#include <regex>

#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

/// What it writes lies in the folder.
CliResult withoutDisplayIn(const TempFolder& folder, const std::vector<std::string>& arguments) {
  ::unsetenv("DISPLAY");
  ::unsetenv("WAYLAND_DISPLAY");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  CliResult result = runProgram(arguments);
  std::filesystem::current_path(before);
  return result;
}

TEST(Arguments, HelpNamesCommandsAndFlags) {
  const CliResult help = runProgram({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* word : {"info", "run", "explain", "render", "--preset", "--text"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  const CliResult explain = runProgram({"explain", "--help"});
  EXPECT_EQ(explain.status, 0);
  for (const char* word : {"--step", "--item", "--head", "--row", "--col", "--tensor", "--json"}) {
    EXPECT_NE(explain.out.find(word), std::string::npos) << word;
  }
}

TEST(Arguments, UnknownOnesAreNamed) {
  expectRefused({"draw"}, {"draw", "--help"});
  expectRefused({"run", "--colour"}, {"--colour", "headscope run --help"});
  expectRefused({"run", "7"}, {"7"});
  expectRefused({"run", "--heads"}, {"--heads"});
  expectRefused({"run", "--heads", "4", "--heads", "8"}, {"--heads"});
  expectRefused({"explain"}, {"--step is required"});
  expectRefused({"render"}, {"--out is required"});
}

TEST(Arguments, VersionIsPrinted) {
  const CliResult version = runProgram({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.err, "");
  EXPECT_TRUE(std::regex_match(version.out,
                               std::regex("headscope \\d+\\.\\d+\\.\\d+\n"
                                          "commit (unknown|[0-9a-f]{10}(\\+changes)?), [^\n]+, "
                                          "products by (oneDNN|Eigen)\n")))
      << version.out;
}

TEST(Arguments, FlagsBeforeTheCommandAreNotLost) {
  expectRefused({"--heads", "4", "run"}, {"--heads", "'run'", "flags come after"});
  expectRefused({"--theme", "dark", "run"}, {"--theme is no flag of 'run'", "run --help"});
}

TEST(Arguments, TheShippedModelOpensByItsName) {
  const TempFolder folder;
  const CliResult model = withoutDisplayIn(folder, {"headscope:induction"});
  EXPECT_EQ(model.status, 0) << model.err;
  EXPECT_NE(model.out.find("headscope induction with all its heads"), std::string::npos)
      << model.out;
  EXPECT_GT(std::filesystem::file_size(folder / "headscope.png"), 10'000U);
  expectRefused({"headscope:other"}, {"headscope:other", "headscope:induction"});
}

TEST(Arguments, WithoutADisplayTheBareCommandDrawsAPictureAndSummarises) {
  const TempFolder folder;
  const CliResult bare = withoutDisplayIn(
      folder, {"--heads", "4", "--text", "Birds sing.", "--trace", "t.safetensors"});
  EXPECT_EQ(bare.status, 0) << bare.err;
  EXPECT_NE(bare.out.find("No display here"), std::string::npos) << bare.out;
  EXPECT_NE(bare.out.find("4 heads, 3 tokens"), std::string::npos) << bare.out;
  EXPECT_GT(std::filesystem::file_size(folder / "headscope.png"), 10'000U);
  EXPECT_GT(std::filesystem::file_size(folder / "t.safetensors"), 10'000U);
}

TEST(Arguments, ADisplayThatDoesNotAnswerIsRefusedAndRenderNamed) {
  ::setenv("DISPLAY", ":98765", 1);
  expectRefused({}, {"no display", "headscope render"});
  ::unsetenv("DISPLAY");
}

TEST(Arguments, TheBareCommandTakesAPass) {
  expectRefused({"--heads", "7"}, {"7 heads", "4, 8"});
  expectRefused({"--scale", "9"}, {"--scale", "range"});
  for (const char* scale : {"nan", "inf", "-inf", "large", "1x", ""}) {
    expectRefused({"--scale", scale}, {"--scale", std::string("'") + scale + "' is not a finite"});
  }
  expectRefused({"--scale", "1e300"}, {"--scale"});
  expectRefused({"--scale", "1e400"}, {"--scale", "out of range"});
  expectRefused({"--shader-dir", "/nonexistent"}, {"--shader-dir"});
}

}  // namespace
}  // namespace headscope
