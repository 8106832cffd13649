// Model directories: families of models, types of numbers, and shards.
#include "core/formats/model_directory.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "core/attention/config.h"
#include "core/document/trace.h"
#include "core/formats/model_config_json.h"
#include "core/model/model_trace.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using formats::openModel;
using nlohmann::json;

std::vector<float> hiddenOf(const ModelPtr& model, std::vector<Index> ids) {
  const auto trace =
      runModel(makeModelDocument(model, {std::move(ids), {}, {}}), nullptr, {}, kBudgetBytes);
  return trace->last().values();
}
ModelPtr original(const char* name) { return openModel(modelData(name), kBudgetBytes); }

double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0.0, size = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return most / size;
}

const std::vector<Index> kBertIds{2, 67, 176, 134, 76, 3};

// Families that differ from the goldens' by names and a few rules.

/// The rows of positions that RoBERTa counts from are those behind its padding's.
TEST(ModelFamilies, RobertaIsBertBehindItsPadding) {
  ModelFolder bert("tiny-bert");
  bert.rename("bert.", "roberta.");
  bert.rename("cls.predictions.transform.dense", "lm_head.dense");
  bert.rename("cls.predictions.transform.LayerNorm", "lm_head.layer_norm");
  bert.rename("cls.predictions.bias", "lm_head.bias");
  Tensor& rows = bert.tensors["roberta.embeddings.position_embeddings.weight"];
  Tensor longer = Tensor::zeros({66, 32});
  std::copy_n(rows.data(), rows.size(), longer.mutableData() + 2 * 32);
  std::fill_n(longer.mutableData() + 32, 32, 0.5F);  // the padding's row
  rows = longer;
  bert.config["model_type"] = "roberta";
  bert.config["max_position_embeddings"] = 66;
  bert.config["pad_token_id"] = 1;
  const ModelPtr model = opened(bert);
  EXPECT_EQ(model->config().positions, 64);
  EXPECT_EQ(logitsOf(model, kBertIds), logitsOf(original("tiny-bert"), kBertIds));

  // a padding token has no position and is not counted
  const auto padded =
      runModel(makeModelDocument(model, {{2, 1, 67}, {}, {}}), nullptr, {}, kBudgetBytes);
  const auto plain =
      runModel(makeModelDocument(model, {{2, 67, 1}, {}, {}}), nullptr, {}, kBudgetBytes);
  const auto row = [](const ModelTracePtr& trace, Index t) {
    return trace->hidden(0).slice(1, t, t + 1).values();
  };
  EXPECT_EQ(row(padded, 2), row(plain, 1));
  EXPECT_EQ(row(padded, 1), row(plain, 2));
}

TEST(ModelFamilies, DistilBertIsBertWithoutTypes) {
  ModelFolder bert("tiny-bert");
  bert.rename("bert.", "distilbert.");
  bert.rename("encoder.layer", "transformer.layer");
  for (const auto& [from, to] : std::map<std::string, std::string>{
           {"attention.self.query", "attention.q_lin"},
           {"attention.self.key", "attention.k_lin"},
           {"attention.self.value", "attention.v_lin"},
           {"attention.output.dense", "attention.out_lin"},
           {"attention.output.LayerNorm", "sa_layer_norm"},
           {"intermediate.dense", "ffn.lin1"},
           {"output.dense", "ffn.lin2"},
           {"output.LayerNorm", "output_layer_norm"},
           {"cls.predictions.transform.dense", "vocab_transform"},
           {"cls.predictions.transform.LayerNorm", "vocab_layer_norm"},
           {"cls.predictions.bias", "vocab_projector.bias"}}) {
    bert.rename(from, to);
  }
  // what type 0 adds to every token, the positions add now
  const Tensor types = bert.tensors["distilbert.embeddings.token_type_embeddings.weight"];
  bert.tensors.erase("distilbert.embeddings.token_type_embeddings.weight");
  Tensor& positions = bert.tensors["distilbert.embeddings.position_embeddings.weight"];
  positions = positions.clone();
  for (Index i = 0; i < positions.size(); ++i) {
    positions.mutableData()[i] += types.data()[i % 32];
  }
  bert.config = {{"model_type", "distilbert"},
                 {"dim", 32},
                 {"n_layers", 2},
                 {"n_heads", 4},
                 {"hidden_dim", 128},
                 {"vocab_size", 232},
                 {"max_position_embeddings", 64},
                 {"activation", "gelu"}};
  EXPECT_LE(largestDifference(logitsOf(opened(bert), kBertIds),
                              logitsOf(original("tiny-bert"), kBertIds)),
            1e-5);
}

