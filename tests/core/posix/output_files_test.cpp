// Output files where processes are killed and links lead round.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <ostream>
#include <string>

#include "core/base/files.h"
#include "core/platform/paths.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;

TEST(OutputFiles, WhatAKilledWriterLeavesGoesWithTheNextWriting) {
  const TempFolder folder;
  const fs::path target = folder / "t.safetensors";
  const pid_t child = ::fork();
  if (child == 0) {
    writeAtomically(target, [](std::ostream& out) {
      out << "half of it" << std::flush;
      ::raise(SIGKILL);
    });
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const fs::path left = folder / ("t.safetensors.tmp-" + std::to_string(child) + "-0");
  ASSERT_EQ(readAll(left), "half of it");
  writeAtomically(target, [](std::ostream& out) { out << "whole"; });
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(readAll(target), "whole");
}

TEST(OutputFiles, AFolderThatIsALinkToItselfIsRefused) {
  const TempFolder folder;
  fs::create_directory_symlink("round", folder / "round");
  expectUserError([&] { const OutputFolder output(folder / "round"); }, "cannot make the folder",
                  "symbolic links");
  EXPECT_TRUE(fs::is_symlink(folder / "round"));
}

TEST(Paths, ALinkToItselfCountsAsMissing) {
  const TempFolder folder;
  const fs::path loop = folder / "loop";
  fs::create_symlink("loop", loop);
  EXPECT_FALSE(platform::exists(loop));
  EXPECT_FALSE(platform::isFolder(loop));
  EXPECT_FALSE(platform::isRegularFile(loop));
  EXPECT_FALSE(platform::isSameFile(loop, folder.path()));
  EXPECT_EQ(platform::absolutePath(loop), loop);
}

}  // namespace
}  // namespace headscope::test
