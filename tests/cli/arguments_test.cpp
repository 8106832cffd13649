#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

/// Runs the program without a display; its output files go into the folder.
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
  expectRefused({"--heads", "4", "run"}, {"--heads", "'run'", "write flags after"});
  expectRefused({"--theme", "dark", "run"}, {"unknown flag --theme for 'run'", "run --help"});
}

TEST(Arguments, TheShippedModelOpensByItsName) {
  const TempFolder folder;
  const CliResult model = withoutDisplayIn(folder, {"headscope:induction"});
  EXPECT_EQ(model.status, 0) << model.err;
  for (const char* part : {"headscope induction: ", " layers, ", "render --model"}) {
    EXPECT_NE(model.out.find(part), std::string::npos) << "no \"" << part << "\" in " << model.out;
  }
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

TEST(Arguments, AModelWithoutADisplayLeavesNoFile) {
  const TempFolder folder;
  const std::string model = std::string(HEADSCOPE_TEST_DATA) + "/tiny-gpt2";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"model", model}, {model}, {"headscope:induction"}}) {
    const CliResult result = withoutDisplayIn(folder, command);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("No display here"), std::string::npos) << result.out;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << command.back();
  }
}

TEST(Arguments, ADisplayThatDoesNotAnswerIsRefusedAndRenderNamed) {
  ::setenv("DISPLAY", ":98765", 1);
  expectRefused({}, {"no display", "headscope render"});
  ::unsetenv("DISPLAY");
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

/// Runs the program itself with an output device that is always full.
TEST(Arguments, OutputThatCannotBeWrittenIsAnError) {
  const std::string model = std::string(HEADSCOPE_TEST_DATA) + "/tiny-gpt2";
  const std::string explain = "explain --preset by-hand --step score --head 0 --row 0 --col 0";
  for (const std::string& command :
       {std::string("--help"), std::string("run --help"), std::string("--version"),
        std::string("info"), std::string("info --presets --json"), std::string("run"),
        std::string("run --json"), explain, explain + " --json", std::string("analyze"),
        std::string("analyze --csv"), "model '" + model + "' --text a",
        "model '" + model + "' --text a --json", "tokenize '" + model + "' --text a",
        "tokenize '" + model + "' --text a --json", std::string("learn --steps 1 --d-model 64")}) {
    SCOPED_TRACE(command);
    const TempFolder folder;
    const std::string error = (folder / "error").string();
    const int status = std::system(
        ("'" HEADSCOPE_PROGRAM "' " + command + " > /dev/full 2> '" + error + "'").c_str());
    ASSERT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), 2);
    EXPECT_NE(readAll(error).find("headscope: the standard output cannot be written"),
              std::string::npos)
        << readAll(error);
  }
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
