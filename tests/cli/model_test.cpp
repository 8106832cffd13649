// model: a whole model from its folder on the command line.
#include <cmath>

#include "core/analysis/head_metrics.h"
#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

class Model : public InFolder {
 protected:
  static std::vector<std::string> model(const std::string& name,
                                        std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), {"model", dataFile(name)});
    return flags;
  }
};

TEST_F(Model, GivesWhatTheContractSays) {
  const json said = jsonOf(model("tiny-gpt2", {"--ids", "283,271,84,396", "--threads", "1"}));
  EXPECT_EQ(said["ids"], json({283, 271, 84, 396}));
  EXPECT_EQ(said["config"]["model_type"], "gpt2");
  EXPECT_EQ(said["config"]["layers"], 2);
  EXPECT_EQ(said["config"]["d_model"], 32);
  EXPECT_GE(said["ms"].get<double>(), 0.0);
  ASSERT_EQ(said["predictions"].size(), 4U);
  for (const json& place : said["predictions"]) {
    ASSERT_EQ(place.size(), 10U);
    for (std::size_t i = 1; i < 10; ++i) EXPECT_GE(place[i - 1]["p"], place[i]["p"]);
  }
  ASSERT_EQ(said["heads"].size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    const json& head = said["heads"][i];
    EXPECT_EQ(head["layer"], i / 4);
    EXPECT_EQ(head["head"], i % 4);
    EXPECT_TRUE(head.at("label").is_string());
    for (const MetricInfo& m : metricsFor(false)) EXPECT_TRUE(head.contains(std::string(m.key)));
  }
}

TEST_F(Model, NamesTheExpertsOfEachToken) {
  const json said = jsonOf(model("families/deepseek_v3", {"--ids", "5,17,40"}));
  ASSERT_EQ(said["experts"].size(), 2U);
  EXPECT_TRUE(said["experts"][0].is_null());  // a dense layer
  ASSERT_EQ(said["experts"][1].size(), 3U);
  for (const json& token : said["experts"][1]) {
    ASSERT_EQ(token.size(), 2U);
    EXPECT_NE(token[0]["expert"], token[1]["expert"]);
    EXPECT_NEAR(token[0]["weight"].get<double>() + token[1]["weight"].get<double>(), 2.5, 1e-6);
  }
  EXPECT_FALSE(jsonOf(model("tiny-gpt2", {"--ids", "1,2"})).contains("experts"));
}

TEST_F(Model, HelpListsTheKindsThatOpen) {
  const CliResult help = runProgram({"model", "--help"});
  for (const char* type : {"albert", "deepseek_v3", "gpt_neox", "llama", "xlm-roberta"}) {
    EXPECT_NE(help.out.find(type), std::string::npos) << type;
  }
}

/// Query and key weights of 0: each row shares its weight evenly among the tokens so far.
TEST_F(Model, UniformAttentionIsCalledUniformOrNothing) {
  std::string ids = "1";
  for (int tokens = 1; tokens <= 6; ++tokens) {
    const json said = jsonOf(model("uniform-gpt2", {"--ids", ids}));
    for (const json& head : said["heads"]) {
      EXPECT_EQ(head["label_rows"], tokens - 1);
      if (tokens < 4) {
        ASSERT_TRUE(head["label"].is_null()) << head;
        EXPECT_NE(head["undefined"]["label"].get<std::string>().find("needs 3"), std::string::npos);
      } else {
        EXPECT_EQ(head["label"], "uniform") << head;
      }
    }
    ids += "," + std::to_string(tokens + 1);
  }
  const CliResult words = runProgram(model("uniform-gpt2", {"--ids", "1,2"}));
  EXPECT_NE(words.out.find("not defined  1  only 1 row has two or more keys"), std::string::npos)
      << words.out;
}

