// The rules for includes: dependencies point one way, as in the design.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace headscope::test {
namespace {

namespace fs = std::filesystem;

struct Source {
  std::string path;  // from the root, "core/tensor/gemm.cpp"
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

/// Headers that only some systems have.
const std::string kSystem =
    R"((unistd|fcntl|signal|poll|spawn|pwd|dlfcn|pthread|sched|termios|windows|io)\.h|sys/.*)";

const std::vector<Rule> kRules{
    {"core", "app/.*"},
    {"core", kGraphics},
    {"core", R"(CLI/.*)"},
    {"core", R"(nlohmann/.*)", R"(core/base/json\.cpp)"},
    {"app", R"(nlohmann/.*)"},
    {"core", R"(csv\.h)", R"(core/input/tables\.cpp)"},
    {"core", R"(core/[^/]*)"},  // every file of core/ stands in a folder
    {"core", R"((oneapi/)?dnnl.*)", R"(core/tensor/gemm\.cpp)"},
    {"core", R"(pcre2.*)", R"(core/tokenizer/pattern\.cpp)"},
    {"core", R"(Eigen/.*)", R"(core/.*\.cpp)"},
    {"app", R"(Eigen/.*|dnnl.*)"},
    {"app/gl", R"(core/.*|app/(ui|host|cli)/.*|app/[^/]*)"},
    {"app/gl", R"((imgui|GLFW/).*)"},
    {"app/ui", R"(app/(host|cli)/.*|app/app\.h)"},
    {"app/ui/heads/view_model", R"(imgui\.h|app/ui/(panel|widgets|compat|theme|fonts|card)\.h)"},
    {"app/ui", R"((backends/imgui|GLFW/|GL/|EGL/|epoxy/).*)"},
    {"app", R"(app/cli/.*)", R"(app/((web_)?main\.cpp|(cli|windows)/.*))"},
    {"app", R"(app/host/.*)", R"(app/((web_)?main\.cpp|host/.*|cli/.*))"},
    {"app", R"((GLFW/|EGL/|epoxy/egl|backends/imgui).*)", R"(app/host/.*)"},
    {"app", R"(epoxy/.*)", R"(app/(host|gl)/.*)"},
    {"app/host", R"(app/cli/.*)"},
    {"core", kSystem, R"(core/platform/.*)"},
    {"app", kSystem, R"(app/(host|windows)/.*)"},
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

/// core/folders.txt: each folder of core/ with the folders that it may include, from the bottom up.
using FloorPlan = std::vector<std::pair<std::string, std::vector<std::string>>>;

FloorPlan floorPlan() {
  std::ifstream file(fs::path(HEADSCOPE_SOURCE_DIR) / "core/folders.txt");
  FloorPlan plan;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string folder;
    words >> folder;
    if (!folder.empty() && folder.back() == ':') folder.pop_back();
    plan.push_back({folder, {std::istream_iterator<std::string>(words), {}}});
  }
  return plan;
}

class Includes : public testing::TestWithParam<Rule> {};

INSTANTIATE_TEST_SUITE_P(All, Includes, testing::ValuesIn(kRules));

TEST_P(Includes, PointOneWay) {
  const auto sources = sourcesOf(GetParam().folder);
  ASSERT_FALSE(sources.empty());
  EXPECT_EQ(breaches(GetParam(), sources), std::vector<std::string>{});
}

TEST(FloorPlan, NamesEveryFolderOfCore) {
  std::vector<std::string> named, there;
  for (const auto& [folder, allowed] : floorPlan()) named.push_back(folder);
  for (const auto& entry : fs::directory_iterator(fs::path(HEADSCOPE_SOURCE_DIR) / "core")) {
    if (entry.is_directory()) there.push_back(entry.path().filename().string());
  }
  std::ranges::sort(named);
  std::ranges::sort(there);
  EXPECT_EQ(named, there);
}

/// A folder includes only folders below it in the table, so that no two include each other.
TEST(FloorPlan, GoesFromTheBottomUp) {
  std::vector<std::string> below;
  for (const auto& [folder, allowed] : floorPlan()) {
    for (const std::string& each : allowed) {
      EXPECT_NE(std::ranges::find(below, each), below.end()) << folder << " may include " << each;
    }
    below.push_back(folder);
  }
}

TEST(FloorPlan, IsKept) {
  for (const auto& [folder, allowed] : floorPlan()) {
    std::string others;  // a pattern of all folders that this one may not include
    for (const auto& [other, unused] : floorPlan()) {
      if (other == folder || std::ranges::find(allowed, other) != allowed.end()) continue;
      others += (others.empty() ? "" : "|") + other;
    }
    const Rule rule{"core/" + folder, "core/(" + others + ")/.*"};
    const auto sources = sourcesOf(rule.folder);
    ASSERT_FALSE(sources.empty()) << folder;
    EXPECT_EQ(breaches(rule, sources), std::vector<std::string>{});
  }
}

/// The scan finds forbidden includes.
TEST(Includes, BreachesAreFound) {
  const std::vector<Source> sources{
      {"core/document/trace.cpp",
       {"#include \"core/document/trace.h\"", "  #  include <imgui.h>  // here",
        "#include \"app/app.h\""}},
      {"core/base/json.cpp", {"#include <nlohmann/json.hpp>"}},
      {"core/x.cpp", {"#include <nlohmann/json.hpp>", "// #include <imgui.h>"}},
      {"core/x.h", {"#include <Eigen/Core>"}},
      {"corelike/x.cpp", {"#include <imgui.h>"}}};
  std::vector<std::string> found;
  for (const Rule& rule : kRules) {
    for (const std::string& breach : breaches(rule, sources)) found.push_back(breach);
  }
  EXPECT_EQ(found, (std::vector<std::string>{"core/document/trace.cpp:3 includes app/app.h",
                                             "core/document/trace.cpp:2 includes imgui.h",
                                             "core/x.cpp:1 includes nlohmann/json.hpp",
                                             "core/x.h:1 includes Eigen/Core"}));
}

/// A header that many files read, and the share of the sources of app/ and core/ that may reach it
/// by their includes: a change of the header compiles all of them again.
struct FanOutLimit {
  std::string header;
  std::size_t percent;
};

const std::vector<FanOutLimit> kFanOutLimits{
    {"core/attention/config.h", 32},
    {"core/attention/steps/step.h", 22},
    {"core/attention/switches.h", 10},
    {"core/document/document.h", 21},
    {"core/document/trace.h", 34},
    {"core/input/training_domain.h", 8},
    {"core/editing/edit.h", 22},
    {"core/analysis/head_metrics.h", 12},
    {"app/ui/panel.h", 27},
    {"app/ui/view_state.h", 15},
};

/// The files that include a file, by its path.
using Includers = std::map<std::string, std::vector<std::string>>;

Includers includersOf(const std::vector<Source>& sources) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)".*)re");
  Includers includers;
  for (const Source& source : sources) {
    for (const std::string& line : source.lines) {
      std::smatch match;
      if (std::regex_match(line, match, include)) includers[match[1]].push_back(source.path);
    }
  }
  return includers;
}

