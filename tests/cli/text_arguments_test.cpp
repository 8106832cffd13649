// Texts and file names reach the program as typed, although CLI11 treats brackets, braces and empty
// values specially.
#include <filesystem>
#include <string>
#include <vector>

#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class TextArguments : public InFolder {
 protected:
  static std::vector<std::string> tokensOf(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"tokenize", dataFile("tiny-bert"), "--no-special"});
    return jsonOf(flags)["tokens"].get<std::vector<std::string>>();
  }
  static json passOn(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"run", "--d-model", "16", "--heads", "2"});
    return jsonOf(flags);
  }
};

TEST_F(TextArguments, APairKeepsItsBrackets) {
  const auto plain = tokensOf({"--text", "[MASK]"});
  ASSERT_EQ(plain, std::vector<std::string>{"[MASK]"});
  EXPECT_EQ(tokensOf({"--pair", "[MASK]", "[MASK]"}),
            (std::vector<std::string>{"[MASK]", "[MASK]"}));
  EXPECT_EQ(tokensOf({"--text=[MASK]"}), plain);
  auto joined = tokensOf({"--text", "[a,b]"});
  for (const auto& token : tokensOf({"--text", "c"})) joined.push_back(token);
  EXPECT_EQ(tokensOf({"--pair", "[a,b]", "c"}), joined);
}

TEST_F(TextArguments, TextsOfAPassAreNoLists) {
  for (const std::string text : {"[a,b]", "[[aabb]]", "{}", "%%", "[a]",
                                 "\x1f"
                                 "a"}) {
    SCOPED_TRACE(text);
    const json alone = passOn({"--text", "x" + text});
    const auto whole = alone["tokens"][0].get<std::vector<std::string>>();
    std::string expected;
    for (const auto& token : whole) expected += token;
    for (const auto& flags : {std::vector<std::string>{"--text", text}, {"--text=" + text}}) {
      std::string joined = "x";
      const json pass = passOn(flags);
      for (const auto& token : pass["tokens"][0]) joined += token.get<std::string>();
      EXPECT_EQ(joined, expected);
    }
    EXPECT_FALSE(passOn({"--text", "a", "--memory-text", text})["memory_tokens"].empty());
  }
}

TEST_F(TextArguments, AnEmptyValueIsNotTheNextFlag) {
  expectRefused({"run", "--preset=", "--json"}, {"--preset", "it needs a value"});
}

TEST_F(TextArguments, RefusalsNameWhatWasTyped) {
  expectRefused({"run", "--pin", "[0,1]"}, {"--pin [0,1]: "});
  expectRefused({"run", "[0,1]"}, {"[0,1]"});
  EXPECT_EQ(runProgram({"run", "[0,1]"}).err.find('\x1f'), std::string::npos);
  expectRefused({"[0,1]"}, {"'[0,1]'"});
  expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "[1,2]"}, {"--ids", "[1"});
  expectRefused({"model", dataFile("tiny-gpt2"), "--text", "a", "--attribute", "[MASK]"},
                {"--attribute", "[MASK]"});
}

TEST_F(TextArguments, ACommaIsATokenToo) {
  const auto attribution = [](const std::string& tokens) {
    return jsonOf(
        {"model", dataFile("tiny-gpt2"), "--text", "a, b", "--attribute", tokens})["attribution"];
  };
  EXPECT_EQ(attribution(",")["word"]["token"], ",");
  EXPECT_FALSE(attribution(",").contains("other"));
  EXPECT_EQ(attribution("b,,")["word"]["token"], "b");
  EXPECT_EQ(attribution("b,,")["other"]["token"], ",");
  EXPECT_EQ(attribution("a,b")["other"]["token"], "b");
}

TEST_F(TextArguments, FilesMayHaveBracketsInTheirNames) {
  const auto in = [&](const std::string& name) { return path(name); };
  const fs::path before = fs::current_path();
  fs::current_path(path(""));
  write("[a,b].txt", "The cat sat");
  write("[a,b].csv", "a,b\n1,2\n3,4\n5,6\n");
  const std::string trace = "[a,b].safetensors";
  fs::copy(dataFile("small_d8_h2_t4_nobias.safetensors"), "[x].safetensors");
  EXPECT_EQ(runProgram({"tokenize", dataFile("tiny-gpt2"), "--file", "[a,b].txt"}).status, 0);
  EXPECT_EQ(runProgram({"run", "--series", "[a,b].csv", "--d-model", "16", "--heads", "2",
                        "--trace", trace})
                .status,
            0);
  EXPECT_EQ(runProgram({"run", "--input=[x].safetensors", "--heads", "2"}).status, 0);
  fs::copy(dataFile("tiny-gpt2"), "[m]");
  EXPECT_EQ(runProgram({"model", "[m]", "--text", "a"}).status, 0);
  EXPECT_EQ(runProgram({"export", "--tensor", "x", "--out", "[x,y].npy"}).status, 0);
  EXPECT_TRUE(fs::exists("[x,y].npy"));
  fs::current_path(before);
  EXPECT_TRUE(fs::exists(in(trace)));
}

}  // namespace
}  // namespace headscope
