// The model command, and the commands on one layer, with encoder–decoder models.
#include <fmt/format.h>

#include <cmath>

#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

std::string listOf(const json& ids) {
  std::string list;
  for (const json& id : ids) list += (list.empty() ? "" : ",") + id.dump();
  return list;
}

class TwoStacks : public InFolder {
 protected:
  static std::string folder(const std::string& family) { return dataFile("families/" + family); }
  static json inputs(const std::string& family) {
    std::ifstream in(folder(family) + "/inputs.json");
    return json::parse(in);
  }
  static std::vector<std::string> model(const std::string& family, std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"model", folder(family)});
    return flags;
  }
};

TEST_F(TwoStacks, TheTraceIsThatOfTransformers) {
  for (const char* family : {"t5", "bart", "marian"}) {
    const json input = inputs(family)["0"];
    const CliResult result =
        runProgram(model(family, {"--ids", listOf(input["ids"]), "--decoder-ids",
                                  listOf(input["decoder_ids"]), "--trace", path("t.safetensors")}));
    ASSERT_EQ(result.status, 0) << result.err;
    const SafetensorsFile file(path("t.safetensors"));
    const SafetensorsFile expected(folder(family) + "/expected.safetensors");
    EXPECT_EQ(file.metadata().at("decoder_ids"), input["decoder_ids"].dump());
    EXPECT_EQ(file.metadata().at("ids"), input["ids"].dump());
    for (const char* name : {"encoder_attentions", "decoder_attentions", "cross_attentions",
                             "encoder_hidden_states", "decoder_hidden_states", "logits"}) {
      const Tensor wanted = expected.read(std::string("0.") + name);
      const std::vector<float> values = file.read(name).values(), golden = wanted.values();
      ASSERT_EQ(file.shape(name), wanted.shape()) << family << " " << name;
      double largest = 0.0;
      for (const float x : golden) largest = std::max(largest, std::abs(static_cast<double>(x)));
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_NEAR(values[i], golden[i], 1e-5 * largest) << family << " " << name;
      }
    }
  }
}

TEST_F(TwoStacks, SaysWhichAttentionEachHeadBelongsTo) {
  const json said = jsonOf(model("t5", {"--ids", "3,5,7", "--decoder-ids", "0,9"}));
  EXPECT_EQ(said["schema"], "headscope.model/1");
  EXPECT_EQ(said["ids"], json({3, 5, 7}));
  EXPECT_EQ(said["decoder_ids"], json({0, 9}));
  EXPECT_EQ(said["predictions"].size(), 2U);
  EXPECT_EQ(said["config"]["layers"], 2);
  EXPECT_EQ(said["config"]["encoder"]["layers"], 2);
  std::map<std::string, int> heads;
  for (const json& head : said["heads"]) {
    ++heads[head["attention"]];
    EXPECT_LT(head["layer"], 2);
    EXPECT_LT(head["head"], 4);
    EXPECT_EQ(head["previous_token"].is_null(), head["attention"] == "cross");
  }
  EXPECT_EQ(heads, (std::map<std::string, int>{{"encoder", 8}, {"decoder", 8}, {"cross", 8}}));
  EXPECT_FALSE(said.contains("generated"));
}

/// Without a target the model writes one, greedily, and the pass is over that.
TEST_F(TwoStacks, WritesATargetWhereNoneIsGiven) {
  const json said = jsonOf(model("bart", {"--ids", "3,5,7", "--generate", "4"}));
  ASSERT_EQ(said["decoder_ids"].size(), 5U);
  EXPECT_EQ(said["decoder_ids"][0], 2);  // the start token
  EXPECT_EQ(said["decoder_ids"][4], 2);  // the forced end
  EXPECT_TRUE(said["ended"]);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(said["generated"][i]["id"], said["decoder_ids"][i + 1]);
    if (i < 3) {
      EXPECT_EQ(said["predictions"][i][0]["id"], said["decoder_ids"][i + 1]);
    }
  }
  const json given =
      jsonOf(model("bart", {"--ids", "3,5,7", "--decoder-ids", listOf(said["decoder_ids"])}));
  EXPECT_EQ(given["predictions"], said["predictions"]);
  // a target that is given is continued
  const json more = jsonOf(
      model("bart", {"--ids", "3,5,7", "--decoder-ids", "2,9", "--generate", "2", "--no-heads"}));
  EXPECT_EQ(more["decoder_ids"], json({2, 9}));
  EXPECT_EQ(more["generated"].size(), 2U);
}

