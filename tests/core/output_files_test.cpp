// Output files: the next write of a target removes the remains of a killed process, and nothing
// else; folders that could not be filled are removed.
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>

#include "core/base/files.h"
#include "core/platform/files.h"
#include "core/platform/paths.h"
#include "core/platform/process.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;

std::string temporary(const std::string& target, long process) {
  return target + ".tmp-" + std::to_string(process) + "-0";
}

void writeText(const fs::path& path, const std::string& text) {
  writeAtomically(path, [&](std::ostream& out) { out << text; });
}

TEST(OutputFiles, OnlyWhatIsOfThatTargetAndOfNobodyGoes) {
  const TempFolder folder;
  const long ended = endedProcess();
  const std::string kept[] = {
      temporary("other.safetensors", ended),                   // belongs to another target
      temporary("t.safetensors", platform::processId() + 0L),  // belongs to a running process
      "t.safetensors.tmp-" + std::to_string(ended),            // other patterns
      "t.safetensors.tmp-" + std::to_string(ended) + "-0.bak",
      "t.safetensors.tmp-x-0",
      "t.safetensors.tmp",
      "t.safetensors.bak"};
  for (const std::string& name : kept) folder.file(name, "someone's");
  const fs::path locked = folder.file("t.safetensors.tmp-" + std::to_string(ended) + "-7", "");
  std::error_code code;
  const auto lock = platform::FileLock::tryNow(locked, false, code);
  ASSERT_NE(lock,
            nullptr);  // as another machine's process holds it, whose number says nothing here
  writeText(folder / "t.safetensors", "new");
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(folder / name)) << name;
  EXPECT_TRUE(fs::exists(locked));
}

TEST(OutputFiles, AFileIsLockedWhileItIsWritten) {
  const TempFolder folder;
  bool held = false;
  writeAtomically(folder / "t", [&](std::ostream& out) {
    std::error_code code;
    const fs::path path = temporaryName(folder / "t", 0);
    held = platform::FileLock::tryNow(path, false, code) == nullptr &&
           code == std::errc::operation_would_block;
    out << "text";
  });
  EXPECT_TRUE(held);
}

TEST(OutputFiles, AFolderThatIsNotKeptGoesWithWhatWasMadeForIt) {
  const TempFolder folder;
  {
    const OutputFolder output(folder / "a/b/c");
    writeText(folder / "a/b/c/file", "text");
  }
  EXPECT_FALSE(fs::exists(folder / "a"));
  {
    OutputFolder output(folder / "a/b");
    output.keep();
  }
  EXPECT_TRUE(fs::exists(folder / "a/b"));
  folder.file("a/b/file", "text");
  { const OutputFolder output(folder / "a/b"); }
  EXPECT_TRUE(fs::exists(folder / "a/b/file"));  // it was there before
}

TEST(Paths, AreAnsweredWithoutAnException) {
  const TempFolder folder;
  for (const fs::path& path :
       {folder / std::string(300, 'n'), folder / std::string(5000, 'p'), folder / "missing"}) {
    EXPECT_FALSE(platform::exists(path));
    EXPECT_FALSE(platform::isFolder(path));
    EXPECT_FALSE(platform::isRegularFile(path));
    EXPECT_FALSE(platform::isSameFile(path, folder.path()));
    EXPECT_EQ(platform::absolutePath(path), path);
  }
  EXPECT_TRUE(platform::isFolder(folder.path()));
  EXPECT_TRUE(platform::isSameFile(folder.path(), folder / "."));
}

}  // namespace
}  // namespace headscope::test
