// The README is true: its commands run as written, and its paths and links exist.
#include <gtest/gtest.h>
#include <stb_image.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace headscope {
namespace {

namespace fs = std::filesystem;

const std::string kProgram = "build/release/headscope";
constexpr std::uintmax_t kMaxPictureBytes = 400 << 10;

std::string sourceText(const char* path) {
  std::ifstream file(fs::path(HEADSCOPE_SOURCE_DIR) / path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string readme() { return sourceText("README.md"); }

/// The groups of the pattern's first match in the file, joined.
std::string found(const char* path, const char* pattern) {
  const std::string text = sourceText(path);
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(pattern))) return {};
  std::string all = match[1];
  for (std::size_t i = 2; i < match.size(); ++i) all += " " + match[i].str();
  return all;
}

/// The lines of the README's `sh` blocks, continued ones joined.
std::vector<std::string> shellLines() {
  std::vector<std::string> lines;
  std::istringstream text(readme());
  bool inBlock = false;
  bool continued = false;
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("```", 0) == 0) {
      inBlock = line == "```sh";
      continue;
    }
    if (!inBlock) continue;
    const bool goesToNextLine = !line.empty() && line.back() == '\\';
    if (goesToNextLine) line.pop_back();
    continued ? void(lines.back() += line) : lines.push_back(line);
    continued = goesToNextLine;
  }
  return lines;
}

/// Examples of the manual (assets/manual, which --help prints): lines "  headscope …".
std::vector<std::string> manualExamples() {
  const std::string start = "  headscope ";
  std::vector<std::string> examples;
  for (const auto& page :
       fs::directory_iterator(fs::path(HEADSCOPE_SOURCE_DIR) / "assets/manual")) {
    std::ifstream file(page.path());
    bool among = false;
    for (std::string line; std::getline(file, line);) {
      among = among || line == "Examples:";
      if (among && line.rfind(start, 0) == 0) {
        examples.push_back(kProgram + " " + line.substr(start.size()));
      }
    }
  }
  return examples;
}

std::vector<std::string> programCommands() {
  std::vector<std::string> commands;
  for (const auto& line : shellLines()) {
    if (line.rfind(kProgram + " ", 0) == 0) commands.push_back(line);
  }
  return commands;
}