TEST(ModelFamilies, AModelSavedByItselfHasNoPrefixAndPerhapsNoHead) {
  ModelFolder bert("tiny-bert");
  std::erase_if(bert.tensors, [](const auto& each) { return each.first.starts_with("cls."); });
  bert.rename("bert.", "");
  bert.rename("LayerNorm.weight", "LayerNorm.gamma");  // the names in the first files
  bert.rename("LayerNorm.bias", "LayerNorm.beta");
  bert.tensors["pooler.dense.weight"] = Tensor::zeros({32, 32});
  const ModelPtr model = opened(bert);
  EXPECT_FALSE(model->hasReadout());
  EXPECT_EQ(hiddenOf(model, kBertIds), hiddenOf(original("tiny-bert"), kBertIds));
  expectUserError([&] { logitsOf(model, kBertIds); }, "no logits", "language-model head");

  ModelFolder gpt("tiny-gpt2");
  gpt.rename("transformer.", "");
  gpt.tensors["h.0.attn.bias"] = Tensor::zeros({1, 1, 64, 64});  // the causal mask
  const std::vector<Index> ids{283, 271, 84};
  EXPECT_EQ(logitsOf(opened(gpt), ids), logitsOf(original("tiny-gpt2"), ids));
  // a readout of its own, where the file has one and nothing says that it is tied
  gpt.config.erase("tie_word_embeddings");
  gpt.tensors["lm_head.weight"] = Tensor::zeros({400, 32});
  EXPECT_EQ(logitsOf(opened(gpt), ids), std::vector<float>(3 * 400, 0.0F));
}

// Llama's relatives, compared with the same model in double with plain loops.

using Rows = std::vector<std::vector<double>>;

struct LlamaReference {
  const ModelFolder& m;
  bool headNorm, biased, outputBiased;
  Index window, heads, kvHeads, dK;

