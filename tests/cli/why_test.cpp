#include <cmath>

#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

double sumOf(const json& list) {
  double sum = 0.0;
  for (const json& each : list) sum += each["value"].get<double>();
  return sum;
}

/// The shipped model: the second layer looks at the token behind the earlier occurrence, since the
/// first layer wrote there which token came before.
TEST(WhyCommand, FollowsTheInductionCircuit) {
  const Arguments command{"why", "headscope:induction", "--text", "qxmbtka qxmbtka qxm"};
  const json found = jsonOf(command);
  EXPECT_EQ(found["schema"], "headscope.why/1");
  EXPECT_EQ(found["token"], "b");
  const json& levels = found["levels"];
  ASSERT_EQ(levels.size(), 5U);
  EXPECT_EQ(levels[0]["kind"], "parts");
  EXPECT_NEAR(sumOf(levels[0]["parts"]), found["logit"].get<double>(), 1e-4);
  EXPECT_EQ(levels[1]["kind"], "head");
  EXPECT_EQ(levels[1]["layer"], 1);
  EXPECT_NEAR(sumOf(levels[1]["sources"]), levels[1]["value"].get<double>(), 1e-4);
  EXPECT_TRUE(levels[0]["passed_over"].empty()) << "the largest part is a head's";
  EXPECT_EQ(levels[1]["without"]["frozen"].get<double>(), -levels[1]["value"].get<double>());
  EXPECT_EQ(levels[1]["follows"]["score_of"], 10);
  EXPECT_EQ(levels[2]["kind"], "score");
  EXPECT_EQ(levels[2]["key"], 10);
  EXPECT_NEAR(sumOf(levels[2]["entries"]), levels[2]["value"].get<double>(), 1e-3);
  EXPECT_NEAR(levels[2]["content"].get<double>() + levels[2]["content_and_position"].get<double>() +
                  levels[2]["position"].get<double>(),
              levels[2]["sum"].get<double>(), 1e-9);
  EXPECT_EQ(levels[2]["follows"]["along"], "key");
  for (const char* side : {"queries", "keys"}) {
    EXPECT_NEAR(sumOf(levels[2][side]), levels[2]["value"].get<double>(), 1e-3) << side;
  }
  EXPECT_EQ(levels[3]["shares"].size(), 2U);
  EXPECT_NEAR(levels[3]["shares"][0].get<double>(),
              levels[1]["sources"][10]["value"].get<double>() / found["logit"].get<double>(), 1e-9);
  EXPECT_EQ(levels[3]["shares"][1], levels[3]["share"]);
  EXPECT_EQ(levels[3]["layer"], 0);
  EXPECT_GT(levels[3]["sources"][9]["weight"].get<double>(), 0.9) << "the token before";
  const std::string words = runProgram(command).out;
  for (const char* part :
       {"why b after “m” (place 17)", "followed", "token embedding", "the logit changes by",
        "the score changes by", "this token gives 24 % of the logit",
        "24 % of the logit, then 83 % of its score"}) {
    EXPECT_NE(words.find(part), std::string::npos) << part << '\n' << words;
  }
}

TEST(WhyCommand, IdsDepthAndADifferenceOfTwoWords) {
  const json found = jsonOf({"why", dataFile("families/gpt_neox"), "--ids", "1,2,3,4", "--token-id",
                             "5", "--against-id", "6", "--depth", "1", "--at", "2"});
  EXPECT_EQ(found["token_id"], 5);
  EXPECT_EQ(found["against_id"], 6);
  EXPECT_EQ(found["at"], 2);
  ASSERT_EQ(found["levels"].size(), 2U);
  EXPECT_EQ(found["levels"][0]["follows"]["network_of"], 1)
      << "the largest, though no head wrote it";
  EXPECT_EQ(found["levels"][1]["kind"], "network");
}

TEST(WhyCommand, FollowsGivenSteps) {
  const Arguments command{"why", "headscope:induction", "--text", "qxmbtka qxmbtka qxm"};
  const auto steps = jsonOf(command)["steps"].get<std::string>();
  Arguments same = command;
  same.insert(same.end(), {"--follow", steps});
  EXPECT_EQ(jsonOf(same), jsonOf(command));
  same.back() = "h1.0 v2";
  const json other = jsonOf(same);
  ASSERT_EQ(other["levels"].size(), 3U);
  EXPECT_EQ(other["levels"][2]["kind"], "parts");
  EXPECT_EQ(other["levels"][2]["place"], 2);
  same.back() = "sideways";
  expectRefused(same, {"sideways", "chain of steps"});
}