TEST_F(Model, RunsOnATextByItsOwnTokenizer) {
  const json said = jsonOf(model("tiny-gpt2", {"--text", "The cat sat on the mat"}));
  EXPECT_EQ(said["ids"], json({283, 271, 84, 396, 278, 262, 298, 273}));
  EXPECT_EQ(said["tokens"], json({"The", "Ġca", "t", "Ġsat", "Ġon", "Ġthe", "Ġm", "at"}));
  EXPECT_TRUE(said["predictions"][0][0].at("token").is_string());
  const json pair = jsonOf(model("tiny-bert", {"--pair", "the cat", "sat", "--mask-token", "1"}));
  const json plain = jsonOf(model("tiny-bert", {"--pair", "the cat", "sat"}));
  EXPECT_EQ(pair["tokens"][1], "[MASK]");
  EXPECT_EQ(plain["tokens"].size(), pair["tokens"].size());
  EXPECT_NE(plain["predictions"][1], pair["predictions"][1]);
}

TEST_F(Model, SaysWhatItsTextCannotBe) {
  expectRefused(model("tiny-gpt2", {"--text", "a", "--ids", "1"}), {"give one of them"});
  expectRefused(model("tiny-llama", {"--text", "a"}), {"tokenizer"});
  expectRefused(model("tiny-gpt2", {"--text", "a", "--mask-token", "0"}), {"[MASK]"});
}

TEST_F(Model, ATextThatIsTooLongIsCutWhereThatIsAskedFor) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += " the cat";
  expectRefused(model("tiny-gpt2", {"--text", text}), {"at most 64", "--cut"});
  const json said = jsonOf(model("tiny-gpt2", {"--text", text, "--cut"}));
  EXPECT_EQ(said["ids"].size(), 64U);
  std::string ids = "1";
  for (int i = 1; i < 70; ++i) ids += "," + std::to_string(i);
  expectRefused(model("tiny-gpt2", {"--ids", ids}), {"70 tokens", "--cut"});
  const json first = jsonOf(model("tiny-gpt2", {"--ids", ids, "--cut"}));
  EXPECT_EQ(first["ids"].size(), 64U);
  EXPECT_EQ(first["ids"][63], 63);
  expectRefused(model("tiny-bert", {"--pair", text, "the cat", "--cut"}), {"pair"});
}

TEST_F(Model, TheOneThatComesWithTheProgramOpensByItsName) {
  const json said = jsonOf({"model", "headscope:induction", "--text", "abcdefgh abcdefgh abc"});
  EXPECT_EQ(said["config"]["layers"], 2);
  EXPECT_EQ(said["predictions"][18][0]["token"], "d");
  EXPECT_GT(said["predictions"][18][0]["p"].get<double>(), 0.9);
  expectRefused({"model", "headscope:gpt2", "--ids", "1"}, {"headscope:induction"});
}

TEST_F(Model, TheTraceHoldsAttentionsHiddenStatesAndLogits) {
  const std::string trace = path("t.safetensors");
  const json said = jsonOf(model("tiny-llama", {"--ids", "1,65,77,5,78,46,50", "--trace", trace}));
  const SafetensorsFile file(trace);
  const SafetensorsFile expected(dataFile("tiny-llama/expected.safetensors"));
  ASSERT_EQ(file.names(), (std::vector<std::string>{"attentions", "hidden_states", "logits"}));
  for (const std::string& name : file.names()) {
    const auto found = file.read(name).values();
    const auto wanted = expected.read("0." + name).values();
    ASSERT_EQ(file.shape(name), expected.shape("0." + name));
    double most = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      most = std::max(most, std::abs(static_cast<double>(wanted[i])));
      worst = std::max(worst, std::abs(static_cast<double>(found[i]) - wanted[i]));
    }
    EXPECT_LE(worst, 1e-5 * most) << name;
  }
  // the first prediction is the largest logit
  const Tensor logits = file.read("logits");
  const Index best = said["predictions"][6][0]["id"];
  for (Index v = 0; v < 96; ++v) EXPECT_LE(logits.at({6, v}), logits.at({6, best}));
}

TEST_F(Model, TheTraceSaysWhoseItIs) {
  const std::string trace = path("t.safetensors");
  jsonOf(model("tiny-gpt2", {"--ids", "283,271", "--drop-heads", "0.1,1.3", "--trace", trace}));
  const auto metadata = SafetensorsFile(trace).metadata();
  EXPECT_EQ(metadata.at("model"), "tiny-gpt2");
  EXPECT_EQ(metadata.at("ids"), "[283,271]");
  EXPECT_EQ(metadata.at("heads_off"), "[[0,1],[1,3]]");
  EXPECT_FALSE(metadata.contains("edited_layers"));
}

