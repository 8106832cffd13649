// The ways in which flags name heads of a model.
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

json withoutHeads(const std::string& heads) {
  return jsonOf({"model", dataFile("tiny-gpt2"), "--ids", "5,17,3", "--drop-heads", heads});
}

TEST(HeadFlags, NameHeadsByNumbersOrLetters) {
  const json found = withoutHeads("0.3,1.1");
  EXPECT_EQ(withoutHeads("L0H3,L1H1")["predictions"], found["predictions"]);
  EXPECT_EQ(withoutHeads("1.1,L0H3")["predictions"], found["predictions"]);
  EXPECT_NE(withoutHeads("0.3")["predictions"], found["predictions"]);
}

TEST(HeadFlags, AllStandsForEveryHead) {
  EXPECT_EQ(withoutHeads("all")["predictions"],
            withoutHeads("0.0,0.1,0.2,0.3,1.0,1.1,1.2,1.3")["predictions"]);
}

TEST(HeadFlags, OtherTextsAreRefused) {
  for (const char* wrong : {"3", "L3", "L3.1", "1H2", "1.2.3", "L1H2x", "head"}) {
    expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "5", "--drop-heads", wrong},
                  {"--drop-heads", wrong, "3.7 or L3H7"});
  }
  expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "5", "--patch", "L9H0"}, {"layer 9"});
}

}  // namespace
}  // namespace headscope