/// A score is taken apart in models that say no words, and in every stack.
TEST(WhyCommand, BeginsAtAScore) {
  const Arguments bert{"why", dataFile("tiny-bert"), "--text", "the cat sat", "--score", "1.2:2:1"};
  const json found = jsonOf(bert);
  EXPECT_FALSE(found.contains("logit"));
  EXPECT_EQ(found["score"]["layer"], 1);
  EXPECT_EQ(found["score"]["query"], 2);
  EXPECT_EQ(found["levels"][0]["kind"], "score");
  EXPECT_EQ(found["levels"][0]["value"], found["score"]["value"]);
  EXPECT_NEAR(sumOf(found["levels"][0]["entries"]), found["score"]["value"].get<double>(), 1e-4);
  EXPECT_TRUE(found["levels"][0]["passed_over"].empty());
  EXPECT_EQ(found["levels"][0]["follows"]["query"]["part"], "feed_forward") << "the largest";
  Arguments smaller = bert;
  smaller.insert(smaller.end(), {"--follow", "q:h0.2:f0"});
  const std::string words = runProgram(smaller).out;
  EXPECT_NE(words.find("why layer 2, head 3 looks from “cat” (place 3) at “the” (place 2)"),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("passed over, though larger: layer 1, FFN × layer 1, FFN -1.1759"),
            std::string::npos)
      << words;
  Arguments letters = bert;
  for (const std::string name : {"L1H2:2:1", "l1h2:2:1"}) {
    letters.back() = name;
    EXPECT_EQ(jsonOf(letters), found) << name;
  }
  const Arguments t5{"why",        dataFile("families/t5"), "--ids",
                     "44,59,8,32", "--decoder-ids",         "0,5",
                     "--score",    "encoder:1.2:3:0"};
  EXPECT_EQ(jsonOf(t5)["score"]["attention"], "encoder");
}

/// A pair of two networks is followed to the neurons of one.
TEST(WhyCommand, FollowsNetworks) {
  const Arguments bert{
      "why",    dataFile("tiny-bert"), "--text", "the cat sat", "--score", "1.2:2:1", "--follow",
      "k:f0:f0"};
  const json found = jsonOf(bert);
  const json& level = found["levels"][1];
  EXPECT_EQ(level["kind"], "network");
  EXPECT_EQ(level["layer"], 0);
  EXPECT_EQ(level["place"], 1);
  EXPECT_EQ(found["levels"][0]["follows"]["along"], "key");
  EXPECT_NEAR(sumOf(level["neurons"]) + level["bias"].get<double>(),
              found["levels"][0]["entries"][0]["value"].get<double>(), 1e-4);
  EXPECT_EQ(level["without"]["frozen"].get<double>(), -level["value"].get<double>());
  EXPECT_NE(runProgram(bert).out.find("layer 1, FFN at “the” (place 2), neuron by neuron"),
            std::string::npos);
}

/// The largest pairs of a score are left out where that is asked for.
TEST(WhyCommand, RunsWithoutPairs) {
  Arguments command{"why",      "headscope:induction", "--text", "qxmbtka qxmbtka qxm", "--score",
                    "1.2:16:10"};
  EXPECT_FALSE(jsonOf(command)["levels"][0]["entries"][0].contains("without"));
  command.emplace_back("--pairs");
  const json found = jsonOf(command);
  const json& first = found["levels"][0]["entries"][0];
  EXPECT_EQ(first["query"]["part"], "token");
  EXPECT_EQ(first["key"]["part"], "head");
  EXPECT_EQ(first["without"]["frozen"].get<double>(), -first["value"].get<double>());
  EXPECT_LT(first["without"]["total"].get<double>(), first["without"]["frozen"].get<double>())
      << "without the token heads of the first layer look elsewhere, too";
  EXPECT_NE(runProgram(command).out.find("without the pair"), std::string::npos);
}

