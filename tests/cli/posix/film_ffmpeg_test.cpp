// Films by ffmpeg: what it is given, its failures, and what is said where it is not installed. A
// script stands for it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class FilmByFfmpeg : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    before_ = std::getenv("PATH");
    fs::create_directory(path("bin"));
    fs::create_directory(path("out"));
  }
  void TearDown() override {
    ::setenv("PATH", before_.c_str(), 1);
    InFolder::TearDown();
  }

  /// Lets `script` be the installed ffmpeg; its last argument is the file that it writes.
  void install(const std::string& script) {
    const std::string program = write("bin/ffmpeg", "#!/bin/sh\n" + script);
    fs::permissions(program, fs::perms::owner_all);
    ::setenv("PATH", (path("bin") + ":" + before_).c_str(), 1);
  }
  std::vector<std::string> command() const {
    return {"render",    "--preset", "by-hand", "--view", "step",   "--size",         "320x200",
            "--seconds", "0.5",      "--fps",   "10",     "--film", path("out/f.mp4")};
  }
  std::string contents(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool outIsEmpty() const { return fs::is_empty(path("out")); }

 private:
  std::string before_;
};

TEST_F(FilmByFfmpeg, GetsEveryPicture) {
  install("echo \"$@\" > '" + path("arguments") +
          "'\nfor file; do :; done\ncat > \"${file#file:}\"\n");
  const CliResult result = runProgram(command());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(contents("out/f.mp4").size(), 5U * 320 * 200 * 4);
  const std::string arguments = contents("arguments");
  EXPECT_NE(arguments.find("-video_size 320x200 -framerate 10"), std::string::npos) << arguments;
  EXPECT_EQ(std::distance(fs::directory_iterator(path("out")), {}), 1);
}

TEST_F(FilmByFfmpeg, ItsFailureIsSaidInItsWords) {
  install("cat > /dev/null\necho 'Unknown encoder libx264' >&2\nexit 1\n");
  expectRefused(command(), {"out/f.mp4", "ffmpeg", "Unknown encoder libx264", ".webp or .gif"});
  EXPECT_TRUE(outIsEmpty());
}

TEST_F(FilmByFfmpeg, ThatEndsEarlyIsSaid) {
  install("echo 'no' >&2\nexit 1\n");
  expectRefused(command(), {"ffmpeg", "no"});
  EXPECT_TRUE(outIsEmpty());
}

TEST_F(FilmByFfmpeg, MissingIsSaid) {
  ::setenv("PATH", path("bin").c_str(), 1);
  expectRefused(command(), {"out/f.mp4", "ffmpeg", "not installed", ".webp or .gif"});
  EXPECT_TRUE(outIsEmpty());
}

}  // namespace
}  // namespace headscope
