// decode: the text of token ids.
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

TEST(Decode, PrintsTheTextThatWasTokenized) {
  const std::string gpt2 = dataFile("tiny-gpt2");
  const CliResult result = runProgram({"decode", gpt2, "--ids", "283,271,84,396"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "The cat sat\n");
  const nlohmann::json said = jsonOf({"decode", gpt2, "--ids", "271,84", "--json"});
  EXPECT_EQ(said["text"], " cat");
  EXPECT_EQ(said["tokens"].size(), 2U);
}

TEST(Decode, SpecialTokensStayUnlessTheyAreLeftOut) {
  const std::string bert = dataFile("tiny-bert");
  const nlohmann::json ids = jsonOf({"tokenize", bert, "--text", "the cat", "--json"})["ids"];
  std::string list;
  for (const nlohmann::json& id : ids) list += (list.empty() ? "" : ",") + id.dump();
  EXPECT_NE(runProgram({"decode", bert, "--ids", list}).out.find("[CLS]"), std::string::npos);
  const std::string plain = runProgram({"decode", bert, "--ids", list, "--no-special"}).out;
  EXPECT_EQ(plain.find("[CLS]"), std::string::npos) << plain;
}

TEST(Decode, RefusesIdsThatTheTokenizerLacks) {
  expectRefused({"decode", dataFile("tiny-gpt2"), "--ids", "283,999999"},
                {"--ids 999999", "has no such token"});
  expectRefused({"decode", dataFile("tiny-gpt2"), "--ids", "-1"}, {"-1"});
}

}  // namespace
}  // namespace headscope
