// Who may include whom: the arrows of the design point one way.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace headscope::test {
namespace {

namespace fs = std::filesystem;

struct Source {
  std::string path;  // from the root, "core/gemm.cpp"
  std::vector<std::string> lines;
};

std::vector<Source> sourcesOf(const std::string& folder) {
  const fs::path root(HEADSCOPE_SOURCE_DIR);
  std::vector<Source> sources;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    Source source{fs::relative(entry.path(), root).generic_string(), {}};
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) source.lines.push_back(line);
    sources.push_back(std::move(source));
  }
  return sources;
}

/// Files under `folder` include nothing that matches `forbidden`, save those matching `except`.
struct Rule {
  std::string folder;
  std::string forbidden;
  std::string except = "$^";
};

const std::string kGraphics =
    R"((imgui|backends/imgui|GLFW/|GL/|GLES|EGL/|epoxy/|stb_image|misc/).*)";

/// What only some systems have.
const std::string kSystem =
    R"((unistd|fcntl|signal|poll|spawn|pwd|dlfcn|pthread|sched|termios|windows|io)\.h|sys/.*)";

const std::vector<Rule> kRules{
    {"core", "app/.*"},
    {"core", kGraphics},
    {"core", R"(CLI/.*)"},
    {"core", R"(nlohmann/.*)", R"(core/formats/json\.cpp)"},
    {"app", R"(nlohmann/.*)"},
    {"core", R"(csv\.h)", R"(core/formats/.*)"},
    {"core/weights", R"(core/(analysis|training)/.*)"},
    {"core/training", R"(core/formats/.*)"},
    {"core/lessons", R"(core/formats/.*)"},
    {"core/model", R"(core/(formats|training|lessons)/.*)"},
    {"core/tokenizer", R"(core/(formats|training|lessons|model|steps|analysis|words)/.*)"},
    {"core/steps", R"(core/(model|formats|training)/.*)"},
    {"core", R"((oneapi/)?dnnl.*)", R"(core/gemm\.cpp)"},
    {"core", R"(pcre2.*)", R"(core/tokenizer/pattern\.cpp)"},
    {"core", R"(Eigen/.*)", R"(core/.*\.cpp)"},
    {"app", R"(Eigen/.*|dnnl.*)"},
    {"app/gl", R"(core/.*|app/(ui|host|cli)/.*|app/[^/]*)"},
    {"app/gl", R"((imgui|GLFW/).*)"},
    {"app/ui", R"(app/(host|cli)/.*|app/app\.h)"},
    {"app/ui", R"((backends/imgui|GLFW/|GL/|EGL/|epoxy/).*)"},
    {"app", R"(app/cli/.*)", R"(app/((web_)?main\.cpp|cli/.*))"},
    {"app", R"(app/host/.*)", R"(app/((web_)?main\.cpp|host/.*|cli/.*))"},
    {"app", R"((GLFW/|EGL/|epoxy/egl|backends/imgui).*)", R"(app/host/.*)"},
    {"app", R"(epoxy/.*)", R"(app/(host|gl)/.*)"},
    {"app/host", R"(app/cli/.*)"},
    {"core", kSystem, R"(core/platform/.*)"},
    {"app", kSystem, R"(app/host/.*)"},
};

std::ostream& operator<<(std::ostream& out, const Rule& rule) {
  return out << rule.folder << " without " << rule.forbidden;
}

/// "path:line includes X" for every include that breaks the rule.
std::vector<std::string> breaches(const Rule& rule, const std::vector<Source>& sources) {
  static const std::regex include(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)re");
  const std::regex forbidden(rule.forbidden);
  const std::regex except(rule.except);
  std::vector<std::string> found;
  for (const Source& source : sources) {
    if (source.path.rfind(rule.folder + "/", 0) != 0) continue;
    if (std::regex_match(source.path, except)) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      std::smatch match;
      if (!std::regex_match(source.lines[i], match, include)) continue;
      if (!std::regex_match(match[1].str(), forbidden)) continue;
      found.push_back(source.path + ":" + std::to_string(i + 1) + " includes " + match[1].str());
    }
  }
  return found;
}

class Includes : public testing::TestWithParam<Rule> {};

INSTANTIATE_TEST_SUITE_P(All, Includes, testing::ValuesIn(kRules));

TEST_P(Includes, PointOneWay) {
  const auto sources = sourcesOf(GetParam().folder);
  ASSERT_FALSE(sources.empty());
  EXPECT_EQ(breaches(GetParam(), sources), std::vector<std::string>{});
}

/// The scan does find what it looks for.
TEST(Includes, BreachesAreFound) {
  const std::vector<Source> sources{
      {"core/trace.cpp",
       {"#include \"core/trace.h\"", "  #  include <imgui.h>  // here", "#include \"app/app.h\""}},
      {"core/formats/json.cpp", {"#include <nlohmann/json.hpp>"}},
      {"core/x.cpp", {"#include <nlohmann/json.hpp>", "// #include <imgui.h>"}},
      {"core/x.h", {"#include <Eigen/Core>"}},
      {"corelike/x.cpp", {"#include <imgui.h>"}}};
  std::vector<std::string> found;
  for (const Rule& rule : kRules) {
    for (const std::string& breach : breaches(rule, sources)) found.push_back(breach);
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{
                "core/trace.cpp:3 includes app/app.h", "core/trace.cpp:2 includes imgui.h",
                "core/x.cpp:1 includes nlohmann/json.hpp", "core/x.h:1 includes Eigen/Core"}));
}

/// A header opens with a sentence that says what it is, and guards itself.
TEST(Headers, OpenWithASentence) {
  for (const char* folder : {"core", "app"}) {
    for (const Source& source : sourcesOf(folder)) {
      if (!source.path.ends_with(".h")) continue;
      ASSERT_FALSE(source.lines.empty()) << source.path;
      EXPECT_TRUE(source.lines.front().rfind("// ", 0) == 0) << source.path;
      std::string comment;
      std::size_t line = 0;
      for (; line < source.lines.size() && source.lines[line].rfind("//", 0) == 0; ++line) {
        comment += source.lines[line] + " ";
      }
      EXPECT_NE(comment.find_first_of(".:"), std::string::npos) << source.path;
      ASSERT_LT(line, source.lines.size()) << source.path;
      EXPECT_EQ(source.lines[line], "#pragma once") << source.path;
    }
  }
}

}  // namespace
}  // namespace headscope::test