TEST_F(TwoStacks, HeadsOfEachAttentionCanBeSwitchedOff) {
  const std::vector<std::string> pass{"--ids", "3,5,7", "--decoder-ids", "0,9", "--no-heads"};
  const auto predictions = [&](const char* heads) {
    std::vector<std::string> flags = pass;
    if (heads != nullptr) flags.insert(flags.end(), {"--drop-heads", heads});
    return jsonOf(model("t5", flags))["predictions"];
  };
  std::vector<json> found{predictions(nullptr)};
  for (const char* heads : {"encoder:1.0", "decoder:1.0", "cross:1.0", "all"}) {
    const json now = predictions(heads);
    EXPECT_EQ(std::find(found.begin(), found.end(), now), found.end()) << heads;
    found.push_back(now);
  }
  std::vector<std::string> flags = pass;
  flags.insert(flags.end(), {"--drop-heads", "1.0"});
  expectRefused(model("t5", flags), {"--drop-heads 1.0", "decoder:0.3", "cross:0.3"});
}

TEST_F(TwoStacks, ReadingsAreOfTheDecoder) {
  const json said =
      jsonOf(model("t5", {"--ids", "3,5,7", "--decoder-ids", "0,9", "--lens", "--attribute",
                          "11,23", "--patch", "cross:1.2", "--patch-with", "zero"}));
  std::vector<std::string> after;
  for (const json& depth : said["lens"]) after.push_back(depth["after"]);
  EXPECT_EQ(after,
            (std::vector<std::string>{
                "embedding", "layer 1 self-attention", "layer 1 cross-attention", "layer 1 FFN",
                "layer 2 self-attention", "layer 2 cross-attention", "layer 2 FFN"}));
  EXPECT_NEAR(said["attribution"]["sum"], said["attribution"]["logit"], 1e-4);
  EXPECT_EQ(said["patch"]["attention"], "cross");
  EXPECT_EQ(said["patch"]["layer"], 1);
  const CliResult gradient =
      runProgram(model("t5", {"--ids", "3,5,7", "--decoder-ids", "0,9", "--trace",
                              path("t.safetensors"), "--grad-of-id", "11"}));
  ASSERT_EQ(gradient.status, 0) << gradient.err;
  const SafetensorsFile file(path("t.safetensors"));
  EXPECT_EQ(file.shape("grad.cross_heads"), (Shape{2, 4, 2, 8}));
  EXPECT_EQ(file.shape("grad.decoder_heads"), (Shape{2, 4, 2, 8}));
  EXPECT_EQ(file.shape("grad.residual"), (Shape{2, 2, 32}));
}