  double at(const std::string& name, std::initializer_list<Index> index) const {
    return static_cast<double>(m.tensors.at(name).at(index));
  }
  std::vector<double> linear(const std::vector<double>& x, const std::string& name,
                             bool bias) const {
    std::vector<double> y;
    for (Index o = 0; o < m.tensors.at(name + ".weight").dim(0); ++o) {
      double sum = bias ? at(name + ".bias", {o}) : 0.0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        sum += x[j] * at(name + ".weight", {o, static_cast<Index>(j)});
      }
      y.push_back(sum);
    }
    return y;
  }
  std::vector<double> rms(const std::vector<double>& x, const std::string& name) const {
    double squares = 0.0;
    for (const double v : x) squares += v * v;
    const double root = std::sqrt(squares / static_cast<double>(x.size()) +
                                  m.config.at("rms_norm_eps").get<double>());
    std::vector<double> y;
    for (std::size_t j = 0; j < x.size(); ++j) {
      y.push_back(x[j] / root * at(name, {static_cast<Index>(j)}));
    }
    return y;
  }
  /// One head of a row, normalised and turned.
  std::vector<double> head(const std::vector<double>& row, Index h, std::size_t t,
                           const std::string& norm) const {
    const auto d = static_cast<std::size_t>(dK);
    const auto first = row.begin() + h * dK;
    std::vector<double> x(first, first + dK);
    if (headNorm) x = rms(x, norm);
    std::vector<double> y(d);
    for (std::size_t j = 0; j < d / 2; ++j) {
      const double angle =
          static_cast<double>(t) * std::pow(m.config.at("rope_theta").get<double>(),
                                            -2.0 * static_cast<double>(j) / static_cast<double>(d));
      y[j] = x[j] * std::cos(angle) - x[j + d / 2] * std::sin(angle);
      y[j + d / 2] = x[j + d / 2] * std::cos(angle) + x[j] * std::sin(angle);
    }
    return y;
  }

  std::vector<double> logits(const std::vector<Index>& ids) const {
    Rows h;
    for (const Index id : ids) {
      h.emplace_back();
      for (Index j = 0; j < 32; ++j) h.back().push_back(at("model.embed_tokens.weight", {id, j}));
    }
    for (int l = 0; l < 2; ++l) {
      const std::string p = "model.layers." + std::to_string(l) + ".";
      Rows q, k, v;
      for (const auto& row : h) {
        const auto x = rms(row, p + "input_layernorm.weight");
        q.push_back(linear(x, p + "self_attn.q_proj", biased));
        k.push_back(linear(x, p + "self_attn.k_proj", biased));
        v.push_back(linear(x, p + "self_attn.v_proj", biased));
      }
      for (std::size_t i = 0; i < h.size(); ++i) {
        std::vector<double> concat;
        for (Index a = 0; a < heads; ++a) {
          const Index b = a / (heads / kvHeads);
          const auto query = head(q[i], a, i, p + "self_attn.q_norm.weight");
          std::vector<double> weights;
          double sum = 0.0;
          for (std::size_t j = 0; j <= i; ++j) {
            const auto key = head(k[j], b, j, p + "self_attn.k_norm.weight");
            double score = 0.0;
            for (std::size_t c = 0; c < key.size(); ++c) score += query[c] * key[c];
            const bool seen = window == 0 || static_cast<Index>(i - j) < window;
            weights.push_back(seen ? std::exp(score / std::sqrt(static_cast<double>(dK))) : 0.0);
            sum += weights.back();
          }
          for (Index c = 0; c < dK; ++c) {
            double mixed = 0.0;
            for (std::size_t j = 0; j <= i; ++j) {
              mixed += weights[j] / sum * v[j][static_cast<std::size_t>(b * dK + c)];
            }
            concat.push_back(mixed);
          }
        }
        const auto out = linear(concat, p + "self_attn.o_proj", outputBiased);
        for (std::size_t j = 0; j < out.size(); ++j) h[i][j] += out[j];
        const auto x = rms(h[i], p + "post_attention_layernorm.weight");
        auto gate = linear(x, p + "mlp.gate_proj", false);
        const auto up = linear(x, p + "mlp.up_proj", false);
        for (std::size_t j = 0; j < gate.size(); ++j) {
          gate[j] = gate[j] / (1.0 + std::exp(-gate[j])) * up[j];
        }
        const auto down = linear(gate, p + "mlp.down_proj", false);
        for (std::size_t j = 0; j < down.size(); ++j) h[i][j] += down[j];
      }
    }
    const bool own = m.tensors.contains("lm_head.weight");
    std::vector<double> all;
    for (const auto& row : h) {
      const auto x = rms(row, "model.norm.weight");
      for (Index o = 0; o < 96; ++o) {
        double sum = 0.0;
        for (Index j = 0; j < 32; ++j) {
          sum += x[static_cast<std::size_t>(j)] *
                 at(own ? "lm_head.weight" : "model.embed_tokens.weight", {o, j});
        }
        all.push_back(sum);
      }
    }
    return all;
  }
};

/// Values that all differ, of magnitude up to `scale`.
Tensor someNumbers(const Shape& shape, double scale, double phase) {
  Tensor tensor = Tensor::uninitialised(shape);
  for (Index i = 0; i < tensor.size(); ++i) {
    tensor.mutableData()[i] =
        static_cast<float>(scale * std::sin(phase + 1.7 * static_cast<double>(i)));
  }
  return tensor;
}

void expectAgrees(const ModelFolder& folder, const LlamaReference& reference) {
  const std::vector<Index> ids{1, 65, 77, 5, 78, 46, 50, 9};
  const std::vector<double> expected = reference.logits(ids);
  const std::vector<float> found = logitsOf(opened(folder), ids);
  EXPECT_LE(largestDifference(found, {expected.begin(), expected.end()}), 1e-5);
}

TEST(ModelFamilies, MistralSeesAWindow) {
  ModelFolder m("tiny-llama");
  m.config["model_type"] = "mistral";
  m.config["sliding_window"] = 3;
  expectAgrees(m, {m, false, false, false, 3, 4, 2, 8});
  m.config["sliding_window"] = nullptr;
  expectAgrees(m, {m, false, false, false, 0, 4, 2, 8});
  m.config["layer_types"] = {"full_attention", "full_attention"};
  expectAgrees(m, {m, false, false, false, 0, 4, 2, 8});
}