TEST(WhyCommand, RefusesScoresThatDoNotExist) {
  Arguments bert{"why", dataFile("tiny-bert"), "--text", "the cat sat", "--score", "1.2:2"};
  expectRefused(bert, {"--score 1.2:2", "1.2:5:3"});
  bert.back() = "1.9:2:1";
  expectRefused(bert, {"there is no layer 1, head 9"});
  bert.back() = "1.2:2:40";
  expectRefused(bert, {"there is no token 40"});
  bert.back() = "1.2:2:1";
  bert.insert(bert.end(), {"--token", "cat"});
  expectRefused(bert, {"--score", "leave out --token"});
  expectRefused({"why", dataFile("tiny-gpt2"), "--text", "The cat sat", "--score", "0.1:0:2"},
                {"--score", "masked", "causal: key 2 comes after query 0"});
}

/// A head in --follow that does not exist, and steps in a wrong order, name the way out.
TEST(WhyCommand, RefusesStepsThatDoNotExist) {
  Arguments command{"why", dataFile("tiny-gpt2"), "--ids", "1,5", "--follow", "h1.9"};
  expectRefused(command, {"there is no layer 1, head 9", "0 to 3"});
  command.back() = "s1";
  expectRefused(command, {"give a head first"});
  command.back() = "1.2 v0 L1H3";
  expectRefused(command, {"h1.3 writes nothing before it"});
  command.back() = "f1 h1.1";
  expectRefused(command, {"a network's neurons", "goes on to what drives neuron 13"});
}

/// A chain begins at the masked word of a model that predicts masked words, with the activation of
/// its head held too.
TEST(WhyCommand, FollowsAMaskedWord) {
  const Arguments command{"why", dataFile("tiny-bert"), "--text", "the [MASK] sat", "--token",
                          "cat"};
  const json found = jsonOf(command);
  EXPECT_EQ(found["at"], 2) << "behind [CLS]";
  EXPECT_EQ(found["held"], (json{"patterns", "norms", "head_activation"}));
  const json& levels = found["levels"];
  ASSERT_EQ(levels.size(), 5U);
  EXPECT_EQ(levels[0]["place"], 2);
  EXPECT_NEAR(sumOf(levels[0]["parts"]), found["logit"].get<double>(), 1e-5);
  EXPECT_NEAR(sumOf(levels[1]["neurons"]) + levels[1]["bias"].get<double>(),
              levels[1]["value"].get<double>(), 1e-5);
  EXPECT_EQ(levels[1]["without"]["frozen"].get<double>(), -levels[1]["value"].get<double>());
  EXPECT_NE(levels[1]["without"]["total"].get<double>(), 0.0);
  const std::string words = runProgram(command).out;
  EXPECT_EQ(words.find("why cat at “[MASK]” (place 3): "), 0U) << words;
  EXPECT_NE(words.find("with patterns, norms and the masked-word head's activation held"),
            std::string::npos)
      << words;
  const json chain = jsonOf({"why", "headscope:induction", "--text", "qxmbtka qxmbtka qxm"});
  EXPECT_EQ(chain["held"], (json{"patterns", "norms"}));
}

TEST(WhyCommand, RefusesFlagsThatDoNotFit) {
  expectRefused({"why", dataFile("tiny-gpt2")}, {"--text", "--ids"});
  expectRefused({"why", dataFile("tiny-gpt2"), "--ids", "1", "--depth", "65"}, {"--depth"});
}

/// A chain leads to what drives a neuron, and names both products of a gated one.
TEST(WhyCommand, FollowsANeuron) {
  const Arguments command{"why",      dataFile("tiny-llama"), "--ids", "5,17,3,40",
                          "--follow", "f1 n1.13g h1.2 v0"};
  const json found = jsonOf(command);
  EXPECT_EQ(found["steps"], "f1 n1.13g h1.2 v0");
  const json& levels = found["levels"];
  ASSERT_EQ(levels.size(), 5U);
  EXPECT_EQ(levels[1]["follows"], (json{{"neuron", 13}, {"side", "gate"}}));
  EXPECT_EQ(levels[2]["kind"], "neuron");
  EXPECT_EQ(levels[2]["neuron"], 13);
  EXPECT_EQ(levels[2]["side"], "gate");
  EXPECT_NEAR(sumOf(levels[2]["parts"]), levels[2]["value"].get<double>(), 1e-5);
  EXPECT_NEAR(levels[2]["shares"][0].get<double>(),
              levels[1]["neurons"][13]["value"].get<double>() / found["logit"].get<double>(), 1e-9);
  const double gate = levels[2]["value"], up = levels[2]["other_side"];
  EXPECT_NEAR(gate / (1.0 + std::exp(-gate)) * up,
              levels[1]["neurons"][13]["activation"].get<double>(), 1e-5)
      << "SiLU(gate) · up";
  EXPECT_EQ(levels[3]["layer"], 1) << "a head of the neuron's own layer";
  EXPECT_NEAR(sumOf(levels[3]["sources"]), levels[3]["value"].get<double>(), 1e-5);
  EXPECT_EQ(levels[4]["kind"], "parts");
  const std::string words = runProgram(command).out;
  for (const char* part : {"what drives neuron 14, gate at", "(up is ", "of its pre-activation",
                           "the pre-activation changes by"}) {
    EXPECT_NE(words.find(part), std::string::npos) << part << '\n' << words;
  }
}