/// The sites of the three attentions, whose keys differ in number, and their gradients.
TEST_F(TwoStacks, TheTraceHasTheSitesOfEachAttention) {
  const CliResult traced =
      runProgram(model("t5", {"--ids", "3,5,7", "--decoder-ids", "0,9", "--trace",
                              path("t.safetensors"), "--sites", "all", "--grad-of-id", "11"}));
  ASSERT_EQ(traced.status, 0) << traced.err;
  const SafetensorsFile file(path("t.safetensors"));
  for (const std::string of : {"", "grad."}) {
    EXPECT_EQ(file.shape(of + "encoder_q"), (Shape{2, 4, 3, 8}));
    EXPECT_EQ(file.shape(of + "decoder_v"), (Shape{2, 4, 2, 8}));
    EXPECT_EQ(file.shape(of + "cross_q"), (Shape{2, 4, 2, 8}));
    EXPECT_EQ(file.shape(of + "cross_k"), (Shape{2, 4, 3, 8}));
    EXPECT_EQ(file.shape(of + "encoder_residual"), (Shape{2, 3, 32}));
    EXPECT_EQ(file.shape(of + "cross_attention"), (Shape{2, 2, 32}));
    EXPECT_EQ(file.shape(of + "decoder_network"), (Shape{2, 2, 32}));
    EXPECT_FALSE(file.has(of + "cross_network"));
  }
  // what enters a half of a layer and what it adds are what enters the next
  const Tensor self = file.read("decoder_residual"), cross = file.read("cross_residual");
  const Tensor bySelf = file.read("decoder_attention"), byCross = file.read("cross_attention");
  const Tensor byNetwork = file.read("decoder_network");
  const Index layer = 2 * 32;
  for (Index i = 0; i < layer; ++i) {
    EXPECT_NEAR(cross.data()[i], self.data()[i] + bySelf.data()[i], 1e-5);
    EXPECT_NEAR(self.data()[layer + i], cross.data()[i] + byCross.data()[i] + byNetwork.data()[i],
                1e-5);
  }
  // a head of cross-attention is its weights times the values of the source
  const Tensor weights = file.read("cross_attentions"), v = file.read("cross_v");
  const Tensor heads = file.read("cross_heads");
  for (Index j = 0; j < 8; ++j) {
    float sum = 0.0F;
    for (Index key = 0; key < 3; ++key) sum += weights.data()[key] * v.data()[key * 8 + j];
    EXPECT_NEAR(heads.data()[j], sum, 1e-5);
  }
}

TEST_F(TwoStacks, PrintsBothStacks) {
  const CliResult result = runProgram(model("t5", {"--ids", "3,5,7", "--decoder-ids", "0,9"}));
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"an encoder of 2 layers with 4 heads and a decoder of 2 layers with 4",
                           "3 source tokens, 2 target tokens", "heads of the encoder",
                           "heads of the decoder", "cross"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
}

/// One layer of any of the three attentions is a pass by itself, with its memory.
TEST_F(TwoStacks, OneLayerIsAPassByItself) {
  const auto run = [&](const char* attention, std::vector<std::string> more = {}) {
    std::vector<std::string> flags{
        "run",   "--model", folder("bart"),       "--layer", "1", "--attention", attention, "--ids",
        "3,5,7", "--trace", path("l.safetensors")};
    flags.insert(flags.end(), more.begin(), more.end());
    const CliResult result = runProgram(flags);
    EXPECT_EQ(result.status, 0) << result.err;
    return SafetensorsFile(path("l.safetensors"));
  };
  const std::vector<std::string> target{"--decoder-ids", "2,9"};
  EXPECT_EQ(run("encoder").shape("weights"), (Shape{1, 4, 3, 3}));
  EXPECT_EQ(run("decoder", target).shape("weights"), (Shape{1, 4, 2, 2}));
  const SafetensorsFile cross = run("cross", target);
  EXPECT_EQ(cross.shape("weights"), (Shape{1, 4, 2, 3}));
  EXPECT_EQ(cross.shape("k"), (Shape{1, 4, 3, 8}));
  // the same as in the whole model's pass
  ASSERT_EQ(runProgram(model("bart", {"--ids", "3,5,7", "--decoder-ids", "2,9", "--trace",
                                      path("t.safetensors")}))
                .status,
            0);
  EXPECT_EQ(SafetensorsFile(path("t.safetensors")).read("cross_attentions").slice(0, 1, 2).values(),
            cross.read("weights").values());
  expectRefused({"run", "--model", folder("bart"), "--layer", "0", "--ids", "3"},
                {"--attention", "encoder, decoder or cross"});
  expectRefused({"run", "--model", folder("bart"), "--layer", "2", "--attention", "cross", "--ids",
                 "3", "--decoder-ids", "2"},
                {"--layer 2", "0 to 1"});
  expectRefused({"run", "--model", dataFile("tiny-gpt2"), "--layer", "0", "--attention", "cross",
                 "--ids", "3"},
                {"--attention", "leave it out"});
}

