#include <algorithm>
#include <cmath>

#include "core/attention/tensor_id.h"
#include "core/document/trace.h"
#include "core/presets/presets.h"
#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {
using nlohmann::json;

class Run : public InFolder {
 protected:
  /// The trace of a run with these flags.
  SafetensorsFile trace(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"run", "--trace", path("trace.safetensors")});
    const CliResult result = runProgram(flags);
    EXPECT_EQ(result.status, 0) << result.err;
    return SafetensorsFile(path("trace.safetensors"));
  }
  Tensor tensor(const std::string& name, const std::vector<std::string>& flags) {
    return trace(flags).readAny(name);
  }
};

float largestDifference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  const auto x = a.values();
  const auto y = b.values();
  float largest = 0.0F;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    largest = std::max(largest, std::abs(x[i] - y[i]));
  }
  return largest;
}

TEST_F(Run, EveryPresetRuns) {
  for (const Preset& preset : presets()) {
    const json run = jsonOf({"run", "--preset", preset.name});
    EXPECT_EQ(run["config"]["d_model"], preset.config.dModel) << preset.name;
    EXPECT_EQ(run["config"]["num_heads"], preset.config.numHeads) << preset.name;
    EXPECT_EQ(run["config"]["seq_len"], preset.config.seqLen) << preset.name;
    EXPECT_EQ(run["config"]["batch"], preset.config.batch) << preset.name;
    EXPECT_EQ(run["fully_masked_rows"], json::array()) << preset.name;
  }
}

TEST_F(Run, JsonHasTheKeysOfTheContract) {
  const json run = jsonOf({"run"});
  ASSERT_EQ(run["steps"].size(), 9U);
  EXPECT_EQ(run["steps"][0]["id"], "project");
  EXPECT_EQ(run["steps"][8]["id"], "output");
  double sum = 0.0;
  for (const json& step : run["steps"]) sum += step["ms"].get<double>();
  EXPECT_GE(run["ms"].get<double>(), sum * 0.99);
  EXPECT_EQ(run["fully_masked_rows"], json::array());
  EXPECT_EQ(run["tokens"].dump(), R"([["The","cat","sat","on","the","mat"]])");
  EXPECT_FALSE(run.contains("memory_tokens"));
}

TEST_F(Run, NamesUnknownWords) {
  const auto run = runProgram(
      {"run", "--d-model", "128", "--heads", "4", "--text", "The zorbling slept by the fire."});
  EXPECT_NE(run.out.find("note: unknown words, whose class is guessed: zorbling\n"),
            std::string::npos)
      << run.out;
}

TEST_F(Run, TheTraceHoldsEveryTensor) {
  const SafetensorsFile file = trace({"--kv-heads", "2", "--memory-text", "Die Katze saß"});
  AttentionConfig config;
  config.numKvHeads = 2;
  config.memoryLen = 3;
  EXPECT_EQ(file.names().size(), kTensorCount - kFirstResult);
  for (std::size_t i = kFirstResult; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    const std::string name(info(id).name);
    ASSERT_TRUE(file.has(name)) << name;
    EXPECT_EQ(file.shape(name), shapeOf(id, config)) << name;
  }
}

TEST_F(Run, AgreesWithPyTorchOnLoadedWeightsAndInput) {
  struct Case {
    std::string file;
    std::vector<std::string> flags;
  };
  for (const Case& c :
       std::vector<Case>{{"small_d8_h2_t4_nobias", {"--heads", "2"}},
                         {"causal_d32_h4_t10_b2", {"--heads", "4", "--causal"}},
                         {"padding_d32_h4_t7_b3", {"--heads", "4", "--lengths", "7,4,1"}},
                         {"cross_d48_h6_t5_m9", {"--heads", "6"}},
                         {"gqa_d64_h8_kv2_t9", {"--heads", "8", "--causal"}},
                         {"temperature_d32_h4_t8", {"--heads", "4", "--temperature", "0.5"}},
                         {"unscaled_d32_h4_t8", {"--heads", "4", "--no-scale"}}}) {
    const std::string file = dataFile(c.file + ".safetensors");
    auto flags = c.flags;
    flags.insert(flags.end(), {"--weights", file, "--input", file});
    const SafetensorsFile golden(file);
    const SafetensorsFile result = trace(flags);
    for (const char* name : {"weights", "heads", "output"}) {
      EXPECT_LT(
          largestDifference(result.readAny(name), golden.readAny(std::string("expected.") + name)),
          2e-5F)
          << c.file << " " << name;
    }
  }
}

