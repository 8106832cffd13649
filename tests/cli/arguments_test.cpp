#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

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

TEST(Arguments, FlagsBeforeTheCommandAreNotLost) {
  expectRefused({"--heads", "4", "run"}, {"--heads", "'run'"});
}

TEST(Arguments, WithoutADisplayTheBareCommandNamesRender) {
  ::unsetenv("DISPLAY");
  ::unsetenv("WAYLAND_DISPLAY");
  expectRefused({}, {"no display", "headscope render"});
}

TEST(Arguments, TheBareCommandTakesAPass) {
  expectRefused({"--heads", "7"}, {"7 heads", "4, 8"});
  expectRefused({"--scale", "9"}, {"--scale"});
  expectRefused({"--shader-dir", "/nonexistent"}, {"--shader-dir"});
}

}  // namespace
}  // namespace headscope