TEST_F(TwoStacks, ASweepReplacesHeadsOfAllThreeAttentions) {
  const std::vector<std::string> pass{"sweep",         folder("t5"), "--ids",      "3,5,7",
                                      "--decoder-ids", "0,9",        "--token-id", "11"};
  const json said = jsonOf(pass);
  EXPECT_EQ(said["at"], 1);
  ASSERT_EQ(said["effects"].size(), 24U);
  for (const json& effect : said["effects"]) {
    std::string name = effect["attention"];
    name += fmt::format(":{}.{}", effect["layer"].get<int>(), effect["head"].get<int>());
    const json without = jsonOf(model("t5", {"--ids", "3,5,7", "--decoder-ids", "0,9", "--no-heads",
                                             "--attribute", "11", "--drop-heads", name}));
    EXPECT_NEAR(effect["value"], without["attribution"]["logit"], 1e-5) << name;
  }
  std::vector<std::string> more = pass;
  more.insert(more.end(), {"--with", "other", "--other-ids", "3,8,7", "--to", "cross:1.2:k"});
  std::map<std::string, int> senders;
  const json through = jsonOf(more);
  for (const json& effect : through["effects"]) ++senders[effect["attention"]];
  EXPECT_EQ(senders, (std::map<std::string, int>{{"encoder", 8}, {"decoder", 8}, {"cross", 4}}));
  std::vector<std::string> csv = pass;
  csv.push_back("--csv");
  const CliResult table = runProgram(csv);
  EXPECT_EQ(table.out.find("attention,layer,head,value"), 0U) << table.out;
  EXPECT_NE(table.out.find("\ncross,1,3,"), std::string::npos) << table.out;
  std::vector<std::string> printed = pass;
  const CliResult words = runProgram(printed);
  for (const char* part : {"attention", "encoder", "decoder", "cross"}) {
    EXPECT_NE(words.out.find(part), std::string::npos) << part << words.out;
  }
  more.back() = "1.2:k";
  expectRefused(more, {"--to 1.2", "decoder:0.3"});
}

/// Without a target the model writes one, and the last place predicts its end.
TEST_F(TwoStacks, ASweepOfASetTakesSourcesWithOneTarget) {
  std::ofstream(path("set.jsonl")) << "{\"clean_ids\": [3, 5, 7], \"corrupt_ids\": [3, 8, 7]}\n"
                                   << "{\"clean_ids\": [9, 5], \"corrupt_ids\": [9, 8]}\n";
  const json said = jsonOf({"sweep", folder("t5"), "--set", path("set.jsonl"), "--decoder-ids",
                            "0,9", "--token-id", "11", "--with", "other"});
  EXPECT_EQ(said["texts"], 2);
  EXPECT_EQ(said["at"], 1);
  const json one = jsonOf({"sweep", folder("t5"), "--ids", "9,5", "--other-ids", "9,8",
                           "--decoder-ids", "0,9", "--token-id", "11", "--with", "other"});
  const json two = jsonOf({"sweep", folder("t5"), "--ids", "3,5,7", "--other-ids", "3,8,7",
                           "--decoder-ids", "0,9", "--token-id", "11", "--with", "other"});
  for (std::size_t i = 0; i < 24; ++i) {
    const double mean =
        (one["effects"][i]["value"].get<double>() + two["effects"][i]["value"].get<double>()) / 2.0;
    EXPECT_NEAR(said["effects"][i]["value"], mean, 1e-5) << i;
  }
  const json written = jsonOf({"sweep", folder("bart"), "--ids", "3,5,7"});
  const json target = jsonOf(model("bart", {"--ids", "3,5,7", "--no-heads"}));
  ASSERT_TRUE(target["ended"]);
  EXPECT_EQ(written["at"].get<std::size_t>() + 2, target["decoder_ids"].size());
}

