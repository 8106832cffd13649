// Child processes: what is written to one arrives, its failure is noticed, and one that stops
// reading ends nobody.
#include "core/platform/child_process.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "../test_files.h"

namespace headscope::platform {
namespace {

namespace fs = std::filesystem;

class ChildProcessTest : public testing::Test {
 protected:
  static std::unique_ptr<ChildProcess> shell(const std::string& command) {
    return ChildProcess::start(findProgram("sh"), {"-c", command});
  }
  TempFolder folder_;
};

TEST_F(ChildProcessTest, ReadsWhatIsWritten) {
  const fs::path path = folder_ / "read";
  const auto child = shell("cat > '" + path.string() + "'");
  ASSERT_NE(child, nullptr);
  const std::string text(100'000, 'x');
  EXPECT_TRUE(child->write(text));
  EXPECT_TRUE(child->write(std::string("end")));
  EXPECT_TRUE(child->finish());
  EXPECT_EQ(readAll(path), text + "end");
}

TEST_F(ChildProcessTest, TellsWhyItFailed) {
  const auto child = shell("cat > /dev/null; echo 'no codec' >&2; exit 3");
  ASSERT_NE(child, nullptr);
  EXPECT_TRUE(child->write(std::string("text")));
  EXPECT_FALSE(child->finish());
  EXPECT_EQ(child->errors(), "no codec\n");
}

TEST_F(ChildProcessTest, IsKnownToHaveEndedAndKeepsWhatItPrinted) {
  const auto child = shell("cat > /dev/null; echo chosen");
  ASSERT_NE(child, nullptr);
  EXPECT_FALSE(child->ended());  // it still reads
  EXPECT_TRUE(child->finish());
  EXPECT_TRUE(child->ended());
  EXPECT_EQ(child->output(), "chosen\n");
}

TEST_F(ChildProcessTest, ThatStopsReadingEndsNobody) {
  const auto child = shell("exit 0");
  ASSERT_NE(child, nullptr);
  const std::string more(1'000'000, 'x');  // than a pipe holds
  EXPECT_FALSE(child->write(more));
  EXPECT_FALSE(child->write(more));
}

TEST_F(ChildProcessTest, IsEndedWithItsObject) {
  const fs::path path = folder_ / "done";
  { const auto child = shell("cat > /dev/null; sleep 100; touch '" + path.string() + "'"); }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ChildProcessTest, IsFoundInWholeFoldersAlone) {
  EXPECT_TRUE(findProgram("no program has this name").empty());
  const fs::path program = folder_.file("program", "#!/bin/sh\n");
  fs::permissions(program, fs::perms::owner_all);
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_EQ(findProgram("program"), program);
  const fs::path here = fs::current_path();
  fs::current_path(folder_.path());
  ::setenv("PATH", ".:", 1);
  EXPECT_TRUE(findProgram("program").empty());
  fs::current_path(here);
  ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace headscope::platform