TEST_F(Run, GradientsAgreeWithPyTorchAndJoinTheTrace) {
  struct Case {
    std::string file;
    std::vector<std::string> flags;
  };
  for (const Case& c : std::vector<Case>{{"cross_d48_h6_t5_m9", {"--heads", "6"}},
                                         {"gqa_d64_h8_kv2_t9", {"--heads", "8", "--causal"}}}) {
    const std::string file = dataFile(c.file + ".safetensors");
    auto flags = c.flags;
    flags.insert(flags.end(), {"--weights", file, "--input", file, "--grad-output", file});
    const SafetensorsFile golden(file);
    const SafetensorsFile result = trace(flags);
    for (const auto& [ours, theirs] :
         {std::pair{"grad.x", "expected.grad.x"}, {"grad.W_K", "expected.grad.wk"}}) {
      EXPECT_LT(largestDifference(result.readAny(ours), golden.readAny(theirs)), 2e-5F)
          << c.file << ours;
    }
    EXPECT_EQ(result.has("grad.memory"), golden.has("memory"));
    EXPECT_EQ(result.shape("grad.masked_scores"), result.shape("weights"));
  }
  expectRefused({"run", "--grad-output", dataFile("plain_mha_d24_h4.safetensors")},
                {"grad_output", "(1, 6, 512)"});
  expectRefused({"run", "--grad-output", dataFile("gqa_d64_h8_kv2_t9.safetensors")},
                {"grad_output", "(1, 9, 64)", "(1, 6, 512)"});
}

TEST_F(Run, SettingsReachThePass) {
  const Tensor causal = tensor("weights", {"--causal"});
  EXPECT_EQ(causal.at({0, 0, 1, 2}), 0.0F);
  EXPECT_GT(causal.at({0, 0, 2, 1}), 0.0F);
  const Tensor window = tensor("weights", {"--window", "2"});
  EXPECT_EQ(window.at({0, 3, 0, 2}), 0.0F);
  EXPECT_GT(window.at({0, 3, 0, 1}), 0.0F);
  const Tensor heads = tensor("heads", {"--drop-heads", "2,5"});
  EXPECT_EQ(heads.at({0, 5, 3, 7}), 0.0F);
  EXPECT_NE(heads.at({0, 4, 3, 7}), 0.0F);

  const Tensor raw = tensor("raw_scores", {});
  EXPECT_FLOAT_EQ(tensor("scores", {}).at({0, 1, 2, 3}), raw.at({0, 1, 2, 3}) / 8.0F);
  EXPECT_FLOAT_EQ(tensor("scores", {"--score-cap", "0.5"}).at({0, 1, 2, 3}),
                  0.5F * std::tanh(raw.at({0, 1, 2, 3}) / 8.0F / 0.5F));
  EXPECT_EQ(tensor("scores", {"--no-scale"}).at({0, 1, 2, 3}), raw.at({0, 1, 2, 3}));
  EXPECT_FLOAT_EQ(tensor("scores", {"--temperature", "2"}).at({0, 1, 2, 3}),
                  raw.at({0, 1, 2, 3}) / 16.0F);

  const json config =
      jsonOf({"run", "--no-scale", "--temperature", "2", "--causal", "--no-positions"})["config"];
  EXPECT_EQ(config["scale"], false);
  EXPECT_EQ(config["temperature"], 2.0);
  EXPECT_EQ(config["causal"], true);
  EXPECT_EQ(config["positions"], "none");
  EXPECT_FALSE(config.contains("score_cap"));
}