TEST_F(TwoStacks, WhyFollowsCrossAttentionIntoTheEncoder) {
  for (const char* family : {"t5", "bart", "marian"}) {
    const json said = jsonOf({"why", folder(family), "--ids", "3,5,7", "--decoder-ids", "2,9",
                              "--token-id", "11", "--follow", "h3.1 v2 h1.2 s0 k:et:eh0.3"});
    EXPECT_EQ(said["ids"], json({3, 5, 7}));
    EXPECT_EQ(said["decoder_ids"], json({2, 9}));
    ASSERT_EQ(said["levels"].size(), 6U) << family;
    for (const json& level : said["levels"]) {
      EXPECT_NEAR(level["sum"].get<double>(), level["value"].get<double>(), 1e-4) << family;
    }
    const json& levels = said["levels"];
    EXPECT_EQ(levels[0]["follows"]["attention"], "cross");
    EXPECT_EQ(levels[0]["follows"]["layer"], 1);
    EXPECT_EQ(levels[1]["sources"][2]["id"], 7) << "the source's tokens";
    EXPECT_EQ(levels[2]["stack"], "encoder");
    EXPECT_EQ(levels[2]["place"], 2);
    EXPECT_EQ(levels[3]["attention"], "encoder");
    EXPECT_EQ(levels[4]["attention"], "encoder");
    EXPECT_EQ(levels[4]["follows"]["key"]["stack"], "encoder");
    EXPECT_TRUE(levels[5]["without"]["total"].is_number());
  }
  const CliResult words = runProgram({"why", folder("t5"), "--ids", "3,5,7", "--decoder-ids", "0,9",
                                      "--token-id", "11", "--follow", "h3.1 s2"});
  ASSERT_EQ(words.status, 0) << words.err;
  for (const char* part : {"layer 2, cross-attention, head 2 at “9” (place 2)",
                           "“7” (place of the source 3)", "encoder layer"}) {
    EXPECT_NE(words.out.find(part), std::string::npos) << part << words.out;
  }
}

TEST_F(TwoStacks, CircuitsAreThoseOfAllThreeAttentions) {
  const json all = jsonOf({"circuits", folder("t5")});
  std::map<std::string, int> heads;
  for (const json& head : all["heads"]) {
    ++heads[head["attention"]];
    EXPECT_EQ(head["copying"].is_null(), head["attention"] == "encoder");
  }
  EXPECT_EQ(heads, (std::map<std::string, int>{{"encoder", 8}, {"decoder", 8}, {"cross", 8}}));
  for (const json& pair : all["compositions"]["value"]["strongest"]) {
    EXPECT_EQ(pair["into"]["attention"], "decoder");
  }
  for (const char* kind : {"key", "value"}) {
    for (const json& pair : all["cross_compositions"][kind]["strongest"]) {
      EXPECT_EQ(pair["from"]["attention"], "encoder");
      EXPECT_EQ(pair["into"]["attention"], "cross");
    }
  }
  EXPECT_TRUE(all["cross_compositions"]["query"].is_null());
  EXPECT_EQ(all["encoder_compositions"]["query"]["strongest"][0]["into"]["attention"], "encoder");
  const std::string words = runProgram({"circuits", folder("t5")}).out;
  for (const char* part : {"value  encoder layer ", ", cross-attention, head "}) {
    EXPECT_NE(words.find(part), std::string::npos) << words;
  }
  for (const char* attention : {"encoder", "decoder", "cross"}) {
    const json one =
        jsonOf({"circuits", folder("t5"), "--attention", attention, "--layer", "1", "--head", "2"});
    ASSERT_EQ(one["heads"].size(), 1U) << attention;
    EXPECT_EQ(one["heads"][0]["attention"], attention);
    EXPECT_EQ(one["qk_directions"].size(), 8U);
    EXPECT_EQ(one["ov_directions"].empty(), std::string(attention) == "encoder");
  }
  expectRefused({"circuits", folder("t5"), "--layer", "1", "--head", "2"}, {"--attention"});
  expectRefused({"circuits", dataFile("tiny-gpt2"), "--attention", "cross"}, {"leave it out"});
}

