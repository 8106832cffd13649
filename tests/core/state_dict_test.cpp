#include "core/attention/state_dict.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/attention/mistakes.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/formats/document_json.h"
#include "core/formats/pass_files.h"
#include "core/presets/presets.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

/// A file of zeros with these shapes.
SafetensorsFile fileOf(const TempFolder& folder,
                       const std::vector<std::pair<std::string, Shape>>& list,
                       const std::string& prefix = "") {
  std::vector<NamedTensor> tensors;
  for (const auto& [name, shape] : list) tensors.push_back({prefix + name, Tensor::zeros(shape)});
  writeSafetensors(folder / "layer.safetensors", tensors);
  return SafetensorsFile(folder / "layer.safetensors");
}

TEST(StateDict, CombinedProjectionIsCutInThreeViews) {
  const SafetensorsFile file(golden("plain_mha_d24_h4"));
  const LoadedWeights loaded = loadWeights(file);
  EXPECT_EQ(loaded.dModel, 24);
  EXPECT_EQ(loaded.kvFeatures, 24);
  EXPECT_EQ(loaded.kvWidth, 24);
  EXPECT_TRUE(loaded.bias);
  EXPECT_TRUE(loaded.weights.wQ.sharesStorageWith(loaded.weights.wV));
  const Tensor all = file.read("in_proj_weight");
  EXPECT_EQ(loaded.weights.wK.at({3, 5}), all.at({24 + 3, 5}));
  EXPECT_EQ(loaded.weights.wV.at({3, 5}), all.at({48 + 3, 5}));
  EXPECT_EQ(loaded.weights.bV.at({7}), file.read("in_proj_bias").at({48 + 7}));
  EXPECT_EQ(loaded.weights.wO.values(), file.read("out_proj.weight").values());
  EXPECT_EQ(kvHeadsFor(loaded, 4, "f"), 4);
}

TEST(StateDict, WithoutBiasesTheyAreZeroAndOff) {
  const LoadedWeights loaded = loadWeights(SafetensorsFile(golden("small_d8_h2_t4_nobias")));
  EXPECT_FALSE(loaded.bias);
  EXPECT_EQ(loaded.weights.bQ.values(), std::vector<float>(8, 0.0F));
  EXPECT_EQ(loaded.weights.bO.values(), std::vector<float>(8, 0.0F));
}

TEST(StateDict, SeparateProjectionsTellTheKeyValueHeads) {
  const SafetensorsFile file(golden("gqa_d64_h8_kv2_t9"));
  const LoadedWeights loaded = loadWeights(file);
  EXPECT_EQ(loaded.dModel, 64);
  EXPECT_EQ(loaded.kvFeatures, 16);
  EXPECT_EQ(loaded.weights.bK.values(), file.read("k_proj.bias").values());
  EXPECT_EQ(kvHeadsFor(loaded, 8, "f"), 2);
  expectUserError([&] { kvHeadsFor(loaded, 7, "gqa.safetensors"); },
                  "7 heads do not divide d_model 64 of gqa.safetensors");
  expectUserError([&] { kvHeadsFor(loaded, 2, "gqa.safetensors"); }, "with 2 heads each is 32 wide",
                  "keys in gqa.safetensors are 16 wide");
}

TEST(StateDict, HeadsOfAWidthOfTheirOwn) {
  const TempFolder folder;
  // 6 heads of 5, 2 of keys and values, d_model 8; newer models call W_O o_proj
  const LoadedWeights loaded = loadWeights(fileOf(folder, {{"q_proj.weight", {30, 8}},
                                                           {"k_proj.weight", {10, 8}},
                                                           {"v_proj.weight", {10, 8}},
                                                           {"o_proj.weight", {8, 30}},
                                                           {"q_proj.bias", {30}},
                                                           {"o_proj.bias", {8}}}));
  EXPECT_EQ(loaded.dModel, 8);
  EXPECT_EQ(loaded.queryFeatures, 30);
  EXPECT_EQ(loaded.weights.wO.shape(), (Shape{8, 30}));
  EXPECT_EQ(loaded.weights.bQ.shape(), (Shape{30}));
  EXPECT_EQ(loaded.weights.bO.shape(), (Shape{8}));
  EXPECT_EQ(kvHeadsFor(loaded, 6, "f"), 2);
  EXPECT_EQ(headDimOf(loaded.weights, 6), 5);
  expectUserError([&] { kvHeadsFor(loaded, 7, "f"); }, "7 heads do not divide the 30 rows of W_Q");
  expectUserError([&] { kvHeadsFor(loaded, 2, "f"); }, "with 2 heads each is 15 wide");
  const auto withOutput = [&](const Shape& shape) {
    return [&folder, shape] {
      loadWeights(fileOf(folder, {{"q_proj.weight", {30, 8}},
                                  {"k_proj.weight", {10, 8}},
                                  {"v_proj.weight", {10, 8}},
                                  {"out_proj.weight", shape}}));
    };
  };
  expectUserError(withOutput({8, 8}), "out_proj.weight in ",
                  "takes 8 features, and the heads of q_proj give 30");
  expectUserError(withOutput({30, 8}), "out_proj.weight: expected (8, 30), found (30, 8)");
}