TEST_F(Run, WeightsAreDrawnAsAsked) {
  const Tensor plain = tensor("output", {});
  EXPECT_EQ(largestDifference(plain, tensor("output", {"--init", "xavier", "--seed", "1"})), 0.0F);
  EXPECT_GT(largestDifference(plain, tensor("output", {"--seed", "2"})), 0.0F);
  EXPECT_GT(largestDifference(plain, tensor("output", {"--init", "normal"})), 0.0F);
  const SafetensorsFile identity = trace({"--init", "identity"});
  EXPECT_EQ(largestDifference(identity.read("q_proj"), identity.read("v_proj")), 0.0F);
  EXPECT_LT(largestDifference(plain, tensor("output", {"--threads", "1"})), 1e-5F);
  const Tensor normal = tensor("output", {"--init", "normal"});
  EXPECT_GT(largestDifference(normal, tensor("output", {"--init", "normal", "--no-bias"})), 0.0F);
}

TEST_F(Run, PositionsCanBeSwitched) {
  const Tensor named = tensor("q_proj", {"--text", "the the"});
  EXPECT_NE(named.at({0, 0, 5}), named.at({0, 1, 5}));
  const Tensor none = tensor("q_proj", {"--text", "the the", "--no-positions"});
  EXPECT_FLOAT_EQ(none.at({0, 0, 5}), none.at({0, 1, 5}));
  const Tensor sinusoids = tensor("q_proj", {"--text", "the the", "--sinusoidal-positions"});
  EXPECT_GT(largestDifference(named, sinusoids), 0.0F);
}

TEST_F(Run, TextsMakeTokensAndBatch) {
  const json one = jsonOf({"run", "--preset", "amnl", "--text", "A b, c."});
  EXPECT_EQ(one["tokens"].dump(), R"([["A","b",",","c","."]])");
  EXPECT_EQ(one["config"]["d_model"], 256);
  EXPECT_EQ(one["config"]["seq_len"], 5);
  const json two = jsonOf({"run", "--text", "a b c", "--text", "d"});
  EXPECT_EQ(two["config"]["batch"], 2);
  EXPECT_EQ(two["tokens"].dump(), R"([["a","b","c"],["d","",""]])");
  EXPECT_EQ(jsonOf({"run", "--text", "{}"})["tokens"].dump(), R"([["{","}"]])");
  EXPECT_EQ(jsonOf({"run", "--text", "-5 °C"})["tokens"][0][0], "-");
  const json cut = jsonOf({"run", "--seq-len", "2"});
  EXPECT_EQ(cut["tokens"].dump(), R"([["The","cat"]])");
  const json repeated = jsonOf({"run", "--text", "a b", "--seq-len", "3", "--batch", "2"});
  EXPECT_EQ(repeated["tokens"].dump(), R"([["a","b","a"],["a","b","a"]])");
  const json fewer = jsonOf({"run", "--preset", "tutorial", "--batch", "1"});
  EXPECT_EQ(fewer["tokens"].size(), 1U);
}

TEST_F(Run, MemoryMakesCrossAttention) {
  const json given = jsonOf({"run", "--memory-text", "Die Katze"});
  EXPECT_EQ(given["config"]["memory_len"], 2);
  EXPECT_EQ(given["memory_tokens"].dump(), R"([["Die","Katze"]])");
  const json example = jsonOf({"run", "--memory-len", "10"});
  EXPECT_EQ(example["config"]["memory_len"], 10);
  EXPECT_EQ(example["memory_tokens"][0][9], example["memory_tokens"][0][0]);
  const json cut = jsonOf({"run", "--memory-text", "eins zwei drei", "--memory-len", "2"});
  EXPECT_EQ(cut["memory_tokens"].dump(), R"([["eins","zwei"]])");
}

