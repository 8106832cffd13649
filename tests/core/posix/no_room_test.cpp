// No room and no right to write: the previous file stays, and nothing is left next to it.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "core/formats/session.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/limits.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;

class NoRoom : public testing::Test {
 protected:
  fs::path path() const { return folder_ / "lecture.headscope.json"; }
  /// The files of the folder by name, with their contents.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      all[entry.path().filename().string()] = readAll(entry.path());
    }
    return all;
  }
  void expectRefused(const formats::Session& session, const std::string& reason) const {
    const auto before = files();
    expectUserError([&] { formats::saveSession(path(), session); }, "cannot write",
                    folder_.path().string(), reason);
    EXPECT_EQ(files(), before);
  }

  TempFolder folder_;
};

TEST_F(NoRoom, ASessionWhoseTensorsDoNotFitLeavesTheOldOne) {
  formats::saveSession(path(), {fromTexts({"The old one"}), "{}", {}, {}});
  const formats::Session large{fromTensors(8), "{}", {}, {}};
  const FileSizeLimit limit(512);
  expectRefused(large, "File too large");
}

TEST_F(NoRoom, ASessionWhoseJsonDoesNotFitLeavesTheOldOne) {
  formats::saveSession(path(), {fromTexts({"The old one"}), "{}", {}, {}});
  std::string view(9000, 'x');  // in the JSON alone
  const formats::Session wordy{fromTensors(), R"({"x":")" + view + "\"}", {}, {}};
  const FileSizeLimit limit(8192);
  expectRefused(wordy, "lecture.headscope.json: File too large");
}

TEST_F(NoRoom, ASessionInAReadOnlyFolderStaysTheOldOne) {
  formats::saveSession(path(), {fromTexts({"The old one"}), "{}", {}, {}});
  const formats::Session other{fromTexts({"The new one"}), "{}", {}, {}};
  const ReadOnlyFolder readOnly(folder_.path());
  expectRefused(other, "Permission denied");
}

}  // namespace
}  // namespace headscope::test
