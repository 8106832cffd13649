// Files that are no plain ones: pipes, devices, links, and the modes of files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <ostream>
#include <string>

#include "core/base/files.h"
#include "core/formats/session.h"
#include "core/input/tables.h"
#include "core/tensor/safetensors.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;

/// A pipe that nobody writes to would be waited for without end.
TEST(HostileFiles, WhatHasNoEndIsNotOpened) {
  const TempFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const fs::path& path : {pipe, fs::path("/dev/zero"), folder.path(), folder / "none"}) {
    expectUserError([&] { readSeries(path); }, "cannot read " + path.string() + ": ");
    expectUserError([&] { SafetensorsFile{path}; }, "cannot read " + path.string() + ": ");
    expectUserError([&] { formats::loadSession(path, kBudget); },
                    "cannot read " + path.string() + ": ");
  }
  expectUserError([&] { readSeries(pipe); }, "it is a pipe or a device, not a file");
}

TEST(AtomicFile, AFullDeviceIsNamed) {
  expectUserError([&] { writeAtomically("/dev/full", [](std::ostream& out) { out << "x"; }); },
                  "cannot write /dev/full: No space left on device");
}

TEST(AtomicFile, KeepsModeAndFollowsLinks) {
  const TempFolder folder;
  const auto path = folder.file("real", "old");
  ::chmod(path.c_str(), 0640);
  std::filesystem::create_symlink(path, folder / "link");
  writeAtomically(folder / "link", [](std::ostream& out) { out << "new"; });
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(readAll(path), "new");
  struct stat status {};
  ::stat(path.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

}  // namespace
}  // namespace headscope::test