TEST_F(Run, AMemoryThatIsNotGivenIsNamed) {
  const auto note = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), "run");
    const CliResult run = runProgram(flags);
    EXPECT_EQ(run.status, 0) << run.err;
    const auto begin = run.out.find("note: without --memory-text");
    return begin == std::string::npos ? ""
                                      : run.out.substr(begin, run.out.find('\n', begin) - begin);
  };
  EXPECT_NE(note({"--memory-len", "2"}).find("cut from"), std::string::npos);
  EXPECT_NE(note({"--memory-len", "2"}).find("to 2 tokens"), std::string::npos);
  EXPECT_NE(note({"--memory-len", "30"}).find("repeated from"), std::string::npos);
  EXPECT_EQ(note({}), "");
  EXPECT_EQ(note({"--memory-text", "a b", "--memory-len", "5"}), "");
}

TEST_F(Run, ASeriesIsRead) {
  const std::string file = write("s.csv", "load,heat\n1,2\n2,3\n4,1\n");
  const json run = jsonOf({"run", "--series", file});
  EXPECT_EQ(run["config"]["seq_len"], 3);
  EXPECT_EQ(jsonOf({"run", "--series", file, "--series", file})["config"]["batch"], 2);
}

TEST_F(Run, FullyMaskedRowsAreReported) {
  const json run = jsonOf({"run", "--batch", "2", "--lengths", "0,6", "--heads", "2"});
  ASSERT_EQ(run["fully_masked_rows"].size(), 12U);  // 6 rows of item 0 in both heads
  EXPECT_EQ(run["fully_masked_rows"][0], json({0, 0, 0}));
  const CliResult words = runProgram({"run", "--lengths", "3", "--window", "2"});
  EXPECT_NE(words.out.find("fully masked rows: 2 in every head"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("item 0 row 4, item 0 row 5"), std::string::npos) << words.out;
}

TEST_F(Run, LoadedWeightsBringTheirSize) {
  const std::string file = dataFile("plain_mha_d24_h4.safetensors");
  const json run = jsonOf({"run", "--weights", file, "--heads", "4"});
  EXPECT_EQ(run["config"]["d_model"], 24);
  EXPECT_EQ(run["config"]["bias"], true);
  EXPECT_EQ(jsonOf({"run", "--weights", file, "--heads", "4", "--no-bias"})["config"]["bias"],
            false);
  const SafetensorsFile plain(file);
  std::vector<NamedTensor> under;
  for (const auto& name : plain.names()) under.push_back({"layer.0." + name, plain.read(name)});
  writeSafetensors(path("prefixed.safetensors"), under);
  EXPECT_EQ(largestDifference(tensor("output", {"--weights", file, "--heads", "4"}),
                              tensor("output", {"--weights", path("prefixed.safetensors"),
                                                "--prefix", "layer.0.", "--heads", "4"})),
            0.0F);
}

TEST_F(Run, NormsOfLoadedQueriesAndKeysAreComputed) {
  const std::string file = path("qwen.safetensors");
  const std::vector<NamedTensor> layer{
      {"a.q_proj.weight", Tensor::fromValues({4, 4}, std::vector<float>(16, 0.5F))},
      {"a.k_proj.weight", Tensor::fromValues({4, 4}, std::vector<float>(16, 0.25F))},
      {"a.v_proj.weight", Tensor::zeros({4, 4})},
      {"a.o_proj.weight", Tensor::zeros({4, 4})},
      {"a.q_norm.weight", Tensor::fromValues({2}, std::vector<float>{1, 2})},
      {"a.k_norm.weight", Tensor::fromValues({2}, std::vector<float>{3, 4})}};
  writeSafetensors(file, layer);
  const std::vector<std::string> flags{"--weights", file, "--prefix", "a.", "--text", "a b c"};
  std::vector<std::string> run{"run"};
  run.insert(run.end(), flags.begin(), flags.end());
  const json said = jsonOf(run);
  EXPECT_EQ(said["config"]["num_heads"], 2) << "which the norms tell";
  EXPECT_EQ(said["steps"].size(), 10U);
  run.insert(run.end(), {"--heads", "4"});
  expectRefused(run, {"--heads 4", "qwen.safetensors"});
  std::vector<NamedTensor> more = layer;
  more.push_back({"a.sinks", Tensor::zeros({2})});
  writeSafetensors(file, more);
  run.resize(run.size() - 2);
  expectRefused(run, {"a.sinks", "qwen.safetensors", "a learned sink"});
}

TEST_F(Run, LoadedHeadsMayHaveAWidthOfTheirOwn) {
  const std::string file = path("wide.safetensors");
  writeSafetensors(file, {{"q_proj.weight", Tensor::zeros({30, 8})},
                          {"k_proj.weight", Tensor::zeros({10, 8})},
                          {"v_proj.weight", Tensor::zeros({10, 8})},
                          {"o_proj.weight", Tensor::zeros({8, 30})}});
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--heads", "6"},
                                                {"--head-dim", "5"},
                                                {"--heads", "6", "--head-dim", "5"}}) {
    std::vector<std::string> arguments{"run", "--weights", file};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const json config = jsonOf(arguments)["config"];
    EXPECT_EQ(config["d_model"], 8);
    EXPECT_EQ(config["num_heads"], 6);
    EXPECT_EQ(config["num_kv_heads"], 2);
    EXPECT_EQ(config["head_dim"], 5);
  }
  EXPECT_NE(runProgram({"run", "--weights", file, "--heads", "6"}).out.find("d_k = 5 (head_dim)"),
            std::string::npos);
  expectRefused({"run", "--weights", file}, {"give --heads"});
  expectRefused({"run", "--weights", file, "--heads", "7"}, {"7 heads", "30 rows of W_Q"});
  expectRefused({"run", "--weights", file, "--head-dim", "7"}, {"--head-dim 7", "30 rows of W_Q"});
  expectRefused({"run", "--weights", file, "--heads", "6", "--head-dim", "4"},
                {"--head-dim 4", "6 heads are 5 wide"});
  expectRefused({"run", "--preset", "by-hand", "--head-dim", "3"},
                {"--head-dim 3", "2 heads are 4 wide", "--init xavier"});
}

