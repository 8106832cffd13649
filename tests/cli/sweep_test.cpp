#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "tests/cli/cli_test.h"
#include "tests/core/support/circuits.h"

namespace headscope {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

Arguments sweep(const std::string& model, const Arguments& flags) {
  Arguments all{"sweep", dataFile(model)};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

std::string idsOf(const std::vector<Index>& ids) { return fmt::format("{}", fmt::join(ids, ",")); }

/// The effects that transformers gives with hooks, of one golden.
class SweepOfGolden : public testing::Test {
 protected:
  const test::Circuit golden_{"gpt_neox"};
  const std::vector<Index> answers_ = golden_.ids("answers");

  std::string ids(const char* name) const { return idsOf(golden_.ids(name)); }
  Arguments command(const Arguments& flags) const {
    Arguments all = sweep("families/gpt_neox", {"--token-id", std::to_string(answers_[0]),
                                                "--against-id", std::to_string(answers_[1])});
    all.insert(all.end(), flags.begin(), flags.end());
    return all;
  }

  void expectEffects(const json& found, const char* tensor, const char* part) const {
    const std::vector<float> logits = golden_.tensor(tensor).values();
    const Shape shape = golden_.tensor(tensor).shape();
    const json& effects = found["effects"];
    ASSERT_EQ(effects.size(), static_cast<std::size_t>(shape[0] * shape[1]));
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const auto row = static_cast<Index>(i) * shape[2];
      const auto at = [&](Index id) {
        return static_cast<double>(logits[static_cast<std::size_t>(row + id)]);
      };
      EXPECT_EQ(effects[i]["layer"], static_cast<Index>(i) / shape[1]);
      EXPECT_EQ(effects[i][part], static_cast<Index>(i) % shape[1]);
      EXPECT_NEAR(effects[i]["value"].get<double>(), at(answers_[0]) - at(answers_[1]), 1e-5);
    }
  }
};

TEST_F(SweepOfGolden, HeadsAndPlacesAsTransformersWithHooks) {
  const json patched = jsonOf(command({"--ids", ids("corrupt"), "--other-ids", ids("clean"),
                                       "--with", "other", "--over", "heads"}));
  EXPECT_EQ(patched["schema"], "headscope.sweep/1");
  EXPECT_EQ(patched["metric"], "logit_difference");
  expectEffects(patched, "head_patched", "head");
  expectEffects(jsonOf(command({"--ids", ids("clean"), "--over", "heads"})), "head_zeroed", "head");
  const json places = jsonOf(command({"--ids", ids("corrupt"), "--other-ids", ids("clean"),
                                      "--with", "other", "--over", "places"}));
  expectEffects(places, "residual_patched", "place");
  const std::vector<float> clean = golden_.tensor("clean_logits").values();
  EXPECT_NEAR(places["other"].get<double>(),
              static_cast<double>(clean[static_cast<std::size_t>(answers_[0])]) -
                  static_cast<double>(clean[static_cast<std::size_t>(answers_[1])]),
              1e-5);
}

class SweepOfSet : public InFolder {};

/// Two texts of a set give the mean of both.
TEST_F(SweepOfSet, EffectsAreMeansOverItsTexts) {
  const std::string first =
      R"({"clean": "The cat", "corrupt": "The mat", "answers": [" on", " the"]})";
  const std::string second =
      R"({"clean_ids": [283, 271, 84], "corrupt_ids": [5, 6, 7], "answer_ids": [9, 3]})";
  write("set.jsonl", first + "\n\n" + second + "\n");
  const auto over = [&](const Arguments& flags) {
    Arguments all = sweep("tiny-gpt2", {"--with", "other"});
    all.insert(all.end(), flags.begin(), flags.end());
    return jsonOf(all);
  };
  const json both = over({"--set", path("set.jsonl")});
  write("first.jsonl", first);
  write("second.jsonl", second);
  const json a = over({"--set", path("first.jsonl")});
  const json b = over({"--set", path("second.jsonl")});
  EXPECT_EQ(both["texts"], 2);
  EXPECT_FALSE(both.contains("token_id"));  // the texts ask for different words
  const auto mean = [](const json& x, const json& y) {
    return (x.get<double>() + y.get<double>()) / 2.0;
  };
  EXPECT_NEAR(both["base"].get<double>(), mean(a["base"], b["base"]), 1e-9);
  EXPECT_NEAR(both["other"].get<double>(), mean(a["other"], b["other"]), 1e-9);
  for (std::size_t i = 0; i < both["effects"].size(); ++i) {
    const json &one = a["effects"][i], &two = b["effects"][i], &all = both["effects"][i];
    EXPECT_NEAR(all["value"].get<double>(), mean(one["value"], two["value"]), 1e-9);
    EXPECT_NEAR(all["direct"].get<double>(), mean(one["direct"], two["direct"]), 1e-9);
    const double changeA = one["value"].get<double>() - a["base"].get<double>();
    const double changeB = two["value"].get<double>() - b["base"].get<double>();
    EXPECT_NEAR(all["spread"].get<double>(), std::abs(changeA - changeB) / 2.0, 1e-9);
    const std::string line = std::abs(changeA) >= std::abs(changeB) ? "line 1" : "line 3";
    EXPECT_NE(all["strongest"].get<std::string>().find(line), std::string::npos);
    ASSERT_EQ(all["best"].size(), 2U);
    EXPECT_EQ(all["best"][0]["text"], all["strongest"]);
    EXPECT_NEAR(std::abs(all["best"][0]["value"].get<double>()),
                std::max(std::abs(changeA), std::abs(changeB)), 1e-9);
  }
  const json swapped = over({"--set", path("first.jsonl"), "--swap"});
  EXPECT_EQ(swapped["base"], a["other"]);
  EXPECT_EQ(swapped["other"], a["base"]);
}

/// A template's texts are those of its number and seed, and have answers.
TEST_F(SweepOfSet, ATemplateMakesTexts) {
  const auto over = [](const Arguments& flags) {
    Arguments all{"sweep", "headscope:induction", "--set", "template:induction", "--with", "other"};
    all.insert(all.end(), flags.begin(), flags.end());
    return jsonOf(all);
  };
  const json found = over({"--count", "6", "--seed", "3"});
  EXPECT_EQ(found["texts"], 6);
  EXPECT_EQ(found["metric"], "logit_difference");
  EXPECT_GT(found["base"].get<double>(), found["other"].get<double>() + 1.0);
  EXPECT_NE(found["effects"][0]["strongest"].get<std::string>().find("template:induction, text "),
            std::string::npos);
  double most = 0.0;
  for (const json& each : found["effects"]) most = std::max(most, each["looks"].get<double>());
  EXPECT_GT(most, 0.5) << "the induction head looks at what followed";
  EXPECT_EQ(found, over({"--count", "6", "--seed", "3"}));
  EXPECT_NE(found["base"], over({"--count", "6", "--seed", "4"})["base"]);
  const Arguments lines{"why", "headscope:induction", "--jsonl", "template:induction", "--count",
                        "2"};
  const std::string text = runProgram(lines).out;
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
  EXPECT_NE(text.find("\"source\":\"template:induction, text 2\""), std::string::npos) << text;
  expectRefused({"sweep", "headscope:induction", "--set", "template:ioi"},
                {"template:ioi", "when"});
  for (const char* command : {"sweep", "why", "tokenize", "model"}) {
    expectRefused({command, "headscope:induction", "--text", "abc", "--count", "3"},
                  {"--count", "template:ioi"});
  }
  expectRefused({"sweep", "headscope:induction", "--text", "abc", "--seed", "3"},
                {"--seed", "template:ioi"});
  expectRefused({"sweep", "headscope:induction", "--set", "template:x"},
                {"template:x", "template:agreement"});
}

/// A text of another length is aligned, and the output says how.
TEST_F(SweepOfSet, ALongerTextIsAligned) {
  const auto command = [](const Arguments& flags) {
    Arguments all =
        sweep("tiny-gpt2", {"--ids", "1,2,3", "--other-ids", "1,9,2,3", "--with", "other"});
    all.insert(all.end(), flags.begin(), flags.end());
    return all;
  };
  const json found = jsonOf(command({}));
  EXPECT_EQ(found["aligned"], json::parse("[0, 2, 3]"));
  const CliResult words = runProgram(command({"--token-id", "5"}));
  EXPECT_NE(words.out.find("The texts have 3 and 4 tokens and are aligned"), std::string::npos)
      << words.out << words.err;
}

/// Sides of heads, by the head's or the key/value head's own number, and paths to one of them.
TEST_F(SweepOfSet, SidesAndPathsAreSwept) {
  const auto over = [](const std::string& what, const Arguments& flags) {
    Arguments all = sweep("tiny-llama", {"--ids", "1,65,77,5", "--other-ids", "1,9,12,5", "--with",
                                         "other", "--over", what});
    all.insert(all.end(), flags.begin(), flags.end());
    return jsonOf(all);
  };
  const json queries = over("queries", {}), keys = over("keys", {});
  ASSERT_EQ(queries["effects"].size(), 8U);
  ASSERT_EQ(keys["effects"].size(), 4U);
  EXPECT_EQ(queries["effects"][7]["head"], 3);
  EXPECT_EQ(keys["effects"][3]["kv_head"], 1);
  EXPECT_NE(keys["effects"][0]["value"], keys["base"]);
  EXPECT_NE(over("values", {})["effects"][0]["value"], keys["effects"][0]["value"]);
  const json paths = over("heads", {"--to", "1.1:v"});
  EXPECT_EQ(paths["to"], "1.1:v");
  ASSERT_EQ(paths["effects"].size(), 4U) << "the heads of the layer before";
  EXPECT_EQ(paths["effects"][3]["layer"], 0);
  EXPECT_EQ(paths["effects"][3]["head"], 3);
  EXPECT_NE(paths["effects"][3]["value"], paths["base"]);
  EXPECT_NE(paths["effects"], over("heads", {"--to", "1.1:k"})["effects"]);
  const json several = over("heads", {"--to", "1.1:v,1.1:k"});
  ASSERT_EQ(several["sweeps"].size(), 2U);
  EXPECT_EQ(several["sweeps"][0], paths);
  EXPECT_EQ(over("heads", {"--to", "all:v"})["sweeps"].size(), 2U)
      << "the key/value heads of layer 1";
  const auto refused = [](const Arguments& flags, const Arguments& parts) {
    Arguments all{"--ids", "1,65"};
    all.insert(all.end(), flags.begin(), flags.end());
    expectRefused(sweep("tiny-llama", all), parts);
  };
  refused({"--to", "1.2:v"}, {"1.2:v", "key/value heads 0 to 1"});
  refused({"--to", "1.2"}, {"--to 1.2", "q, k or v"});
  refused({"--to", "x:q"}, {"--to x"});
  refused({"--to", "1.0:q", "--over", "keys"}, {"--to", "--over heads"});
  refused({"--to", "0.0:q"}, {"--to 0.0:q", "earlier layer"});
}

TEST_F(SweepOfSet, ATextIsSweptWithTheSetsMeans) {
  write("one.txt", "The cat\n");
  const Arguments text{"--text", "The cat", "--with", "mean", "--over", "layers"};
  Arguments withSet = text;
  withSet.insert(withSet.end(), {"--set", path("one.txt")});
  EXPECT_EQ(jsonOf(sweep("tiny-gpt2", withSet)), jsonOf(sweep("tiny-gpt2", text)));
  write("two.txt", "The cat\nThe mat sat\n");
  withSet.back() = path("two.txt");
  const json other = jsonOf(sweep("tiny-gpt2", withSet));
  EXPECT_FALSE(other.contains("texts"));
  EXPECT_NE(other["effects"], jsonOf(sweep("tiny-gpt2", text))["effects"]);
}

TEST_F(SweepOfSet, TablesAndCsvSayWhatTheJsonSays) {
  const Arguments flags{"--text", "The cat", "--over", "layers", "--token-id", "9"};
  const json found = jsonOf(sweep("tiny-gpt2", flags));
  EXPECT_EQ(found["metric"], "logit");
  ASSERT_EQ(found["effects"].size(), 4U);
  EXPECT_EQ(found["effects"][1]["part"], "network");
  Arguments csv = flags;
  csv.emplace_back("--csv");
  const std::string table = runProgram(sweep("tiny-gpt2", csv)).out;
  EXPECT_EQ(
      table.rfind("layer,part,value,direct,estimate,probability,kl,adds,looks\n0,attention,", 0),
      0U)
      << table;
  EXPECT_NE(table.find(fmt::format("1,network,{}", found["effects"][3]["value"].get<double>())),
            std::string::npos)
      << table;
  const std::string words = runProgram(sweep("tiny-gpt2", flags)).out;
  EXPECT_NE(words.find(fmt::format("{:.4f}", found["effects"][3]["value"].get<double>())),
            std::string::npos)
      << words;
}

TEST_F(SweepOfSet, CsvOfASetHasTheSpreadAndTheStrongestText) {
  const Arguments flags{
      "sweep", "headscope:induction", "--set", "template:induction", "--count", "3", "--by",
      "looks"};
  const json found = jsonOf(flags);
  Arguments csv = flags;
  csv.emplace_back("--csv");
  const std::string table = runProgram(csv).out;
  EXPECT_TRUE(table.starts_with(
      "layer,head,value,direct,estimate,probability,kl,adds,looks,spread,strongest\n"))
      << table;
  for (const json& effect : found["effects"]) {
    const std::string end =
        fmt::format(",{},{},\"{}\"\n", effect["looks"].get<double>(),
                    effect["spread"].get<double>(), effect["strongest"].get<std::string>());
    EXPECT_NE(table.find(end), std::string::npos) << end << table;
  }
}

/// The table has a column for the number that it is sorted by.
TEST_F(SweepOfSet, TheTableShowsTheNumberItIsSortedBy) {
  const Arguments flags{"--text", "The cat", "--over", "layers", "--token-id", "9"};
  const json found = jsonOf(sweep("tiny-gpt2", flags));
  const auto sortedBy = [&](const char* by) {
    Arguments sorted = flags;
    sorted.insert(sorted.end(), {"--by", by});
    return runProgram(sweep("tiny-gpt2", sorted)).out;
  };
  const std::string byKl = sortedBy("kl"), byProbability = sortedBy("probability");
  EXPECT_NE(byKl.find("looks      KL\n"), std::string::npos) << byKl;
  EXPECT_NE(byProbability.find("looks  change of p\n"), std::string::npos) << byProbability;
  for (const json& effect : found["effects"]) {
    const std::string kl = fmt::format("  {:.4f}\n", effect["kl"].get<double>());
    EXPECT_NE(byKl.find(kl), std::string::npos) << kl << byKl;
    const double change =
        effect["probability"].get<double>() - found["base_probability"].get<double>();
    const std::string p = fmt::format("  {:+.4f}\n", change);
    EXPECT_NE(byProbability.find(p), std::string::npos) << p << byProbability;
  }
  EXPECT_EQ(sortedBy("adds").find("KL"), std::string::npos);
}

TEST_F(SweepOfSet, WhatCannotBeIsRefused) {
  const auto refused = [](const Arguments& flags, const Arguments& parts) {
    expectRefused(sweep("tiny-gpt2", flags), parts);
  };
  refused({}, {"--text", "--ids"});
  refused({"--ids", "1,2", "--with", "other"}, {"--other-text", "--other-ids"});
  refused({"--ids", "1,2", "--other-ids", "3,4"}, {"--with other"});
  refused({"--set", "template:thanks", "--swap"}, {"--swap", "--with other"});
  refused({"--ids", "1,2", "--set", "template:thanks"}, {"--set", "--with mean"});
  expectRefused({"sweep", "headscope:stories", "--text", "Mia gave", "--token", "zebra"},
                {"--token", "zebra", "not in the vocabulary"});
  refused({"--ids", "1,2", "--token-id", "400"}, {"id 400", "0 to 399"});
  refused({"--ids", "1,2", "--against-id", "4"}, {"--token"});
  refused({"--ids", "1,2", "--at", "2"}, {"--at 2", "0 to 1"});
  refused({"--text", "The cat", "--token", "The cat"}, {"--token", "tokens"});
  write("bad.jsonl", "{\"text\": 5}\n");
  refused({"--set", path("bad.jsonl")}, {"bad.jsonl, line 1", "text"});
  write("damaged.jsonl", "{\"text\": \"a\"}\n{\n");
  refused({"--set", path("damaged.jsonl")}, {"damaged.jsonl, line 2"});
  write("empty.jsonl", "\n\n");
  refused({"--set", path("empty.jsonl")}, {"empty.jsonl", "no text"});
  write("alone.jsonl", "{\"text\": \"The cat\"}\n");
  refused({"--set", path("alone.jsonl"), "--with", "other"}, {"alone.jsonl, line 1", "corrupt"});
  write("uneven.txt", "The cat\nThe cat sat on\n");
  refused({"--set", path("uneven.txt"), "--over", "places"}, {"numbers of tokens", "equally many"});
}

/// Each part at each token is what that part at that token alone is.
TEST_F(SweepOfGolden, ReplacesPartsAtEachTokenInTurn) {
  const Arguments layers{"--ids", ids("clean"), "--over", "layers", "--place"};
  const auto placed = [&](const std::string& place) {
    Arguments flags = layers;
    flags.push_back(place);
    return jsonOf(command(flags));
  };
  const json each = placed("each"), third = placed("2"), asked = placed("asked");
  EXPECT_EQ(each["place"], "each");
  EXPECT_EQ(third["place"], 2);
  EXPECT_EQ(asked["place"], "asked");
  const std::size_t tokens = golden_.ids("clean").size();
  ASSERT_EQ(each["effects"].size(), tokens * third["effects"].size());
  for (std::size_t part = 0; part < third["effects"].size(); ++part) {
    for (const auto& [place, alone] :
         {std::pair<std::size_t, json>(2, third["effects"][part]),
          std::pair<std::size_t, json>(tokens - 1, asked["effects"][part])}) {
      const json& one = each["effects"][part * tokens + place];
      EXPECT_EQ(one["place"], place);
      EXPECT_EQ(one["part"], alone["part"]);
      EXPECT_NEAR(one["value"].get<double>(), alone["value"].get<double>(), 1e-5);
      EXPECT_NEAR(one["estimate"].get<double>(), alone["estimate"].get<double>(), 1e-6);
      EXPECT_FALSE(alone.contains("place"));
    }
  }
  Arguments csv = layers;
  csv.insert(csv.end(), {"each", "--csv"});
  EXPECT_TRUE(runProgram(command(csv)).out.starts_with("layer,part,place,value,"));
  EXPECT_NE(runProgram(command({"--ids", "1,2,3", "--place", "each"})).out.find("each in turn"),
            std::string::npos);
  expectRefused(command({"--ids", "1,2,3", "--place", "last"}), {"--place last", "each"});
  expectRefused(command({"--ids", "1,2,3", "--place", "3"}), {"there is no token 3"});
}

TEST(SweepCommand, ReadsAnImage) {
  const std::string picture = "headscope:shapes/circle";
  const json found = jsonOf({"sweep", "headscope:shapes", "--image", picture, "--over", "layers"});
  EXPECT_EQ(found["label"], "circle");
  EXPECT_EQ(found["at"], 0);
  const json against = jsonOf({"sweep", "headscope:shapes", "--image", picture, "--token", "circle",
                               "--against", "square", "--over", "places"});
  EXPECT_EQ(against["against"], "square");
  EXPECT_EQ(against["effects"][1]["place"], 1);
  EXPECT_EQ(against["effects"][1]["token"], "patch 1,1");
  const CliResult places =
      runProgram({"sweep", "headscope:shapes", "--image", picture, "--over", "places"});
  EXPECT_TRUE(std::regex_search(places.out, std::regex("\\d+ \\(patch \\d,\\d\\)"))) << places.out;
  const CliResult one =
      runProgram({"sweep", "headscope:shapes", "--image", picture, "--place", "1"});
  EXPECT_NE(one.out.find("at place 2 (patch 1,1) alone"), std::string::npos) << one.out;
  expectRefused({"sweep", "headscope:shapes", "--text", "a"}, {"reads images", "--image"});
  expectRefused(sweep("tiny-gpt2", {"--image", picture}), {"--image", "reads texts"});
}

/// Values of another image are put in place patch by patch; the patches that differ decide.
TEST(SweepCommand, PutsInValuesOfAnotherImage) {
  const Arguments command{"sweep",     "headscope:shapes",
                          "--image",   "headscope:shapes/circle",
                          "--with",    "other",
                          "--token",   "circle",
                          "--against", "square"};
  const auto with = [&](const Arguments& flags) {
    Arguments all = command;
    all.insert(all.end(), flags.begin(), flags.end());
    return all;
  };
  const Arguments square{"--other-image", "headscope:shapes/square"};
  const json found = jsonOf(with(square));
  const json there = jsonOf({"model", "headscope:shapes", "--image", "headscope:shapes/square",
                             "--attribute", "circle,square"});
  EXPECT_NEAR(found["other"].get<double>(), there["attribution"]["logit"].get<double>(), 1e-4);
  EXPECT_NE(found["effects"][0]["value"], found["base"]);
  EXPECT_GT(found["effects"][0]["looks"].get<double>(), 0.0);
  const json same = jsonOf(with({"--other-image", "headscope:shapes/circle"}));
  EXPECT_NEAR(same["effects"][0]["value"].get<double>(), same["base"].get<double>(), 1e-5);
  EXPECT_TRUE(same["effects"][0]["looks"].is_null()) << "no patch differs";
  const CliResult inWords = runProgram(with(square));
  EXPECT_NE(inWords.out.find("on the other image"), std::string::npos) << inWords.out;
  EXPECT_NE(inWords.out.find("replaced by its values on the other image"), std::string::npos);

  expectRefused(command, {"--other-image"});
  expectRefused(with({"--other-text", "a"}), {"reads images", "--other-image"});
  expectRefused(sweep("tiny-gpt2", {"--ids", "1,2", "--with", "other", square[0], square[1]}),
                {"--other-image", "reads texts", "--other-text"});
  expectRefused({"sweep", "headscope:shapes", "--image", "headscope:shapes/circle", "--other-image",
                 "headscope:shapes/square"},
                {"--other-image", "--with other"});
}

/// A model like BERT predicts the word that the mask hides.
TEST(SweepCommand, ReadsAtTheMaskToken) {
  const json found = jsonOf(sweep("tiny-bert", {"--text", "the [MASK] sat", "--over", "layers"}));
  EXPECT_EQ(found["at"], 2);
  const json last = jsonOf(sweep("tiny-bert", {"--text", "the cat sat", "--over", "layers"}));
  EXPECT_EQ(last["at"], 4);
}

}  // namespace
}  // namespace headscope
