// LoRA adapters: models with them against the same models with the products written into their
// weights, by an independent loop in float64.
#include "core/formats/adapter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/model/adapter_change.h"
#include "core/model/edited_layer.h"
#include "core/model/model_document.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"
#include "tests/core/support/passes.h"

namespace headscope::test::adapters {
namespace {

using formats::AdapterChoice;
using model::ModelPtr;
using nlohmann::json;

const std::vector<Index> kAdaptedIds{5, 17, 40, 8, 66};
constexpr double kMerged = 1e-6;  // of the largest logit

/// An adapter's folder as PEFT writes it.
struct AdapterFolder {
  json config{{"peft_type", "LORA"},
              {"task_type", "CAUSAL_LM"},
              {"base_model_name_or_path", "somewhere/base"},
              {"r", 4},
              {"lora_alpha", 6},
              {"lora_dropout", 0.05},
              {"bias", "none"},
              {"fan_in_fan_out", false},
              {"use_dora", false},
              {"use_rslora", false},
              {"modules_to_save", nullptr},
              {"rank_pattern", json::object()},
              {"alpha_pattern", json::object()},
              {"inference_mode", true}};
  std::vector<NamedTensor> tensors;
  std::uint64_t seed = 1;

  Tensor drawn(Shape shape) { return randomTensor(std::move(shape), seed++, "adapter", 0.3F); }
  /// Draws A (rank, in) and B (out, rank) of a module.
  void add(const std::string& module, Index in, Index out, Index rank = 4) {
    const std::string name = "base_model.model." + module;
    tensors.push_back({name + ".lora_A.weight", drawn({rank, in})});
    tensors.push_back({name + ".lora_B.weight", drawn({out, rank})});
  }
  const Tensor& operator[](const std::string& name) const {
    for (const NamedTensor& each : tensors) {
      if (each.name == "base_model.model." + name) return each.tensor;
    }
    throw std::runtime_error("no " + name);
  }
  void write(const TempFolder& folder) const {
    folder.file("adapter_config.json", config.dump());
    writeSafetensors(folder / "adapter_model.safetensors", tensors);
  }
};

/// Writes W + factor · B·A over a tensor: (out, in), or turned (in, out).
void merge(ModelFolder& into, const std::string& tensor, const Tensor& a, const Tensor& b,
           double factor, bool turned = false) {
  Tensor& w = into.own(tensor);
  for (Index out = 0; out < b.dim(0); ++out) {
    for (Index in = 0; in < a.dim(1); ++in) {
      double sum = 0.0;
      for (Index k = 0; k < a.dim(0); ++k) sum += double{b.at({out, k})} * double{a.at({k, in})};
      float& cell = w.mutableData()[turned ? in * b.dim(0) + out : out * a.dim(1) + in];
      cell = static_cast<float>(double{cell} + factor * sum);
    }
  }
}

ModelPtr openedWith(const ModelFolder& base, const AdapterFolder& adapter, double strength) {
  const TempFolder folder, own;
  base.write(folder);
  adapter.write(own);
  return formats::openModel(folder.path(), kBudgetBytes, {own.path(), strength});
}

void expectMerged(const ModelPtr& model, const ModelFolder& merged) {
  const auto a = logitsOf(model, kAdaptedIds), b = logitsOf(opened(merged), kAdaptedIds);
  ASSERT_EQ(a.size(), b.size());
  double most = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
    largest = std::max(largest, std::abs(double{b[i]}));
  }
  EXPECT_LE(most, kMerged * largest);
}

TEST(Adapter, AddsItsProductsToTheWeightsOfItsModules) {
  const ModelFolder base("tiny-llama");
  const Index d = base.config.at("hidden_size"), f = base.config.at("intermediate_size");
  const Index vocabulary = base.config.at("vocab_size");
  const Index kv = base.tensors.at("model.layers.1.self_attn.k_proj.weight").dim(0);
  AdapterFolder adapter;
  adapter.config["target_modules"] = {"q_proj", "k_proj", "down_proj", "embed_tokens"};
  adapter.add("model.layers.0.self_attn.q_proj", d, d);
  adapter.add("model.layers.1.self_attn.k_proj", d, kv);
  adapter.add("model.layers.1.mlp.down_proj", f, d);
  const std::string embedding = "base_model.model.model.embed_tokens.lora_embedding_";
  adapter.tensors.push_back({embedding + "A", adapter.drawn({4, vocabulary})});
  adapter.tensors.push_back({embedding + "B", adapter.drawn({d, 4})});
  for (const double strength : {1.0, 0.4}) {
    ModelFolder merged = base;
    for (const std::string module :
         {"model.layers.0.self_attn.q_proj", "model.layers.1.self_attn.k_proj",
          "model.layers.1.mlp.down_proj"}) {
      merge(merged, module + ".weight", adapter[module + ".lora_A.weight"],
            adapter[module + ".lora_B.weight"], strength * 6.0 / 4.0);
    }
    merge(merged, "model.embed_tokens.weight", adapter["model.embed_tokens.lora_embedding_A"],
          adapter["model.embed_tokens.lora_embedding_B"], strength * 6.0 / 4.0, true);
    const ModelPtr model = openedWith(base, adapter, strength);
    expectMerged(model, merged);
    EXPECT_TRUE(model->notes().empty()) << model->notes().sentences().front();
    ASSERT_NE(model->adapter(), nullptr);
    EXPECT_EQ(logitsOf(model->adapter()->base, kAdaptedIds), logitsOf(opened(base), kAdaptedIds));
  }
  EXPECT_EQ(logitsOf(openedWith(base, adapter, 0.0), kAdaptedIds),
            logitsOf(opened(base), kAdaptedIds));
  EXPECT_NE(logitsOf(openedWith(base, adapter, 0.1), kAdaptedIds),
            logitsOf(opened(base), kAdaptedIds));
}

/// GPT-2's matrices are (in, out); α/√r, and ranks and factors of single modules.
TEST(Adapter, FollowsTheLayoutAndTheRanksOfItsModules) {
  const ModelFolder base("tiny-gpt2");
  AdapterFolder adapter;
  adapter.config["target_modules"] = {"c_attn", "c_proj"};
  adapter.config["use_rslora"] = true;
  adapter.config["rank_pattern"] = {{"attn.c_proj", 2}};
  adapter.config["alpha_pattern"] = {{"^transformer.h.1.mlp.c_proj", 3.0}, {"attn.c_proj", 5}};
  adapter.add("transformer.h.0.attn.c_attn", 32, 96);
  adapter.add("transformer.h.1.attn.c_proj", 32, 32, 2);
  adapter.add("transformer.h.1.mlp.c_proj", 128, 32);
  ModelFolder merged = base;
  const auto add = [&](const std::string& module, double factor) {
    merge(merged, module + ".weight", adapter[module + ".lora_A.weight"],
          adapter[module + ".lora_B.weight"], factor, true);
  };
  add("transformer.h.0.attn.c_attn", 6.0 / std::sqrt(4.0));
  add("transformer.h.1.attn.c_proj", 5.0 / std::sqrt(2.0));
  add("transformer.h.1.mlp.c_proj", 3.0 / std::sqrt(4.0));
  expectMerged(openedWith(base, adapter, 1.0), merged);
  // the hub's file has no "transformer." before its names
  ModelFolder bare = base;
  bare.rename("transformer.", "");
  expectMerged(openedWith(bare, adapter, 1.0), merged);
}

TEST(Adapter, MovesAModuleThatIsSavedWholeByItsStrength) {
  const ModelFolder base("tiny-llama");
  const Index d = base.config.at("hidden_size");
  AdapterFolder adapter;
  adapter.config["target_modules"] = {"q_proj"};
  adapter.config["modules_to_save"] = {"norm"};
  adapter.add("model.layers.0.self_attn.q_proj", d, d);
  adapter.tensors.push_back({"base_model.model.model.norm.weight", adapter.drawn({d})});
  for (const double strength : {0.25, 1.0}) {
    ModelFolder merged = base;
    const std::string q = "model.layers.0.self_attn.q_proj";
    merge(merged, q + ".weight", adapter[q + ".lora_A.weight"], adapter[q + ".lora_B.weight"],
          strength * 1.5);
    Tensor& gain = merged.own("model.norm.weight");
    for (Index i = 0; i < d; ++i) {
      const double own = gain.data()[i], saved = adapter["model.norm.weight"].data()[i];
      gain.mutableData()[i] = static_cast<float>(own + strength * (saved - own));
    }
    expectMerged(openedWith(base, adapter, strength), merged);
  }
}

/// One adapter on tiny-gpt2, changed by `change`.
AdapterFolder onGpt2(const std::function<void(AdapterFolder&)>& change = nullptr) {
  AdapterFolder adapter;
  adapter.config["target_modules"] = {"c_attn"};
  adapter.add("transformer.h.0.attn.c_attn", 32, 96);
  if (change) change(adapter);
  return adapter;
}

TEST(Adapter, OtherMathematicsIsRefusedByName) {
  const auto refused = [](const char* field, const json& value, const char* says) {
    SCOPED_TRACE(field);
    const AdapterFolder adapter = onGpt2([&](auto& a) { a.config[field] = value; });
    expectUserError([&] { openedWith(ModelFolder("tiny-gpt2"), adapter, 1.0); },
                    "adapter_config.json", field, says);
  };
  refused("peft_type", "IA3", "IA3");
  refused("use_dora", true, "DoRA");
  refused("bias", "all", "trained biases");
  refused("lora_bias", true, "a bias of B");
  refused("init_lora_weights", "pissa", "other weights of the base");
  refused("trainable_token_indices", {1, 2}, "trained rows of the embedding");
  refused("layer_replication", {{0, 1}}, "run again");
  refused("alpha_pattern", {{".*attn", 3}}, "regular expression");
  refused("r", 0, "no rank");
  refused("r", 3, "the rank 3");
}

TEST(Adapter, ThatDoesNotFitItsBaseIsRefusedWithAWayOut) {
  const auto refused = [](const std::function<void(AdapterFolder&)>& change, const char* what,
                          const char* says) {
    expectUserError([&] { openedWith(ModelFolder("tiny-gpt2"), onGpt2(change), 1.0); }, what, says);
  };
  refused([](auto& a) { a.tensors.pop_back(); }, "lora_A", "lora_B.weight\" is missing");
  refused([](auto& a) { a.add("transformer.h.7.attn.c_attn", 32, 96); }, "h.7.attn.c_attn",
          "does not have");
  refused([](auto& a) { a.add("transformer.h.1.attn.c_attn", 16, 96); }, "h.1.attn.c_attn",
          "(32, 96)");
  refused([](auto& a) { a.config["target_modules"] = {"c_fc"}; }, "adapter_model.safetensors",
          "no tensor of a module");
  refused(
      [](auto& a) {
        a.tensors.push_back({"base_model.model.transformer.h.0.attn.c_attn.bias", a.drawn({96})});
      },
      "c_attn.bias", "trained bias");
  refused(
      [](auto& a) {
        a.tensors.push_back({"base_model.model.lm_head.weight", a.drawn({400, 32})});
      },
      "lm_head.weight", "does not have");
  expectUserError([] { openedWith(ModelFolder("tiny-gpt2"), onGpt2(), 1.5); }, "strength",
                  "0 to 1");
}

TEST(Adapter, WhatItLeavesOutIsNoted) {
  const ModelPtr model = openedWith(ModelFolder("tiny-gpt2"), onGpt2([](auto& a) {
                                      a.config["a_new_field"] = 3;
                                      a.add("transformer.h.1.mlp.c_fc", 32, 128);
                                    }),
                                    1.0);
  const auto said = model->notes().sentences();
  ASSERT_EQ(said.size(), 2U);
  EXPECT_NE(said[0].find("a_new_field"), std::string::npos);
  EXPECT_NE(said[1].find("c_fc"), std::string::npos);
}

TEST(Adapter, ItsOwnFolderOpensItsBaseWhereThatIsFound) {
  const TempFolder folder;
  const ModelFolder base("tiny-gpt2");
  AdapterFolder adapter = onGpt2();
  std::filesystem::create_directories(folder / "lora");
  std::filesystem::create_directories(folder / "base");
  folder.file("base/config.json", base.config.dump());
  writeSafetensors(folder / "base/model.safetensors", base.list());
  const auto write = [&](const std::string& named) {
    adapter.config["base_model_name_or_path"] = named;
    folder.file("lora/adapter_config.json", adapter.config.dump());
    writeSafetensors(folder / "lora/adapter_model.safetensors", adapter.tensors);
  };
  for (const std::string& named : {(folder / "base").string(), std::string("../base")}) {
    write(named);
    const ModelPtr model = formats::openModel(folder / "lora", kBudgetBytes);
    EXPECT_EQ(logitsOf(model, kAdaptedIds), logitsOf(openedWith(base, adapter, 1.0), kAdaptedIds));
    EXPECT_NE(model->name().find("base + lora"), std::string::npos);
  }
  write("openai-community/gpt2");
  expectUserError([&] { formats::openModel(folder / "lora", kBudgetBytes); },
                  "adapter (LoRA) of openai-community/gpt2", "--adapter");
}

TEST(Adapter, ItsChangeOfAHeadIsThatOfTheHeadsRowsAndColumns) {
  const ModelFolder base("tiny-gpt2");
  AdapterFolder adapter = onGpt2([](auto& a) {
    a.config["target_modules"] = {"attn.c_attn", "attn.c_proj"};
    a.add("transformer.h.0.attn.c_proj", 32, 32);
  });
  // of W_O only the rows of the last head change
  Tensor a = adapter.tensors[2].tensor.clone();
  for (Index i = 0; i < a.size(); ++i) {
    if (i % 32 < 24) a.mutableData()[i] = 0.0F;
  }
  adapter.tensors[2].tensor = a;
  const ModelPtr model = openedWith(base, adapter, 0.5);
  const std::vector<double> changes = model::adapterChanges(*model, {});
  ASSERT_EQ(changes.size(), 8U);
  ModelFolder merged = base;
  const auto add = [&](const std::string& module) {
    merge(merged, module + ".weight", adapter[module + ".lora_A.weight"],
          adapter[module + ".lora_B.weight"], 0.5 * 1.5, true);
  };
  add("transformer.h.0.attn.c_attn");
  add("transformer.h.0.attn.c_proj");
  for (Index head = 0; head < 4; ++head) {
    double own = 0.0, change = 0.0;
    const auto cell = [&](const std::string& tensor, Index row, Index col) {
      const double before = base.tensors.at(tensor).at({row, col});
      own += before * before;
      change += std::pow(double{merged.tensors.at(tensor).at({row, col})} - before, 2.0);
    };
    for (Index i = 0; i < 32; ++i) {
      for (Index j = 0; j < 8; ++j) {
        for (Index part = 0; part < 3; ++part) {
          cell("transformer.h.0.attn.c_attn.weight", i, part * 32 + head * 8 + j);
        }
        cell("transformer.h.0.attn.c_proj.weight", head * 8 + j, i);
      }
    }
    EXPECT_NEAR(changes[static_cast<std::size_t>(head)], std::sqrt(change / own), 1e-6);
    EXPECT_EQ(changes[static_cast<std::size_t>(4 + head)], 0.0);
  }
}

TEST(Adapter, EditedCellsStayOnTheModelAtAnotherStrength) {
  const ModelFolder base("tiny-gpt2");
  const ModelPtr weak = openedWith(base, onGpt2(), 0.1), strong = openedWith(base, onGpt2(), 0.9);
  const auto document = model::makeModelDocument(weak, {kAdaptedIds, {}, {}});
  Tensor wQ = weak->layer(0)->attention.wQ.clone();
  wQ.mutableData()[7] = 3.0F;
  auto edited = model::EditedLayer{weak->config().attention(0, 5), weak->layer(0)->attention, {}};
  edited.weights.wQ = wQ;
  auto changed = std::make_shared<model::ModelDocument>(*document);
  changed->edited[0] = std::make_shared<const model::EditedLayer>(edited);
  const auto moved = model::onModel(*changed, strong);
  EXPECT_EQ(moved->model, strong);
  std::vector<float> expected = strong->layer(0)->attention.wQ.values();
  expected[7] = 3.0F;
  EXPECT_EQ(moved->edited.at(0)->weights.wQ.values(), expected);
  EXPECT_EQ(moved->edited.at(0)->weights.wK.values(), strong->layer(0)->attention.wK.values());
}

}  // namespace
}  // namespace headscope::test::adapters