TEST_F(Run, ByHandKeepsItsOwnWeights) {
  const Tensor own = tensor("raw_scores", {"--preset", "by-hand"});
  for (const float score : own.values()) EXPECT_EQ(score, std::round(score));
  const Tensor drawn = tensor("raw_scores", {"--preset", "by-hand", "--seed", "1"});
  EXPECT_GT(largestDifference(own, drawn), 0.0F);
}

TEST_F(Run, DesignedHeadsAreNamed) {
  const CliResult run = runProgram({"run", "--init", "designed", "--d-model", "256"});
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* part : {"designed, not learned", "head 1: Previous token",
                           "head 2: Drawn at random (in place of: Verb → its subject)",
                           "needs 59 dimensions, and d_k is 32"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << " in " << run.out;
  }
  const auto cell = jsonOf({"explain", "--init", "designed", "--step", "softmax", "--head", "1",
                            "--row", "2", "--col", "1"});
  EXPECT_GE(cell["value"], 0.8);  // sat → cat
  EXPECT_LE(cell["value"], 0.9);  // other keys keep some weight
}

TEST_F(Run, TheTableSaysWhatRan) {
  const CliResult run = runProgram({"run", "--trace", path("t.safetensors")});
  for (const char* part :
       {"original-transformer", "\"The cat sat on the mat\"", "xavier, seed 1",
        "1,050,624 parameters", "(1, 8, 6, 6)", "fully masked rows: none", "√64 = 8, d_v = d_k"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part;
  }
  EXPECT_NE(run.out.find(path("t.safetensors")), std::string::npos);
  const CliResult narrow = runProgram({"run", "--d-model", "16"});
  EXPECT_NE(narrow.out.find("note: "), std::string::npos);
}

}  // namespace
}  // namespace headscope
