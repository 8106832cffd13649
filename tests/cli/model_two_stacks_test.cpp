// The model command, and the commands on one layer, with encoder–decoder models.
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

TEST_F(TwoStacks, SaysWhatIsMissing) {
  const std::vector<std::string> ids{"--ids", "3,5,7"};
  for (const char* command : {"sweep", "why"}) {
    expectRefused({command, folder("t5"), "--ids", "3,5,7"}, {command, "an encoder and a decoder"});
  }
  expectRefused({"circuits", folder("t5")}, {"an encoder", "one stack"});
  expectRefused(model("t5", {"--ids", "3,5,7", "--probe"}), {"one stack"});
  expectRefused(model("t5", {"--ids", "3,5", "--decoder-ids", "0", "--trace", path("t.safetensors"),
                             "--sites", "k"}),
                {"--sites"});
  expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "3", "--decoder-ids", "4"},
                {"--decoder-ids", "one stack"});
  expectRefused(model("t5", {"--ids", "3", "--decoder-ids", "0,97"}), {"id 97", "0 to 96"});
  expectRefused(model("t5", {"--ids", "3", "--target", "hello"}), {"tokenizer"});
}

}  // namespace
}  // namespace headscope