bool isHeader(const std::string& path) { return path.ends_with(".h"); }

/// The number of sources (.cpp) that include a header, directly or by way of other headers.
std::size_t fanOutOf(const Includers& includers, const std::string& header) {
  std::set<std::string> reached{header};
  std::vector<std::string> open{header};
  while (!open.empty()) {
    const auto found = includers.find(open.back());
    open.pop_back();
    if (found == includers.end()) continue;
    for (const std::string& file : found->second) {
      if (reached.insert(file).second) open.push_back(file);
    }
  }
  return static_cast<std::size_t>(std::ranges::count_if(reached, std::not_fn(isHeader)));
}

/// A sentence about a header that reaches too many sources, with the way out; else empty.
std::string fanOutProblem(const FanOutLimit& limit, const std::vector<Source>& sources) {
  const Includers includers = includersOf(sources);
  const std::size_t reached = fanOutOf(includers, limit.header);
  const auto all = static_cast<std::size_t>(
      std::ranges::count_if(sources, [](const Source& source) { return !isHeader(source.path); }));
  if (reached * 100 <= limit.percent * all) return {};
  std::string ways;
  const auto found = includers.find(limit.header);
  for (const std::string& file :
       found == includers.end() ? std::vector<std::string>{} : found->second) {
    if (!isHeader(file)) continue;
    ways +=
        (ways.empty() ? "" : ", ") + file + " (" + std::to_string(fanOutOf(includers, file)) + ")";
  }
  return limit.header + " reaches " + std::to_string(reached) + " of " + std::to_string(all) +
         " sources; at most " + std::to_string(limit.percent) +
         " % are allowed. Forward-declare its types in a header that includes it and only passes "
         "them on: " +
         ways;
}

TEST(FanOut, StaysWithinItsLimits) {
  std::vector<Source> sources = sourcesOf("core");
  for (Source& source : sourcesOf("app")) sources.push_back(std::move(source));
  for (const FanOutLimit& limit : kFanOutLimits) {
    EXPECT_TRUE(fs::exists(fs::path(HEADSCOPE_SOURCE_DIR) / limit.header)) << limit.header;
    EXPECT_EQ(fanOutProblem(limit, sources), "");
  }
}