TEST_F(Model, HeadsCanBeSwitchedOff) {
  const std::vector<std::string> ids{"--ids", "283,271,84"};
  const json all = jsonOf(model("tiny-gpt2", ids));
  auto flags = ids;
  flags.insert(flags.end(), {"--drop-heads", "0.1,1.3"});
  const json fewer = jsonOf(model("tiny-gpt2", flags));
  EXPECT_NE(all["predictions"], fewer["predictions"]);
  EXPECT_EQ(fewer["heads"][1]["ablation"], 0.0);
  EXPECT_EQ(fewer["heads"][7]["ablation"], 0.0);
  EXPECT_GT(fewer["heads"][2]["ablation"], 0.0);
}

TEST_F(Model, MeasuresItsHeadsOnRepeatedRandomTokens) {
  const json said = jsonOf(model("tiny-gpt2", {"--ids", "283,271,84", "--probe"}));
  const json ids = said["probe"]["ids"];
  ASSERT_EQ(ids.size() % 2, 0U);
  for (std::size_t i = 0; i < ids.size() / 2; ++i) EXPECT_EQ(ids[i], ids[i + ids.size() / 2]);
  ASSERT_EQ(said["probe"]["heads"].size(), 8U);
  for (const json& head : said["probe"]["heads"]) {
    EXPECT_TRUE(head["induction"].is_number()) << head;
    EXPECT_TRUE(head.at("label").is_string());
  }
  EXPECT_FALSE(jsonOf(model("tiny-gpt2", {"--ids", "283"})).contains("probe"));
  const CliResult table = runProgram(model("tiny-gpt2", {"--ids", "283", "--probe"}));
  EXPECT_NE(table.out.find("random tokens given twice"), std::string::npos) << table.out;
}

TEST_F(Model, TellsWhatItWouldSayAfterEachHalfLayer) {
  const std::vector<std::string> text{"--text", "The cat sat on the mat"};
  auto flags = text;
  flags.insert(flags.end(), {"--lens", "--at", "3"});
  const json said = jsonOf(model("tiny-gpt2", flags));
  ASSERT_EQ(said["lens"].size(), 5U);
  EXPECT_EQ(said["lens"][0]["after"], "embedding");
  EXPECT_EQ(said["lens"][4]["after"], "layer 2 FFN");
  EXPECT_EQ(said["lens"][4]["id"], said["predictions"][3][0]["id"]);
  EXPECT_NEAR(said["lens"][4]["p"].get<double>(), said["predictions"][3][0]["p"].get<double>(),
              1e-6);
  EXPECT_EQ(said["lens"][4]["word_rank"], 0);
  EXPECT_FALSE(jsonOf(model("tiny-gpt2", text)).contains("lens"));
  EXPECT_EQ(jsonOf({"model", "headscope:induction", "--text", "abcabc", "--lens"})["lens"].size(),
            3U)
      << "its layers are attention alone";
}

/// Texts for people count places, layers, heads and ranks from 1; flags and JSON count from 0.
TEST_F(Model, CountsFromOneInWordsAndFromZeroInJson) {
  std::vector<std::string> flags{"--text", "The cat sat on the mat", "--lens", "--at", "3"};
  const CliResult words = runProgram(model("tiny-gpt2", flags));
  EXPECT_NE(words.out.find("\n1      The    "), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("\n8      at     "), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("at place 4, Ġsat: the predicted token, and the rank of"),
            std::string::npos)
      << words.out;
  EXPECT_NE(words.out.find("from 0 in flags and JSON"), std::string::npos) << words.out;
  const json said = jsonOf(model("tiny-gpt2", flags));
  const json& last = said["lens"][4];
  EXPECT_EQ(last["word_rank"], 0);
  EXPECT_EQ(said["heads"][0]["layer"], 0);
}

