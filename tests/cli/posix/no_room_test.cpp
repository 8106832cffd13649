// No room and no right to write, for every command that writes: a sentence and status 2, the
// previous file unchanged, and no other file left.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/cli_test.h"
#include "tests/core/support/limits.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

struct Writing {
  std::string file;
  std::vector<std::string> command;
};

class NoRoom : public InFolder {
 protected:
  std::vector<Writing> all() const {
    std::vector<Writing> writings;
    const auto add = [&](const std::string& file, std::vector<std::string> command) {
      command.push_back(path(file));
      writings.push_back({file, std::move(command)});
    };
    add("t.safetensors", {"run", "--trace"});
    for (const char* ending : {"safetensors", "npy", "csv"}) {
      add(std::string("x.") + ending, {"export", "--tensor", "x", "--out"});
    }
    add("p.png", {"render", "--size", "640x400", "--out"});
    return writings;
  }

  template <typename Limit>
  void expectAllRefused(const Limit& limit, const std::string& reason) {
    for (const Writing& writing : all()) {
      SCOPED_TRACE(writing.file);
      write(writing.file, "the old one");
      {
        const auto holds = limit();
        expectRefused(writing.command, {"cannot write", writing.file, reason});
      }
      EXPECT_EQ(readAll(path(writing.file)), "the old one");
      fs::remove(path(writing.file));
      EXPECT_TRUE(folderIsEmpty());
    }
  }
};

TEST_F(NoRoom, OnAFullDisk) {
  expectAllRefused([] { return test::FileSizeLimit(4096); }, "File too large");
}

TEST_F(NoRoom, InAReadOnlyFolder) {
  expectAllRefused([this] { return test::ReadOnlyFolder(path("")); }, "Permission denied");
}

TEST_F(NoRoom, AScriptOnAFullDiskLeavesTheOldFolder) {
  const std::vector<std::string> command{"export", "--pytorch", path("check")};
  ASSERT_EQ(runProgram(command).status, 0);
  const std::string script = readAll(path("check/check_attention.py"));
  const std::string x = readAll(path("check/tensors/x.npy"));
  {
    const test::FileSizeLimit limit(4096);
    expectRefused({"export", "--pytorch", path("check"), "--text", "other words"},
                  {"cannot write", "check", "File too large"});
  }
  EXPECT_EQ(readAll(path("check/check_attention.py")), script);
  EXPECT_EQ(readAll(path("check/tensors/x.npy")), x);
  EXPECT_EQ(std::distance(fs::directory_iterator(path("check")), {}), 2);
  {
    const test::FileSizeLimit limit(4096);
    expectRefused({"export", "--pytorch", path("new")}, {"cannot write", "File too large"});
  }
  EXPECT_FALSE(fs::exists(path("new")));
}

TEST_F(NoRoom, ARunOrAModelOnAFullDiskLeavesNoFolder) {
  const std::vector<std::string> run{"train", "--task", "induction", "--steps", "1"};
  for (const char* flag : {"--save", "--save-model"}) {
    SCOPED_TRACE(flag);
    std::vector<std::string> command = run;
    command.insert(command.end(), {flag, path("a/b")});
    {
      const test::FileSizeLimit limit(4096);
      expectRefused(command, {"cannot write", "a/b", "File too large"});
    }
    EXPECT_TRUE(folderIsEmpty());
    ASSERT_EQ(runProgram(command).status, 0);
    const auto filesIn = [&] {
      std::map<std::string, std::string> files;
      for (const auto& entry : fs::directory_iterator(path("a/b"))) {
        files[entry.path().filename().string()] = readAll(entry.path());
      }
      return files;
    };
    const auto before = filesIn();
    command[4] = "2";
    {
      const test::FileSizeLimit limit(4096);
      expectRefused(command, {"cannot write", "a/b", "File too large"});
    }
    EXPECT_EQ(filesIn(), before);
    fs::remove_all(path("a"));
  }
}

TEST_F(NoRoom, TheProgramIsNotKilledByALimitOfFiles) {
  const std::string command = "cd '" + path("") +
                              "' && ulimit -f 8 && '" HEADSCOPE_PROGRAM
                              "' run --trace t.safetensors 2> error > /dev/null";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_NE(readAll(path("error")).find("cannot write t.safetensors: File too large"),
            std::string::npos);
  fs::remove(path("error"));
  EXPECT_TRUE(folderIsEmpty());
}

/// With any amount of memory that lets the program and its libraries start: the pass succeeds, or a
/// sentence reports the failure and no file is left.
TEST_F(NoRoom, MemoryThatRunsOutIsSaid) {
  std::string words;
  for (int i = 0; i < 600; ++i) words += "tick tock ";
  bool refused = false;
  bool done = false;
  for (int megabytes = 48; megabytes <= 512 && !done; megabytes += 8) {
    const auto statusOf = [&](const std::string& arguments) {
      return std::system(("cd '" + path("") + "' && ulimit -c 0 && ulimit -v " +
                          std::to_string(1024 * megabytes) + " && exec '" HEADSCOPE_PROGRAM "' " +
                          arguments + " 2> error > /dev/null")
                             .c_str());
    };
    if (statusOf("--version") != 0) continue;
    const int status =
        statusOf("run --d-model 256 --heads 8 --trace t.safetensors --text '" + words + "'");
    ASSERT_TRUE(WIFEXITED(status)) << megabytes << " MB: killed by " << WTERMSIG(status);
    done = WEXITSTATUS(status) == 0;
    EXPECT_EQ(fs::exists(path("t.safetensors")), done) << megabytes << " MB";
    const std::string error = readAll(path("error"));
    if (!done) {
      EXPECT_EQ(WEXITSTATUS(status), 1) << megabytes << " MB: " << error;
      EXPECT_EQ(error.rfind("headscope: ", 0), 0U) << megabytes << " MB: " << error;
      EXPECT_EQ(error.find("internal error in headscope"), std::string::npos)
          << megabytes << " MB: " << error;
      refused = refused || error.find("not enough memory") != std::string::npos;
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(path("")), {}), done ? 2 : 1);
  }
  EXPECT_TRUE(refused);
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace headscope
