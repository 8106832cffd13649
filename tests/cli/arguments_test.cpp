#include <regex>

#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

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
  expectRefused({"render"}, {"--out F.png", "--film F.webp"});
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
  expectRefused({"--heads", "4", "run"}, {"--heads", "'run'", "write flags after"});
  expectRefused({"--theme", "dark", "run"}, {"unknown flag --theme for 'run'", "run --help"});
}

/// Two flags of which one would have no effect are refused, and the message names both.
TEST(Arguments, ContradictionsAreRefused) {
  const std::string model = std::string(HEADSCOPE_TEST_DATA) + "/tiny-gpt2";
  const auto patched = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"model", model, "--text", "The cat sat", "--patch", "0.1"});
    return flags;
  };
  expectRefused(patched({"--patch-with", "zero", "--patch-text", "The dog sat"}),
                {"--patch-with", "--patch-text"});
  expectRefused(patched({"--patch-ids", "1,2,3", "--patch-with", "mean"}),
                {"--patch-with", "--patch-ids"});
  expectRefused(patched({"--patch-ids", "1,2,3", "--patch-text", "The dog sat"}),
                {"--patch-text", "--patch-ids"});
  for (const char* flag : {"--top-k", "--seed"}) {  // nothing is sampled
    expectRefused({"model", model, "--text", "a", "--generate", "2", flag, "3"},
                  {flag, "--temperature"});
  }
  expectRefused({"run", "--pin", "weights[0,1,2,0]=0.5", "--pin", "weights[0, 1, 2, 0]=0.25"},
                {"--pin weights[0,1,2,0]=0.5", "--pin weights[0, 1, 2, 0]=0.25"});
  expectRefused({"run", "--model", model, "--layer", "0", "--text", "a", "--scene", "1"},
                {"--scene", "--session"});
}

TEST(Arguments, WhatIsOpenedAndFlagsDoNotContradict) {
  expectRefused({"w.safetensors", "--weights", "other.safetensors"},
                {"w.safetensors", "--weights", "leave one of them out"});
  expectRefused({"https://example.org/#s1.abc", "--heads", "4"}, {"link", "--heads"});
  expectRefused({"https://example.org/#s1.abc", "--session", "s.headscope.json"},
                {"link", "--session"});
  expectRefused({"engine.csv", "--text", "a"}, {"engine.csv", "--text"});
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