/// A folder that looks like the root to a command: its inputs are links, its outputs stay there.
class Readme : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path source(HEADSCOPE_SOURCE_DIR);
    fs::remove_all(root_);
    fs::create_directories(root_ / "build/release");
    fs::create_directories(root_ / "tests/pictures");
    fs::create_symlink(HEADSCOPE_PROGRAM, root_ / kProgram);
    fs::create_directory_symlink(source / "assets", root_ / "assets");
    fs::create_directory_symlink(source / "tests/data", root_ / "tests/data");
    std::ofstream(root_ / "book.txt") << std::ifstream(source / "ARCHITECTURE.md").rdbuf()
                                      << std::ifstream(source / "README.md").rdbuf();
  }
  void TearDown() override { fs::remove_all(root_); }

  int run(const std::string& command) const {
    return std::system(("cd '" + root_.string() + "' && " + command + " > out.txt").c_str());
  }

  /// The command succeeds, prints something, and writes the file that it names.
  void expectRuns(const std::string& command) const {
    EXPECT_EQ(run(command), 0) << command;
    EXPECT_GT(fs::file_size(root_ / "out.txt"), 0U) << command;
    std::smatch out;
    if (std::regex_search(command, out, std::regex("--(?:out|trace) (\\S+)"))) {
      EXPECT_TRUE(fs::is_regular_file(root_ / out[1].str())) << command;
    }
  }

  const fs::path root_ =
      fs::temp_directory_path() / (std::string("headscope_readme_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Readme, EveryCommandRuns) {
  const auto commands = programCommands();
  ASSERT_GE(commands.size(), 5U);
  for (const auto& command : commands) expectRuns(command);
}

TEST_F(Readme, EveryExampleOfTheManualRuns) {
  const auto examples = manualExamples();
  ASSERT_GE(examples.size(), 30U);
  for (const auto& example : examples) {
    // a run is continued after the example that saves it
    if (example.find(" --from recall") != std::string::npos) {
      expectRuns(kProgram + " train --task recall --steps 100 --save recall");
    }
    expectRuns(example);
    fs::remove_all(root_ / "recall");
  }
}

TEST_F(Readme, NamesEverySubcommand) {
  ASSERT_EQ(run(kProgram + " --help"), 0);
  std::ifstream help(root_ / "out.txt");
  bool listed = false;
  std::size_t found = 0;
  for (std::string line; std::getline(help, line);) {
    std::smatch name;
    if (listed && line.empty()) break;
    if (listed && std::regex_search(line, name, std::regex("^  (\\w+) "))) {
      ++found;
      EXPECT_NE(readme().find("| `" + name[1].str() + "` |"), std::string::npos) << name[1];
    }
    listed = listed || line.rfind("Subcommands", 0) == 0;
  }
  EXPECT_GE(found, 4U);
}

/// The pictures exist and are small; those drawn by a command of the README have the stated size.
TEST_F(Readme, ShowsItsPictures) {
  const std::string text = readme();
  const std::regex picture("!\\[[^\\]]*\\]\\(([^)]+)\\)");
  std::size_t drawn = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), picture), end; at != end; ++at) {
    const std::string path = (*at)[1];
    const fs::path file = fs::path(HEADSCOPE_SOURCE_DIR) / path;
    int width = 0;
    int height = 0;
    ASSERT_TRUE(stbi_info(file.c_str(), &width, &height, nullptr)) << file;
    EXPECT_LE(fs::file_size(file), kMaxPictureBytes);
    std::smatch size;
    const std::regex command(" render .*--size (\\d+)x(\\d+) --out " + path);
    if (!std::regex_search(text, size, command)) continue;
    ++drawn;
    EXPECT_EQ(width, std::stoi(size[1]));
    EXPECT_EQ(height, std::stoi(size[2]));
  }
  EXPECT_GE(drawn, 1U);
}

/// The paths in the texts for developers, such as `core/attention/steps/`, exist.
TEST_F(Readme, PathsExist) {
  const std::regex path("`((?:core|app|assets|shaders|tests|bench|third_party)/[\\w./]*)`");
  for (const char* document : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"}) {
    const std::string text = sourceText(document);
    ASSERT_FALSE(text.empty()) << document;
    for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at) {
      const std::string name = (*at)[1];
      if (name.find("COMMAND") != std::string::npos) continue;  // a placeholder
      const fs::path named = fs::path(HEADSCOPE_SOURCE_DIR) / name;
      // A module is named without its .h and .cpp.
      EXPECT_TRUE(fs::exists(named) || fs::exists(named.string() + ".h"))
          << document << ": " << named;
    }
  }
  const std::string plan = sourceText("ARCHITECTURE.md");
  EXPECT_GE(std::distance(std::sregex_iterator(plan.begin(), plan.end(), path), {}), 10);
}

/// Links between the texts lead to files.
TEST_F(Readme, LinksExist) {
  const std::regex link("\\]\\(([\\w./]+)\\)");
  for (const char* document : {"README.md", "CONTRIBUTING.md"}) {
    const std::string text = sourceText(document);
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      EXPECT_TRUE(fs::exists(fs::path(HEADSCOPE_SOURCE_DIR) / (*at)[1].str())) << (*at)[1];
    }
  }
}

TEST(Release, HasOneVersionAndOneDate) {
  const std::string version = found("CMakeLists.txt", R"(project\(headscope VERSION ([\d.]+))");
  EXPECT_FALSE(version.empty());
  const std::string changes = found("CHANGELOG.md", R"(\n## ([\d.]+) \(([\d-]+)\))");
  EXPECT_EQ(changes.substr(0, changes.find(' ')), version);
  EXPECT_EQ(found("app/desktop/org.headscope.headscope.metainfo.xml",
                  R"re(release version="([\d.]+)" date="([\d-]+)")re"),
            changes);
  EXPECT_EQ(found("python/headscope/__init__.py", R"re(__version__ = "([\d.]+)")re"), version);
}

}  // namespace
}  // namespace headscope
