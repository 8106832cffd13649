// The program where no display is, or an output that is full.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

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

TEST(Arguments, ALinkNeedsADisplay) {
  ::unsetenv("DISPLAY");
  ::unsetenv("WAYLAND_DISPLAY");
  expectRefused({"https://example.org/#s1." + std::string(5000, 'p')},
                {"there is no display to open the link on"});
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

}  // namespace
}  // namespace headscope
