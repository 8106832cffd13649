// The ways in which flags name heads of a model.
#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

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

/// The head of one cell, in a layer of a model or without one, which is layer 0.
TEST(HeadFlags, OneCellsHeadIsNamedLikewise) {
  const auto cell = [](const std::string& head) {
    return jsonOf({"explain", "--model", dataFile("tiny-gpt2"), "--layer", "1", "--ids", "5,17,3",
                   "--step", "score", "--row", "2", "--col", "1", "--head", head});
  };
  EXPECT_EQ(cell("1.2"), cell("2"));
  EXPECT_EQ(cell("L1H2"), cell("2"));
  EXPECT_EQ(jsonOf({"explain", "--step", "score", "--row", "2", "--head", "L0H3"}),
            jsonOf({"explain", "--step", "score", "--row", "2", "--head", "3"}));
  expectRefused({"explain", "--step", "score", "--head", "1.2"}, {"--head 1.2", "layer 0"});
  expectRefused({"explain", "--step", "score", "--head", "all"}, {"'all' is not a whole number"});
}

/// One parser for the heads of a model, of one layer, and of circuits.
TEST(HeadFlags, NameTheHeadsOfOneLayerLikewise) {
  const auto output = [](const std::string& heads) {
    const TempFolder folder;
    const std::string trace = (folder / "t.safetensors").string();
    jsonOf({"run", "--model", dataFile("tiny-gpt2"), "--layer", "1", "--ids", "5,17,3",
            "--drop-heads", heads, "--trace", trace, "--json"});
    return SafetensorsFile(trace).read("output").values();
  };
  const auto found = output("2,3");
  EXPECT_EQ(output("1.2,L1H3"), found);
  EXPECT_NE(output("2"), found);
  EXPECT_EQ(output("all"), output("0,1,2,3"));
  const std::vector<std::string> run{"run",   "--model", dataFile("tiny-gpt2"), "--layer", "1",
                                     "--ids", "5,17,3",  "--drop-heads"};
  for (const auto& [wrong, part] : {std::pair("0.2", "layer 1"), {"x", "1.2 or L1H2"}}) {
    auto refused = run;
    refused.push_back(wrong);
    expectRefused(refused, {"--drop-heads", wrong, part});
  }
}

TEST(HeadFlags, NameTheHeadsOfCircuits) {
  const auto circuits = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"circuits", dataFile("tiny-gpt2")});
    return jsonOf(flags);
  };
  const json one = circuits({"--layer", "1", "--head", "2"});
  EXPECT_EQ(circuits({"--head", "1.2"}), one);
  EXPECT_EQ(circuits({"--head", "L1H2"}), one);
  const json two = circuits({"--head", "0.1,L1H2"});
  ASSERT_EQ(two["heads"].size(), 2U);
  EXPECT_EQ(two["heads"][1]["qk_directions"], one["qk_directions"]);
  EXPECT_EQ(circuits({"--head", "all"})["heads"].size(), 8U);
  EXPECT_EQ(circuits({"--layer", "1", "--head", "all"})["heads"].size(), 4U);
  const auto ofT5 = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"circuits", dataFile("families/t5")});
    return jsonOf(flags);
  };
  EXPECT_EQ(ofT5({"--head", "cross:1.2"}),
            ofT5({"--attention", "cross", "--layer", "1", "--head", "2"}));
  expectRefused({"circuits", dataFile("families/t5"), "--head", "cross:1.2,encoder:0.1"},
                {"--head", "both stacks"});
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