TEST_F(Model, SaysWhichPartsAddUpToALogit) {
  const json said = jsonOf(model(
      "tiny-gpt2", {"--text", "The cat sat on the mat", "--attribute", " on, the", "--at", "5"}));
  const json& parts = said["attribution"];
  EXPECT_EQ(parts["at"], 5);
  EXPECT_EQ(parts["word"]["id"], 278);
  EXPECT_EQ(parts["other"]["token"], "Ġthe");
  double sum = 0.0;
  std::size_t heads = 0;
  for (const json& part : parts["parts"]) {
    sum += part["value"].get<double>();
    if (part["part"] == "head") ++heads;
  }
  EXPECT_EQ(heads, 8U);
  const double logit = parts["logit"];
  EXPECT_NEAR(sum, parts["sum"].get<double>(), 1e-9);
  EXPECT_NEAR(sum, logit, 1e-4 * std::max(1.0, std::abs(logit)));
  const CliResult words = runProgram(model("tiny-gpt2", {"--ids", "283", "--attribute", "7"}));
  EXPECT_NE(words.out.find("= logit"), std::string::npos) << words.out << words.err;
}

TEST_F(Model, ContinuesAsPassesOverTheWholeTextWould) {
  std::string ids = "283,271,84";
  const json made = jsonOf(model("tiny-gpt2", {"--ids", ids, "--generate", "4"}));
  ASSERT_EQ(made["generated"].size(), 4U);
  EXPECT_EQ(made["cache_bytes"], 2 * 2 * 7 * 32 * 4);
  for (const json& token : made["generated"]) {
    const json said = jsonOf(model("tiny-gpt2", {"--ids", ids}));
    EXPECT_EQ(token["id"], said["predictions"].back()[0]["id"]);
    EXPECT_NEAR(token["p"].get<double>(), said["predictions"].back()[0]["p"].get<double>(), 1e-5);
    ids += "," + std::to_string(token["id"].get<int>());
  }
  const std::vector<std::string> sampled{"--ids",  "283", "--generate",    "6",
                                         "--seed", "5",   "--temperature", "1.5"};
  EXPECT_EQ(jsonOf(model("tiny-gpt2", sampled))["generated"],
            jsonOf(model("tiny-gpt2", sampled))["generated"]);
  const CliResult words =
      runProgram({"model", "headscope:induction", "--text", "abcdefgh abcd", "--generate", "4"});
  EXPECT_NE(words.out.find("\nefgh\n"), std::string::npos) << words.out << words.err;
}

TEST_F(Model, ContinuesNoFurtherThanToWhereTheModelEndsAText) {
  const std::vector<std::string> flags{"--ids",         "283,271,84", "--generate", "6",
                                       "--temperature", "3",          "--seed",     "2"};
  const json all = jsonOf(model("tiny-gpt2", flags));
  EXPECT_EQ(all["ended"], false);
  ASSERT_EQ(all["generated"].size(), 6U);
  const json end = all["generated"][1]["id"];
  ASSERT_NE(end, all["generated"][0]["id"]);
  std::filesystem::copy(dataFile("tiny-gpt2"), path("ends"),
                        std::filesystem::copy_options::recursive);
  json config = json::parse(std::ifstream(path("ends/config.json")));
  for (const json& ends : {end, json({399, end}), json({end, 1000000, "a word"})}) {
    config["eos_token_id"] = ends;
    std::ofstream(path("ends/config.json")) << config;
    std::vector<std::string> here{"model", path("ends")};
    here.insert(here.end(), flags.begin(), flags.end());
    const json said = jsonOf(here);
    ASSERT_EQ(said["generated"].size(), 2U) << ends;
    EXPECT_EQ(said["generated"][1]["id"], end);
    EXPECT_EQ(said["ended"], true);
    EXPECT_NE(runProgram(here).out.find("end of a text"), std::string::npos);
  }
}