TEST(StateDict, OwnWidthOfTheMemory) {
  const TempFolder folder;
  const LoadedWeights loaded = loadWeights(fileOf(folder, {{"q_proj_weight", {8, 8}},
                                                           {"k_proj_weight", {8, 6}},
                                                           {"v_proj_weight", {8, 6}},
                                                           {"in_proj_bias", {24}},
                                                           {"out_proj.weight", {8, 8}},
                                                           {"out_proj.bias", {8}}}));
  EXPECT_EQ(loaded.kvWidth, 6);
  EXPECT_EQ(loaded.weights.wK.shape(), (Shape{8, 6}));
  EXPECT_EQ(loaded.weights.bV.shape(), (Shape{8}));
  expectUserError(
      [&] {
        loadWeights(fileOf(folder, {{"q_proj_weight", {8, 8}},
                                    {"k_proj_weight", {8, 6}},
                                    {"v_proj_weight", {8, 5}},
                                    {"out_proj.weight", {8, 8}}}));
      },
      "k_proj_weight (8, 6) and v_proj_weight (8, 5)", "(kdim and vdim)");
}

TEST(StateDict, PrefixesAreFoundAndNamed) {
  const TempFolder folder;
  const auto file = fileOf(folder, {{"in_proj_weight", {24, 8}}, {"out_proj.weight", {8, 8}}},
                           "encoder.layers.0.self_attn.");
  EXPECT_EQ(loadWeights(file, "encoder.layers.0.self_attn.").dModel, 8);
  EXPECT_EQ(loadWeights(file, "encoder.layers.0.self_attn").dModel, 8);  // the dot may be left out
  expectUserError([&] { loadWeights(file); },
                  "layer.safetensors has no attention weights at its root",
                  "choose the prefix: encoder.layers.0.self_attn.");
  expectUserError([&] { loadWeights(file, "decoder."); }, "under the prefix \"decoder.\"",
                  "encoder.layers.0.self_attn.");
  expectUserError(
      [&] {
        loadWeights(fileOf(folder, {{"fc.weight", {2, 2}}}));
      },
      "holds no attention weights", "it has fc.weight");
}

TEST(StateDict, WhatCannotBeShownIsRefusedByName) {
  const TempFolder folder;
  for (const char* name : {"bias_k", "bias_v"}) {
    expectUserError(
        [&] {
          loadWeights(fileOf(
              folder,
              {{"in_proj_weight", {24, 8}}, {"out_proj.weight", {8, 8}}, {name, {1, 1, 8}}}));
        },
        std::string(name) + " in ", "layer.safetensors", "add_bias_kv");
  }
}

using Named = std::vector<std::pair<std::string, Shape>>;
const Named kLayer{{"q_proj.weight", {12, 8}},
                   {"k_proj.weight", {6, 8}},
                   {"v_proj.weight", {6, 8}},
                   {"o_proj.weight", {8, 12}}};