/// A source counts once, however many ways lead from it to the header.
TEST(FanOut, CountsTheSourcesBehindHeaders) {
  const std::vector<Source> sources{
      {"core/a.h", {}},
      {"core/b.h", {"#include \"core/a.h\""}},
      {"core/c.h", {"#include \"core/b.h\""}},
      {"core/a.cpp", {"#include \"core/a.h\""}},
      {"app/b.cpp", {"#include \"core/b.h\"", "#include \"core/c.h\""}},
      {"app/c.cpp", {"#include <vector>"}}};
  EXPECT_EQ(fanOutProblem({"core/a.h", 67}, sources), "");
  EXPECT_EQ(
      fanOutProblem({"core/a.h", 66}, sources),
      "core/a.h reaches 2 of 3 sources; at most 66 % are allowed. Forward-declare its types in "
      "a header that includes it and only passes them on: core/b.h (1)");
}

/// Functions of std::filesystem that throw where they are not given a std::error_code.
const std::regex kThrowingCall(
    R"re(\b(?:fs|filesystem)::(?:absolute|canonical|copy\w*|create_\w+|current_path|equivalent|exists|)re"
    R"re(file_size|is_\w+|last_write_time|permissions|proximate|read_symlink|relative|remove\w*|)re"
    R"re(rename|resize_file|space|status|symlink_status|temp_directory_path|weakly_canonical|)re"
    R"re((?:recursive_)?directory_iterator(?:\s+\w+)?)\s*\()re");

/// The last argument of a call, from behind its opening bracket.
std::string lastArgument(const std::string& text, std::size_t from) {
  std::string argument;
  int depth = 1;
  for (std::size_t i = from; i < text.size() && depth > 0; ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 1 && text[i] == ',') {
      argument.clear();
    } else if (depth > 0 && text[i] != ' ' && text[i] != '\n') {
      argument += text[i];
    }
  }
  return argument;
}

/// "path: call" for every call that may throw: neither a std::error_code nor a status is its last
/// argument.
std::vector<std::string> throwingCalls(const Source& source) {
  const auto isOfIt = [](const std::string& line) {
    return line.find("fs::") != std::string::npos || line.find("filesystem") != std::string::npos;
  };
  if (std::none_of(source.lines.begin(), source.lines.end(), isOfIt)) return {};
  std::string text;
  for (const std::string& line : source.lines) text += line.substr(0, line.find("//")) + '\n';
  static const std::regex declared(R"(\b(?:error_code|file_status)\s*&?\s+(\w+))");
  static const std::regex overRange(R"(for \([^;)]*:\s*(?:fs|std::filesystem)::\w*directory_iter)");
  std::vector<std::string> safe;
  for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at) {
    safe.push_back((*at)[1]);
  }
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kThrowingCall), end; at != end; ++at) {
    const auto behind = static_cast<std::size_t>(at->position() + at->length());
    const std::string last = lastArgument(text, behind);
    if (std::find(safe.begin(), safe.end(), last) != safe.end()) continue;
    found.push_back(source.path + ": " + at->str() + last + ")");
  }
  for (std::sregex_iterator at(text.begin(), text.end(), overRange), end; at != end; ++at) {
    found.push_back(source.path + ": " + at->str());  // ++ throws, increment(code) does not
  }
  return found;
}

/// Users give names that are too long, loops of links and folders that may not be entered.
TEST(FileSystem, NoCallThrows) {
  for (const char* folder : {"core", "app"}) {
    for (const Source& source : sourcesOf(folder)) {
      EXPECT_EQ(throwingCalls(source), std::vector<std::string>{});
    }
  }
}

TEST(FileSystem, CallsThatThrowAreFound) {
  const Source source{
      "core/x.cpp",
      {"std::error_code code;", "const fs::file_status old = fs::status(path, code);",
       "if (fs::exists(path)) return;  // fs::exists(other)", "if (fs::exists(old)) {",
       "fs::rename(a,", "    f(b), code);", "std::filesystem::absolute(f(a, code));",
       "fs::directory_iterator at(path, code), end;",
       "for (const auto& e : fs::directory_iterator(path, code)) {"}};
  EXPECT_EQ(throwingCalls(source),
            (std::vector<std::string>{"core/x.cpp: fs::exists(path)",
                                      "core/x.cpp: filesystem::absolute(f(a,code))",
                                      "core/x.cpp: for (const auto& e : fs::directory_iter"}));
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