TEST_F(Model, AHeadsOutputIsReplaced) {
  const std::vector<std::string> text{"--text", "The cat sat on the mat"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), text.begin(), text.end());
    return model("tiny-gpt2", flags);
  };
  const json zero = jsonOf(with({"--patch", "0.2", "--patch-with", "zero", "--at", "6"}))["patch"];
  const json off = jsonOf(with({"--drop-heads", "0.2"}));
  const json on = jsonOf(with({}));
  EXPECT_EQ(zero["with"], "zero");
  EXPECT_EQ(zero["word"]["id"], on["predictions"][6][0]["id"]);
  EXPECT_NEAR(zero["total_effect"].get<double>(),
              zero["logit_after"].get<double>() - zero["logit_before"].get<double>(), 1e-9);
  EXPECT_TRUE(zero["direct_effect"].is_number());
  std::size_t found = 0;
  for (const json& word : zero["words"]) {
    if (word["id"] != off["predictions"][6][0]["id"]) continue;
    EXPECT_NEAR(word["p_after"].get<double>(), off["predictions"][6][0]["p"].get<double>(), 1e-6);
    ++found;
  }
  EXPECT_EQ(found, 1U);
  const json mean = jsonOf(with({"--patch", "0.2", "--at", "6"}))["patch"];
  EXPECT_EQ(mean["with"], "mean");
  EXPECT_NE(mean["logit_after"], zero["logit_after"]);
  EXPECT_EQ(mean["logit_before"], zero["logit_before"]);
  // on the same text it is what it was
  const json same =
      jsonOf(with({"--patch", "0.2", "--patch-text", "The cat sat on the mat"}))["patch"];
  EXPECT_EQ(same["with"], "text");
  EXPECT_EQ(same["total_effect"], 0.0);
  const CliResult words = runProgram(with({"--patch", "1.0", "--patch-ids", "9,8,7,6,5,4,3,2"}));
  EXPECT_NE(words.out.find("total effect"), std::string::npos) << words.out << words.err;
  EXPECT_NE(words.out.find("the final norm's scale"), std::string::npos) << words.out;
  EXPECT_EQ(same.count("aligned"), 0U);
  const json aligned = jsonOf(with({"--patch", "0.2", "--patch-text", "The cat"}))["patch"];
  EXPECT_EQ(aligned["aligned"][0], 0);
  EXPECT_TRUE(aligned["aligned"].back().is_number() || aligned["aligned"].back().is_null());
  const json several = jsonOf(with({"--patch", "0.2,L1H0", "--at", "6"}))["patch"];
  ASSERT_EQ(several.size(), 2U);
  EXPECT_EQ(several[0], mean);
  EXPECT_EQ(several[1]["layer"], 1);
  EXPECT_EQ(jsonOf(with({"--patch", "all"}))["patch"].size(), 8U);
  expectRefused(with({"--patch", "0.9"}), {"layer 0, head 9", "heads 0 to 3"});
  expectRefused(with({"--patch", "2"}), {"--patch 2", "3.7"});
  expectRefused(with({"--patch-text", "The cat"}), {"--patch"});
  expectRefused(with({"--at", "2"}), {"--at", "--lens"});
  expectRefused(with({"--temperature", "2"}), {"--generate"});
  expectRefused(with({"--attribute", " on the"}), {"--attribute", "2 tokens"});
}

TEST_F(Model, PrintsATable) {
  const CliResult result = runProgram(model("tiny-bert", {"--ids", "2,67,176,3"}));
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* part : {"tiny-bert: bert, 2 layers, d_model 32, 4 heads", "the hidden token",
                           "the labels of all heads", "4 tokens"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in " << result.out;
  }
}

TEST_F(Model, RefusesWhatCannotBe) {
  expectRefused({"model"}, {"directory"});
  expectRefused(model("tiny-gpt2", {"--json"}), {"--ids"});
  expectRefused({"model", path("nowhere"), "--ids", "1"}, {"nowhere", "not there"});
  expectRefused({"model", path("nowhere")}, {"nowhere", "not there"});
  expectRefused(model("tiny-gpt2", {"--ids", "1,two"}), {"--ids", "two"});
  expectRefused(model("tiny-gpt2", {"--ids", "400"}), {"id 400", "0 to 399"});
  expectRefused(model("tiny-gpt2", {"--ids", "-1"}), {"-1"});
  expectRefused(model("tiny-gpt2", {"--ids", "1", "--drop-heads", "3"}), {"--drop-heads 3", "3.7"});
  expectRefused(model("tiny-gpt2", {"--ids", "1", "--drop-heads", "0.x"}), {"--drop-heads 0.x"});
  expectRefused(model("tiny-gpt2", {"--ids", "1", "--drop-heads", "0.4"}), {"head 4", "0 to 3"});
  expectRefused(model("tiny-gpt2", {"--ids", "1", "--drop-heads", "2.0"}), {"layer 2", "0 to 1"});
  expectRefused(model("tiny-gpt2", {"--ids", "1", "--trace", path("no/where.safetensors")}),
                {"no/where.safetensors"});
  EXPECT_TRUE(folderIsEmpty());
}