TEST_F(TwoStacks, EitherStackIsSteered) {
  std::vector<float> direction(32, 0.5F);
  writeSafetensors(path("d.safetensors"),
                   std::vector<NamedTensor>{{"d", Tensor::fromValues({32}, direction)}}, {});
  const std::vector<std::string> pass{"--ids", "3,5,7", "--decoder-ids", "0,9", "--no-heads"};
  const auto steered = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), pass.begin(), pass.end());
    return jsonOf(model("t5", flags));
  };
  const json plain = steered({});
  const json decoder = steered({"--steer-layer", "1", "--steer-file", path("d.safetensors")});
  const json encoder =
      steered({"--steer-layer", "1", "--steer-file", path("d.safetensors"), "--steer-encoder"});
  EXPECT_EQ(decoder["steering"]["layer"], 1);
  EXPECT_FALSE(decoder["steering"].contains("stack"));
  EXPECT_EQ(encoder["steering"]["stack"], "encoder");
  const CliResult words =
      runProgram(model("t5", {"--ids", "3,5,7", "--decoder-ids", "0,9", "--steer-layer", "1",
                              "--steer-file", path("d.safetensors"), "--steer-encoder"}));
  EXPECT_NE(words.out.find("steered as layer 2 of the encoder is entered"), std::string::npos)
      << words.out;
  EXPECT_NE(plain["predictions"], decoder["predictions"]);
  EXPECT_NE(plain["predictions"], encoder["predictions"]);
  EXPECT_NE(decoder["predictions"], encoder["predictions"]);
  expectRefused(model("t5", {"--ids", "3", "--decoder-ids", "0", "--steer-layer", "2",
                             "--steer-file", path("d.safetensors")}),
                {"--steer-layer 2", "0 to 1"});
  expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "3", "--steer-layer", "0", "--steer-file",
                 path("d.safetensors"), "--steer-encoder"},
                {"--steer-encoder", "leave it out"});
}

/// Each token that a changed decoder writes is the one that it predicts in a pass over the target.
TEST_F(TwoStacks, ATargetIsWrittenByTheSteeredDecoderWithoutItsHeads) {
  std::vector<float> direction(32);
  for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = i % 3 == 0 ? 4.0F : -2.0F;
  writeSafetensors(path("d.safetensors"),
                   std::vector<NamedTensor>{{"d", Tensor::fromValues({32}, direction)}}, {});
  const std::vector<std::string> changes{
      "--ids",  "3,5,7",         "--no-heads", "--drop-heads", "cross:0.1",
      "--json", "--steer-layer", "1",          "--steer-file", path("d.safetensors")};
  const auto said = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), changes.begin(), changes.end());
    return jsonOf(model("t5", flags));
  };
  const auto idsOf = [](const json& generated) {
    std::vector<Index> ids{0};
    for (const json& token : generated) ids.push_back(token["id"].get<Index>());
    return ids;
  };
  const json plain = jsonOf(model("t5", {"--ids", "3,5,7", "--no-heads", "--generate", "4"}));
  const json greedy = said({"--generate", "4"}), beams = said({"--generate", "4", "--beam", "1"});
  const std::vector<Index> ids = idsOf(greedy["generated"]);
  EXPECT_NE(ids, idsOf(plain["generated"]));
  EXPECT_EQ(ids, idsOf(beams["generated"]));
  const json pass = said({"--decoder-ids", fmt::format("{}", fmt::join(ids, ","))});
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
    EXPECT_EQ(pass["predictions"][i][0]["id"], ids[i + 1]) << i << pass["predictions"];
  }
  expectRefused(model("t5", {"--ids", "3,5", "--generate", "2", "--steer-layer", "1",
                             "--steer-file", path("d.safetensors"), "--steer-place", "9"}),
                {"no token 9"});
}