Named layerWith(const Named& others) {
  Named all = kLayer;
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

/// A tensor that would change the result is refused, wherever the layer lies in the file.
TEST(StateDict, UnusedTensorsOfALayerAreRefused) {
  struct Extra {
    const char* name;
    Shape shape;
    const char* says;
  };
  const TempFolder folder;
  for (const Extra& extra :
       std::vector<Extra>{{"sinks", {4}, "a learned sink"},
                          {"q_proj.lora_A.weight", {2, 8}, "merge_and_unload"},
                          {"v_proj.lora_B.default.weight", {6, 2}, "merge_and_unload"},
                          {"relative_attention_bias.weight", {32, 4}, "distance of two tokens"},
                          {"q_proj.weight_scale", {1}, "quantized"},
                          {"in_proj_bias", {24}, "a second set of projections"},
                          {"q_norm.weight", {3}, "k_norm.weight is missing"},
                          {"q_layernorm.weight", {3}, "norm that is not computed"},
                          {"bias_k", {1, 1, 8}, "add_bias_kv"}}) {
    SCOPED_TRACE(extra.name);
    for (const char* prefix : {"", "layers.0.self_attn."}) {
      const auto load = [&] {
        loadWeights(fileOf(folder, layerWith({{extra.name, extra.shape}}), prefix), prefix);
      };
      const bool missing = std::string(extra.name) == "q_norm.weight";
      expectUserError(load, "layer.safetensors", prefix + std::string(missing ? "" : extra.name),
                      extra.says);
    }
  }
  // two sets of projections are ambiguous
  const auto twoOutputs = layerWith({{"out_proj.weight", {8, 12}}});
  expectUserError([&] { loadWeights(fileOf(folder, twoOutputs)); }, "o_proj.weight in ",
                  "so the choice is ambiguous");
  Named both = layerWith({{"out_proj.weight", {8, 8}}, {"in_proj_weight", {24, 8}}});
  std::erase_if(both, [](const auto& each) { return each.first == "o_proj.weight"; });
  expectUserError([&] { loadWeights(fileOf(folder, both)); }, "k_proj.weight in ",
                  "so the choice is ambiguous");
  // under a prefix every name counts; at the root those of an attention layer alone
  const auto gate = layerWith({{"gate.weight", {4, 8}}});
  expectUserError([&] { loadWeights(fileOf(folder, gate, "a."), "a."); }, "a.gate.weight",
                  "not a part of attention");
  EXPECT_EQ(loadWeights(fileOf(folder, gate)).dModel, 8);
  EXPECT_EQ(loadWeights(fileOf(folder, layerWith({{"x", {5, 8}}, {"q_proj", {1, 5, 12}}}))).dModel,
            8);
}

TEST(StateDict, BuffersOfALayerArePassedOver) {
  const TempFolder folder;
  const auto buffers = layerWith({{"rotary_emb.inv_freq", {2}},
                                  {"bias", {1, 1, 16, 16}},
                                  {"masked_bias", {}},
                                  {"rotary_emb.cos_cached", {16, 4}}});
  EXPECT_EQ(loadWeights(fileOf(folder, buffers, "h.0.attn."), "h.0.attn.").dModel, 8);
}

TEST(StateDict, NormsOfQueriesAndKeysAreLoaded) {
  const TempFolder folder;
  std::vector<NamedTensor> tensors;
  for (const auto& [name, shape] : kLayer) tensors.push_back({name, Tensor::zeros(shape)});
  tensors.push_back({"q_norm.weight", Tensor::fromValues({3}, std::vector<float>{1, 2, 3})});
  tensors.push_back({"k_norm.weight", Tensor::fromValues({3}, std::vector<float>{4, 5, 6})});
  writeSafetensors(folder / "layer.safetensors", tensors);
  const LoadedWeights loaded = loadWeights(SafetensorsFile(folder / "layer.safetensors"));
  EXPECT_EQ(loaded.headNorm, HeadNorm({1, 2, 3}, {4, 5, 6}, kHeadNormEpsilon));
  EXPECT_EQ(headsOfNorm(loaded), 4);  // 12 rows of W_Q in heads of 3
  // one norm over all heads is another thing
  const auto over = layerWith({{"q_norm.weight", {12}}, {"k_norm.weight", {6}}});
  expectUserError([&] { loadWeights(fileOf(folder, over)); }, "q_norm.weight (12,)",
                  "norms over all heads");
}

TEST(StateDict, WrongShapesAreNamedWithExpectedAndFound) {
  const TempFolder folder;
  const auto load = [&](const std::vector<std::pair<std::string, Shape>>& list) {
    return [&folder, list] { loadWeights(fileOf(folder, list)); };
  };
  expectUserError(load({{"in_proj_weight", {23, 8}}, {"out_proj.weight", {8, 8}}}),
                  "in_proj_weight: expected (24, 8), found (23, 8) in ", "layer.safetensors");
  expectUserError(load({{"in_proj_weight", {24}}, {"out_proj.weight", {8, 8}}}),
                  "in_proj_weight: expected (3·d_model, d_model), found (24,)");
  expectUserError(load({{"in_proj_weight", {0, 0}}, {"out_proj.weight", {8, 8}}}),
                  "in_proj_weight: expected");
  expectUserError(load({{"in_proj_weight", {24, 8}}}), "out_proj.weight is missing in ");
  expectUserError(load({{"in_proj_weight", {24, 8}}, {"out_proj.weight", {8, 9}}}),
                  "out_proj.weight: expected (8, 8), found (8, 9)");
  expectUserError(
      load({{"in_proj_weight", {24, 8}}, {"out_proj.weight", {8, 8}}, {"in_proj_bias", {23}}}),
      "in_proj_bias: expected (24,), found (23,)");
  expectUserError(load({{"q_proj.weight", {8, 8}},
                        {"k_proj.weight", {4, 8}},
                        {"v_proj.weight", {8, 8}},
                        {"out_proj.weight", {8, 8}}}),
                  "v_proj.weight: expected (4, 8), found (8, 8)");
  expectUserError(load({{"q_proj.weight", {8, 8}}, {"out_proj.weight", {8, 8}}}),
                  "k_proj.weight is missing");
}

TEST(StateDict, InputsHaveABatchOrNot) {
  const TempFolder folder;
  EXPECT_EQ(loadInput(fileOf(folder, {{"x", {5, 8}}})).x.shape(), (Shape{1, 5, 8}));
  const TensorSource source = loadInput(SafetensorsFile(golden("cross_d48_h6_t5_m9")));
  EXPECT_EQ(source.x.shape(), (Shape{1, 5, 48}));
  EXPECT_EQ(source.memory.shape(), (Shape{1, 9, 48}));
  expectUserError(
      [&] {
        loadInput(fileOf(folder, {{"x", {8}}}));
      },
      "x: expected (batch, tokens, width) or (tokens, width), found (8,) in ");
  expectUserError([&] { loadInput(fileOf(folder, {{"x", {0, 8}}})); }, "found (0, 8)");
  expectUserError(
      [&] {
        loadInput(fileOf(folder, {{"y", {5, 8}}}));
      },
      "has no tensor \"x\"", "it has y");
  expectUserError(
      [&] {
        loadInput(fileOf(folder, {{"x", {2, 5, 8}}, {"memory", {5, 8}}}));
      },
      "memory: expected a batch of 2");
}

TEST(StateDict, TokensComeWithTheInput) {
  const TempFolder folder;
  const std::vector<NamedTensor> x{{"x", Tensor::zeros({2, 8})}};
  const auto tokensOf = [&](const std::string& json) {
    writeSafetensors(folder / "in.safetensors", x, {{"tokens", json}});
    return loadInput(SafetensorsFile(folder / "in.safetensors")).tokens;
  };
  EXPECT_EQ(tokensOf(R"(["a","b"])"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(tokensOf(R"([["a","b"],["a","b"]])"), (std::vector<std::string>{"a", "b"}));
  for (const char* useless : {R"([["a"],["b"]])", "", "[", "7", "[1]", "[[1]]", "[]", "{}"}) {
    EXPECT_TRUE(tokensOf(useless).empty()) << useless;
  }
}

TEST(StateDict, TraceHoldsEveryResult) {
  const TempFolder folder;
  const DocumentPtr document =
      makePreset(presetByName("original-transformer"), {}, defaultMemoryBudget());
  const TracePtr trace = runAttention(document);
  saveTrace(folder / "trace.safetensors", *trace);

  const SafetensorsFile file(folder / "trace.safetensors");
  for (std::size_t i = kFirstResult; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    const std::string name(info(id).name);
    ASSERT_TRUE(file.has(name)) << name;
    EXPECT_EQ(file.shape(name), shapeOf(id, document->config)) << name;
    EXPECT_EQ(file.readAny(name).values(), trace->materialise(id).values()) << name;
  }
  const auto tokens = nlohmann::json::parse(file.metadata().at("tokens"));
  EXPECT_EQ(tokens, nlohmann::json::parse(R"([["The","cat","sat","on","the","mat"]])"));
  const auto config = nlohmann::json::parse(file.metadata().at("config"));
  EXPECT_EQ(config, nlohmann::json::parse(configJson(*document).dump()));
  EXPECT_EQ(config.at("d_k"), 64);
  const auto steps = nlohmann::json::parse(file.metadata().at("steps"));
  EXPECT_EQ(steps.size(), 9U);
  EXPECT_EQ(steps[2].at("outputs"), nlohmann::json::parse(R"(["raw_scores"])"));
  EXPECT_FALSE(file.metadata().contains("mistakes"));
  EXPECT_FALSE(config.contains("mistakes"));
}

TEST(StateDict, ATraceSaysWhichMistakesWereOn) {
  const TempFolder folder;
  const DocumentPtr right =
      makePreset(presetByName("original-transformer"), {}, defaultMemoryBudget());
  Document wrong = *right;
  setMistake(wrong.config, Mistake::softmaxOverQueries, true);
  setMistake(wrong.config, Mistake::noScale, true);
  saveTrace(folder / "trace.safetensors", *runAttention(std::make_shared<const Document>(wrong)));
  const SafetensorsFile file(folder / "trace.safetensors");
  EXPECT_EQ(file.metadata().at("mistakes"), "softmax-queries, no-scale");
  EXPECT_EQ(nlohmann::json::parse(file.metadata().at("config")).at("mistakes"),
            "softmax-queries, no-scale");
}

}  // namespace
}  // namespace headscope::formats