/// T5 has no positions in its stream: the bias of the distance is a part of its own.
TEST(WhyCommand, SplitsNoPositionsWhereNoneWrite) {
  const Arguments command{
      "why",     dataFile("families/t5"), "--ids",   "44,59,8,32", "--decoder-ids", "0,5",
      "--score", "encoder:0.3:2:0",       "--depth", "0"};
  const json score = jsonOf(command)["levels"][0];
  EXPECT_TRUE(score["position"].is_null());
  EXPECT_NE(score["penalty"], 0.0);
  const CliResult inWords = runProgram(command);
  EXPECT_EQ(inWords.out.find("content"), std::string::npos) << inWords.out;
  EXPECT_NE(inWords.out.find("for the places"), std::string::npos) << inWords.out;
}

/// The tokens of an image are its patches, and its word is a label.
TEST(WhyCommand, NamesPatchesAndLabels) {
  const Arguments command{"why",      "headscope:shapes", "--image", "headscope:shapes/circle",
                          "--follow", "h1.0 s9"};
  const json found = jsonOf(command);
  EXPECT_EQ(found["label"], "circle");
  EXPECT_FALSE(found.contains("token"));
  EXPECT_EQ(found["levels"][1]["sources"][0]["token"], "class");
  EXPECT_EQ(found["levels"][1]["sources"][1]["token"], "patch 1,1");
  const CliResult inWords = runProgram(command);
  EXPECT_NE(inWords.out.find("why circle at “class” (place 1)"), std::string::npos) << inWords.out;
  EXPECT_NE(inWords.out.find("at “patch 2,1” (place 10): score"), std::string::npos) << inWords.out;
}

/// The window's own figure, with text that can be selected.
TEST(WhyCommand, DrawsTheChainAsAFigure) {
  TempFolder folder;
  const std::string figure = (folder / "chain.svg").string();
  const Arguments command{
      "why", dataFile("tiny-gpt2"), "--ids", "1,2,3,4", "--follow", "h1.1 s2", "--out", figure};
  const CliResult drawn = runProgram(command);
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("figure: " + figure), std::string::npos) << drawn.out;
  const std::string svg = readAll(figure);
  for (const char* part : {"Why: logit of", "layer 2, head 2 ·", "why it looks at",
                           "without layer 2, head 2: ", "tiny-gpt2 (2 layers"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(svg.find("follow the largest"), std::string::npos);
}

TEST(WhyCommand, DrawsAScoresChainOfTwoStacks) {
  TempFolder folder;
  const std::string figure = (folder / "chain.svg").string();
  const CliResult drawn =
      runProgram({"why", dataFile("families/t5"), "--ids", "44,59,8,32", "--decoder-ids", "0,5",
                  "--score", "cross:1.2:1:0", "--depth", "0", "--out", figure});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_NE(readAll(figure).find("cross-attention, head 3 from"), std::string::npos);
}

TEST(WhyCommand, RefusesFiguresThatItCannotDraw) {
  expectRefused({"why", dataFile("tiny-gpt2"), "--ids", "1,2", "--out", "chain.txt"},
                {"--out", ".svg"});
  expectRefused(
      {"why", dataFile("tiny-gpt2"), "--jsonl", dataFile("texts.jsonl"), "--out", "chain.svg"},
      {"--out", "leave out --jsonl"});
}

}  // namespace
}  // namespace headscope