/// A copy of tiny-gpt2 whose config.json has a field more, which nothing knows.
class ModelWithUnknownField : public Model {
 protected:
  void SetUp() override {
    Model::SetUp();
    folder_ = path("model");
    std::filesystem::copy(dataFile("tiny-gpt2"), folder_);
    json config = json::parse(std::ifstream(folder_ + "/config.json"));
    config["favourite_colour"] = "green";
    std::ofstream(folder_ + "/config.json") << config.dump();
  }
  std::string folder_;
};

TEST_F(ModelWithUnknownField, IsOpenedWithANote) {
  testing::internal::CaptureStderr();
  const json said = jsonOf({"model", folder_, "--ids", "283,271,84"});
  const std::string err = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.at("unknown_fields"), json({{"favourite_colour", "green"}}));
  EXPECT_EQ(said.at("unused_tensors"), json::array());
  EXPECT_EQ(said.at("notes").size(), 1U);
  EXPECT_NE(err.find("note: "), std::string::npos) << err;
  EXPECT_NE(err.find("favourite_colour is \"green\""), std::string::npos) << err;
  const json plain = jsonOf(model("tiny-gpt2", {"--ids", "283,271,84"}));
  EXPECT_EQ(plain.at("unknown_fields"), json::object());
  EXPECT_EQ(plain.at("predictions"), said.at("predictions"));
}

TEST_F(ModelWithUnknownField, IsRefusedWhereThatIsAskedFor) {
  expectRefused({"model", folder_, "--ids", "283,271,84", "--strict"},
                {"favourite_colour", "leave --strict out"});
  expectRefused({"model", folder_, "--strict"}, {"favourite_colour"});
  expectRefused({"run", "--model", folder_, "--layer", "0", "--ids", "283,271,84", "--strict"},
                {"favourite_colour"});
  expectRefused({"run", "--strict"}, {"--model"});
  EXPECT_EQ(runProgram(model("tiny-gpt2", {"--ids", "283,271,84", "--strict"})).status, 0);
}

TEST_F(Model, WithoutAHeadHasNoPredictions) {
  const std::string folder = path("model");
  std::filesystem::copy(dataFile("tiny-llama"), folder);
  json config = json::parse(std::ifstream(folder + "/config.json"));
  config["architectures"] = {"LlamaForSequenceClassification"};
  config["tie_word_embeddings"] = false;
  std::ofstream(folder + "/config.json") << config.dump();
  const json said = jsonOf({"model", folder, "--ids", "1,65,77"});
  EXPECT_EQ(said.at("predictions"), json::array());
  EXPECT_EQ(said.at("heads").size(), 8U);
  for (const std::vector<std::string>& reading :
       {std::vector<std::string>{"--lens"}, {"--generate", "3"}, {"--attribute", "5"}}) {
    std::vector<std::string> arguments{"model", folder, "--ids", "1,65,77"};
    arguments.insert(arguments.end(), reading.begin(), reading.end());
    expectRefused(arguments, {"language-model head"});
  }
}

/// The model runs on ids: its tokenizer is of a kind that the program does not read.
TEST_F(Model, XlmRobertaRunsOnIds) {
  const json said = jsonOf(model("xlm-roberta", {"--ids", "32,78,22"}));
  EXPECT_EQ(said["config"]["model_type"], "xlm-roberta");
  EXPECT_EQ(said["predictions"].size(), 3U);
  const std::string folder = path("model");
  std::filesystem::copy(dataFile("xlm-roberta"), folder);
  write("model/sentencepiece.bpe.model", "x");
  expectRefused({"model", folder, "--text", "Bonjour"},
                {"sentencepiece.bpe.model", "SentencePiece"});
  write("model/tokenizer.json",
        R"({"version": "1.0", "model": {"type": "Trie", "vocab": [["a", 0.0]]}})");
  expectRefused({"model", folder, "--text", "Bonjour"}, {"tokenizer.json", "Trie"});
  EXPECT_EQ(runProgram({"model", folder, "--ids", "32,78,22"}).status, 0);
}

}  // namespace
}  // namespace headscope
