// Films of the command line: the flags, the refusals, and a file of each kind.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/document/document.h"
#include "core/formats/session.h"
#include "core/presets/presets.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

class RenderFilm : public InFolder {
 protected:
  std::vector<std::string> small(std::vector<std::string> flags) {
    const std::vector<std::string> all{"render",    "--preset", "by-hand", "--size", size_,
                                       "--seconds", "0.5",      "--fps",   "10"};
    flags.insert(flags.begin(), all.begin(), all.end());
    return flags;
  }
  std::string size_ = "320x200";

  /// The bytes of the film.
  std::string film(const std::string& name, const std::vector<std::string>& flags) {
    std::vector<std::string> all = small(flags);
    all.insert(all.end(), {"--film", path(name)});
    const CliResult result = runProgram(all);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, path(name) + "\n");
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(RenderFilm, IsAWebpOrAGif) {
  const std::string webp = film("f.webp", {"--view", "step", "--speed", "8"});
  EXPECT_EQ(webp.substr(0, 4), "RIFF");
  EXPECT_EQ(webp.substr(8, 8), "WEBPVP8X");
  EXPECT_NE(webp.find("ANMF"), webp.rfind("ANMF")) << "nothing moves";
  EXPECT_EQ(film("f.gif", {"--view", "step", "--speed", "8"}).substr(0, 6), "GIF89a");
}

TEST_F(RenderFilm, FlagsChangeIt) {
  const std::string plain = film("f.webp", {"--view", "step"});
  EXPECT_TRUE(plain == film("f.webp", {"--view", "step", "--speed", "1"}));
  EXPECT_FALSE(plain == film("f.webp", {"--view", "step", "--speed", "8"}));
  EXPECT_FALSE(plain == film("f.webp", {"--view", "step", "--whole"}));
  EXPECT_FALSE(plain == film("f.webp", {"--view", "step", "--moment", "30"}));
  EXPECT_FALSE(plain == film("f.webp", {"--view", "stage"}));
  EXPECT_FALSE(plain == film("f.webp", {"--view", "step", "--theme", "dark"}));
}

TEST_F(RenderFilm, OfATrainingRun) {
  size_ = "640x420";
  const std::vector<std::string> run{"--view", "train", "--task", "cards", "--steps", "6"};
  const std::string six = film("f.webp", run);
  EXPECT_TRUE(six == film("f.webp", run));
  std::vector<std::string> other = run;
  other.back() = "3";
  EXPECT_FALSE(six == film("f.webp", other));
  // a picture of the run is possible as well
  std::vector<std::string> still{"render", "--out", path("p.png")};
  still.insert(still.end(), run.begin(), run.end());
  EXPECT_EQ(runProgram(still).status, 0);
  EXPECT_TRUE(std::filesystem::exists(path("p.png")));
}

TEST_F(RenderFilm, OfASessionsScenes) {
  const DocumentPtr document = makePreset(presetByName("by-hand"), {}, Index{1} << 30);
  const std::string session = path("s.headscope.json");
  formats::saveSession(session,
                       {document,
                        "{}",
                        {{1, {}, document, R"({"head": 0})"}, {2, {}, document, R"({"head": 1})"}},
                        {}});
  const CliResult result =
      runProgram({"render", "--session", session, "--scenes", "--film", path("f.webp"), "--size",
                  "320x200", "--seconds", "1", "--fps", "5"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_GT(std::filesystem::file_size(path("f.webp")), 100U);
  expectRefused(
      {"render", "--session", session, "--scenes", "--film", path("g.webp"), "--speed", "2"},
      {"--speed", "leave it out"});
}

TEST_F(RenderFilm, BadFlagsLeaveNoFile) {
  const auto refused = [&](const std::vector<std::string>& flags,
                           const std::vector<std::string>& parts) {
    expectRefused(small(flags), parts);
  };
  refused({"--film", path("f.avi")}, {"--film", "f.avi", ".webp or .gif or .mp4"});
  refused({"--film", path("f")}, {".webp or .gif or .mp4"});
  refused({"--film", path("f.webp"), "--out", path("p.png")}, {"--out", "--film"});
  expectRefused({"render"}, {"--out", "--film"});
  expectRefused({"render", "--out", path("p.png"), "--fps", "10"}, {"--fps", "--film"});
  expectRefused({"render", "--out", path("p.png"), "--whole"}, {"--whole", "--film"});
  refused({"--film", path("f.webp"), "--view", "heads"}, {"nothing plays", "--view stage"});
  refused({"--film", path("f.webp"), "--scenes"}, {"no scene"});
  refused({"--film", path("f.webp"), "--whole", "--speed", "2"}, {"--speed", "--whole"});
  refused({"--film", path("f.webp"), "--task", "cards"}, {"--task", "--view train"});
  refused({"--film", path("f.webp"), "--view", "train", "--task", "chess"}, {"chess"});
  refused({"--film", path("f.webp"), "--view", "train", "--moment", "2"}, {"--moment", "train"});
  refused({"--film", path("none/f.webp")}, {"none/f.webp"});
  const auto number = [&](const char* flag, const char* value) {
    expectRefused({"render", "--film", path("f.webp"), flag, value}, {flag});
  };
  number("--seconds", "0");
  number("--seconds", "601");
  number("--seconds", "nan");
  number("--fps", "0");
  number("--fps", "51");
  number("--fps", "2.5");
  number("--speed", "0");
  EXPECT_TRUE(folderIsEmpty());
}

}  // namespace
}  // namespace headscope