TEST_F(TwoStacks, ABeamSearchWritesTheTargetAndShowsItsBranches) {
  const json said = jsonOf(model("t5", {"--ids", "3,5,7", "--generate", "4", "--beam", "3"}));
  const json& beams = said["beams"];
  ASSERT_LE(beams["paths"].size(), 3U);
  const json& best = beams["paths"][0];
  json ids = json::array({0});
  for (const json& node : best["nodes"]) ids.push_back(beams["nodes"][node.get<int>()]["id"]);
  EXPECT_EQ(said["decoder_ids"], ids);
  for (const json& path : beams["paths"]) {
    const json& end = beams["nodes"][path["nodes"].back().get<int>()];
    EXPECT_NEAR(path["score"].get<double>() * static_cast<double>(path["nodes"].size()),
                end["log_probability"].get<double>(), 1e-9);
    EXPECT_LE(path["score"], best["score"]);
  }
  const CliResult words =
      runProgram(model("t5", {"--ids", "3,5,7", "--generate", "4", "--beam", "3"}));
  EXPECT_NE(words.out.find("beam search, 3 beams"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("chosen, path of mean"), std::string::npos) << words.out;
  expectRefused(model("t5", {"--ids", "3", "--beam", "3"}), {"--beam", "--generate"});
  expectRefused(model("t5", {"--ids", "3", "--generate", "2", "--beam", "17"}), {"--beam"});
}

/// BART ends a text that may not be longer with an end token of any probability.
TEST_F(TwoStacks, AForcedTokenIsMarkedAndHasItsProbability) {
  const std::vector<std::string> greedy{"--ids", "10,56,20", "--generate", "4"};
  std::vector<std::string> beam = greedy;
  beam.insert(beam.end(), {"--beam", "2"});
  const json said = jsonOf(model("bart", greedy)), searched = jsonOf(model("bart", beam));
  const json &last = said["generated"].back(), &best = searched["generated"].back();
  EXPECT_EQ(last["forced"], "last");
  EXPECT_FALSE(said["generated"][1].contains("forced"));
  const json& row = said["predictions"][3];
  for (const json& each : row) EXPECT_LE(last["p"], each["p"]) << "none of the ten most probable";
  EXPECT_GT(last["p"], 0.0);
  EXPECT_EQ(best["forced"], "last");
  EXPECT_LT(best["p"], 0.5);
  EXPECT_GT(searched["cache_bytes"], 0);
  const CliResult words = runProgram(model("bart", greedy));
  EXPECT_NE(words.out.find("forced: last"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("the text may not be longer"), std::string::npos) << words.out;
  EXPECT_NE(runProgram(model("bart", beam)).out.find("chosen, forced: last, path of mean"),
            std::string::npos);
}

TEST_F(TwoStacks, TheProbeKeepsTheSource) {
  const json said = jsonOf(model("t5", {"--ids", "3,5,7", "--decoder-ids", "0,9", "--probe"}));
  EXPECT_EQ(said["probe"]["heads"].size(), 16U);
  EXPECT_EQ(said["probe"]["heads"][4]["attention"], "cross");
  const std::string words =
      runProgram(model("t5", {"--ids", "3,5,7", "--decoder-ids", "0,9", "--probe"})).out;
  const std::size_t table = words.find("random tokens given twice\nlayer  attention  head");
  ASSERT_NE(table, std::string::npos) << words;
  EXPECT_NE(words.find("\n1      cross      1", table), std::string::npos) << words;
}

TEST_F(TwoStacks, SaysWhatIsMissing) {
  for (const char* command : {"sweep", "why"}) {
    expectRefused({command, dataFile("tiny-gpt2"), "--ids", "3", "--decoder-ids", "4"},
                  {"--decoder-ids", "one stack"});
  }
  expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "3", "--decoder-ids", "4"},
                {"--decoder-ids", "one stack"});
  expectRefused(model("t5", {"--ids", "3", "--decoder-ids", "0,97"}), {"id 97", "0 to 96"});
  expectRefused(model("t5", {"--ids", "3", "--target", "hello"}), {"tokenizer"});
}

}  // namespace
}  // namespace headscope