TEST(ModelFamilies, Qwen2HasBiasesButOnTheOutput) {
  ModelFolder m("tiny-llama");
  m.config["model_type"] = "qwen2";
  m.config["use_sliding_window"] = false;
  m.config["sliding_window"] = 3;
  m.config["max_window_layers"] = 1;
  m.config["rope_theta"] = 100.0;
  for (const char* layer : {"model.layers.0.", "model.layers.1."}) {
    m.tensors[std::string(layer) + "self_attn.q_proj.bias"] = someNumbers({32}, 0.5, 0.1);
    m.tensors[std::string(layer) + "self_attn.k_proj.bias"] = someNumbers({16}, 0.5, 0.2);
    m.tensors[std::string(layer) + "self_attn.v_proj.bias"] = someNumbers({16}, 0.5, 0.3);
  }
  expectAgrees(m, {m, false, true, false, 0, 4, 2, 8});

  // from the layer that is named on
  m.config["use_sliding_window"] = true;
  const ModelConfig config = opened(m)->config();
  EXPECT_EQ(config.windows, (std::vector<Index>{0, 3}));
  EXPECT_EQ(config.attention(0, 5).mask.window, 0);
  EXPECT_EQ(config.attention(1, 5).mask.window, 3);
  m.config["layer_types"] = {"full_attention", "sliding_attention"};
  EXPECT_EQ(opened(m)->config().windows, config.windows);
  m.config["layer_types"] = {"sliding_attention", "sliding_attention"};
  expectUserError([&] { opened(m); }, "layer_types[0]", "sliding_attention", "full_attention");
}

TEST(ModelFamilies, Qwen3NormalisesItsHeadsAndHasAWidthForThem) {
  ModelFolder m("tiny-llama");
  m.config["model_type"] = "qwen3";
  m.config["head_dim"] = 6;  // 4 · 6 is not 32
  m.config["rms_norm_eps"] = 0.01;
  m.config["tie_word_embeddings"] = false;
  m.tensors["lm_head.weight"] = someNumbers({96, 32}, 0.3, 0.7);
  for (const char* layer : {"model.layers.0.self_attn.", "model.layers.1.self_attn."}) {
    const std::string p = layer;
    m.tensors[p + "q_proj.weight"] = someNumbers({24, 32}, 0.4, 0.2);
    m.tensors[p + "k_proj.weight"] = someNumbers({12, 32}, 0.4, 0.4);
    m.tensors[p + "v_proj.weight"] = someNumbers({12, 32}, 0.4, 0.6);
    m.tensors[p + "o_proj.weight"] = someNumbers({32, 24}, 0.4, 0.8);
    m.tensors[p + "q_norm.weight"] = someNumbers({6}, 2.0, 0.3);
    m.tensors[p + "k_norm.weight"] = someNumbers({6}, 2.0, 0.5);
  }
  expectAgrees(m, {m, true, false, false, 0, 4, 2, 6});
}

TEST(ModelFamilies, LlamaMayHaveBiases) {
  ModelFolder m("tiny-llama");
  m.config["attention_bias"] = true;
  for (const char* layer : {"model.layers.0.self_attn.", "model.layers.1.self_attn."}) {
    const std::string p = layer;
    m.tensors[p + "q_proj.bias"] = someNumbers({32}, 0.5, 0.1);
    m.tensors[p + "k_proj.bias"] = someNumbers({16}, 0.5, 0.2);
    m.tensors[p + "v_proj.bias"] = someNumbers({16}, 0.5, 0.3);
    m.tensors[p + "o_proj.bias"] = someNumbers({32}, 0.5, 0.4);
  }
  expectAgrees(m, {m, false, true, true, 0, 4, 2, 8});
}

// Types and shards.

TEST(ModelFiles, EveryFloatTypeIsRead) {
  const std::vector<Index> ids{1, 65, 77};
  const auto whole = logitsOf(original("tiny-llama"), ids);
  ModelFolder m("tiny-llama");
  {
    const TempFolder folder;
    m.write(folder, FileFloat::f16);
    EXPECT_LE(largestDifference(logitsOf(openModel(folder.path(), kBudgetBytes), ids), whole),
              5e-3);
  }
  // equal numbers in each type: those that BF16 holds exactly
  for (auto& [name, tensor] : m.tensors) {
    tensor = tensor.clone();
    for (Index i = 0; i < tensor.size(); ++i) {
      tensor.mutableData()[i] = static_cast<float>(Eigen::bfloat16(tensor.data()[i]));
    }
  }
  const auto rounded = logitsOf(opened(m), ids);
  const auto writtenAs = [&](const char* dtype, std::size_t bytes, auto convert) {
    const TempFolder folder;
    m.writeConfig(folder);
    json header;
    std::string data;
    for (const auto& [name, tensor] : m.tensors) {
      const std::size_t begin = data.size();
      for (const float value : tensor.values()) {
        const auto number = convert(value);
        data.append(reinterpret_cast<const char*>(&number), bytes);
      }
      header[name] = {{"dtype", dtype},
                      {"shape", std::vector<Index>(tensor.shape().begin(), tensor.shape().end())},
                      {"data_offsets", {begin, data.size()}}};
    }
    std::string text = header.dump();
    folder.file("model.safetensors", safetensorsBytes(text, 0) + data);
    return logitsOf(openModel(folder.path(), kBudgetBytes), ids);
  };
  EXPECT_EQ(writtenAs("BF16", 2, [](float v) { return Eigen::bfloat16(v); }), rounded);
  EXPECT_EQ(writtenAs("F64", 8, [](float v) { return static_cast<double>(v); }), rounded);
}

class Shards : public testing::Test {
 protected:
  void SetUp() override {
    model_.writeConfig(folder_);
    const auto first = [](const std::string& name) {
      return name.find("layers.1") == std::string::npos;
    };
    writeSafetensors(folder_ / "model-1.safetensors", model_.list(first));
    writeSafetensors(folder_ / "model-2.safetensors",
                     model_.list([&](const std::string& name) { return !first(name); }));
    for (const auto& [name, tensor] : model_.tensors) {
      map_[name] = first(name) ? "model-1.safetensors" : "model-2.safetensors";
    }
  }
  ModelPtr open(const json& map) {
    folder_.file("model.safetensors.index.json",
                 json{{"metadata", {{"total_size", 1}}}, {"weight_map", map}}.dump());
    return openModel(folder_.path(), kBudgetBytes);
  }
  static constexpr const char* kTensor = "model.layers.1.mlp.up_proj.weight";

  ModelFolder model_{"tiny-llama"};
  TempFolder folder_;
  json map_;
};

TEST_F(Shards, AreOneModel) {
  EXPECT_EQ(logitsOf(open(map_), {1, 65}), logitsOf(original("tiny-llama"), {1, 65}));
}

TEST_F(Shards, ThatMissTensorsAreRefused) {
  json map = map_;
  map.erase(kTensor);
  expectUserError([&] { open(map); }, kTensor, "has no tensor", "download is complete");
  map = map_;
  map[kTensor] = "model-1.safetensors";
  expectUserError([&] { open(map); }, "index.json", "model-1.safetensors", kTensor);
  map[kTensor] = "model-3.safetensors";
  expectUserError([&] { open(map); }, "model-3.safetensors", "No such file");
  std::filesystem::remove(folder_ / "model-2.safetensors");
  expectUserError([&] { open(map_); }, "model-2.safetensors", "No such file");
}

TEST_F(Shards, AnIndexLeadsNowhereElse) {
  for (const char* elsewhere : {"../model-1.safetensors", "/etc/passwd", "", "..", "a\\b"}) {
    json map = map_;
    map[kTensor] = elsewhere;
    expectUserError([&] { open(map); }, "weight_map.", "not the name of a file in the same folder");
  }
  expectUserError([&] { open(json::object()); }, "weight_map", "names no tensors");
  expectUserError([&] { open(3); }, "weight_map", "an object");
  folder_.file("model.safetensors.index.json", "{\"weight_map\": {\"a");
  expectUserError([&] { openModel(folder_.path(), kBudgetBytes); }, "index.json", "cut short");
}

}  // namespace
}  // namespace headscope::test::models
