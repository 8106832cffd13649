#include "core/formats/model_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attention/steps/linear.h"
#include "core/base/error.h"
#include "core/formats/model_config_json.h"
#include "core/formats/model_folder.h"
#include "core/formats/model_name.h"
#include "core/formats/shipped_model.h"
#include "core/formats/tensor_prefixes.h"
#include "core/formats/unused_tensors.h"
#include "core/formats/weight_files.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using model::Embedding;
using model::Family;
using model::FeedForward;
using model::LayerWeights;
using model::ModelConfig;
using model::ModelNotes;
using model::NormWeights;
using model::Readout;

/// Transposes a matrix in square blocks that fit in cache.
Tensor turnedOver(const Tensor& from) {
  if (from.empty()) return {};
  constexpr Index kSquare = 32;
  const Index rows = from.dim(0), cols = from.dim(1);
  Tensor to = Tensor::uninitialised({cols, rows});
  const float* source = from.data();
  float* target = to.mutableData();
  for (Index row = 0; row < rows; row += kSquare) {
    for (Index col = 0; col < cols; col += kSquare) {
      for (Index j = col; j < std::min(cols, col + kSquare); ++j) {
        for (Index i = row; i < std::min(rows, row + kSquare); ++i) {
          target[j * rows + i] = source[i * cols + j];
        }
      }
    }
  }
  return to;
}

Tensor zerosFor(Index count) { return Tensor::zeros({count}); }

/// Reads the parts of a model by their names in its files. When the model is opened, this class
/// checks names and shapes without reading values; later it reads them.
class PartsReader {
 public:
  PartsReader(const WeightFiles& files, const ModelConfig& config, NamePrefix prefix)
      : files_(files), c_(config), prefix_(std::move(prefix)) {}

  /// From now on, tensors are checked and their names collected, but not read.
  void checkOnly(std::set<std::string>& names) { noted_ = &names; }

  Embedding embedding() const {
    Embedding e;
    const Index d = c_.dModel;
    e.tokens = base(std::string(embeddingName(c_.family)), {c_.vocabulary, d});
    switch (c_.family) {
      case Family::gpt2:
        e.positions = base("wpe.weight", {c_.positionRows, d});
        break;
      case Family::bert:
      case Family::roberta:
      case Family::distilbert:
        e.positions = base("embeddings.position_embeddings.weight", {c_.positionRows, d});
        if (c_.tokenTypes > 0) {
          e.types = base("embeddings.token_type_embeddings.weight", {c_.tokenTypes, d});
        }
        e.norm = norm("embeddings.LayerNorm");
        break;
      case Family::headscope:
        e.positions = base("positions", {c_.positionRows, d});
        break;
      default:
        break;
    }
    return e;
  }

  LayerWeights layer(Index number) const {
    switch (c_.family) {
      case Family::gpt2:
        return gpt2Layer(fmt::format("h.{}.", number));
      case Family::bert:
      case Family::roberta:
        return bertLayer(fmt::format("encoder.layer.{}.", number));
      case Family::distilbert:
        return distilBertLayer(fmt::format("transformer.layer.{}.", number));
      case Family::headscope:
        return ownLayer(fmt::format("layers.{}.", number));
      default:
        return llamaLayer(fmt::format("layers.{}.", number));
    }
  }

  Readout readout() const {
    Readout r;
    if (c_.preNorm && !c_.attentionOnly) r.norm = norm(c_.family == Family::gpt2 ? "ln_f" : "norm");
    if (!hasReadout()) return r;
    const Shape decoder{c_.vocabulary, c_.dModel};
    switch (c_.family) {
      case Family::bert:
        maskedWordHead(r, "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm");
        r.bias = firstOf({"cls.predictions.bias", "cls.predictions.decoder.bias"}, {c_.vocabulary});
        break;
      case Family::roberta:
        maskedWordHead(r, "lm_head.dense", "lm_head.layer_norm");
        r.bias = firstOf({"lm_head.bias", "lm_head.decoder.bias"}, {c_.vocabulary});
        break;
      case Family::distilbert:
        maskedWordHead(r, "vocab_transform", "vocab_layer_norm");
        r.bias = take("vocab_projector.bias", {c_.vocabulary});
        break;
      case Family::headscope:
        r.bias = take("readout.bias", {c_.vocabulary});
        break;
      default:
        break;
    }
    if (ownDecoder()) r.decoder = take(decoderName(), decoder);
    return r;
  }

  /// Returns whether the model has a readout: an encoder saved with that head, or a decoder with
  /// one or with the embedding as its head.
  bool hasReadout() const {
    switch (c_.family) {
      case Family::bert:
        return has("cls.predictions.transform.dense.weight");
      case Family::roberta:
        return has("lm_head.dense.weight");
      case Family::distilbert:
        return has("vocab_transform.weight");
      case Family::headscope:
        return true;
      default:
        return c_.tied != ModelConfig::Tied::no || has(decoderName()) || lacksHead();
    }
  }

  bool ownDecoder() const {
    if (!hasReadout() || c_.tied == ModelConfig::Tied::yes) return false;
    return c_.tied == ModelConfig::Tied::no || has(decoderName());
  }

  /// The tensor that an unread tensor repeats; empty: none.
  std::string repeatedBy(std::string_view name) const {
    if (!hasReadout()) return {};
    if (name == decoderName() && !ownDecoder())
      return prefix_.base + std::string(embeddingName(c_.family));
    if (name == "cls.predictions.decoder.bias") return "cls.predictions.bias";
    if (name == "lm_head.decoder.bias") return "lm_head.bias";
    return {};
  }

 private:
  bool has(const std::string& name) const { return files_.has(prefix_.wrapper + name); }

  /// Returns whether the model was saved with a head that its file lacks.
  bool lacksHead() const { return c_.languageModelHead && !prefix_.base.empty(); }

  std::string decoderName() const {
    switch (c_.family) {
      case Family::bert:
        return "cls.predictions.decoder.weight";
      case Family::roberta:
        return "lm_head.decoder.weight";
      case Family::distilbert:
        return "vocab_projector.weight";
      case Family::headscope:
        return "readout.weight";
      default:
        return "lm_head.weight";
    }
  }

  [[noreturn]] void refuseMissing(const std::string& name) const {
    const bool head = name == prefix_.wrapper + decoderName() && c_.tied == ModelConfig::Tied::no;
    throw UserError(fmt::format(
        "{} has no tensor \"{}\", which a {} model of this config.json has: {}",
        files_.directory().string(), name, c_.typeName(),
        head ? "download the whole model, or set tie_word_embeddings to true in config.json if its "
               "head is the embedding"
             : "check that the download is complete and config.json belongs to it"));
  }

  Tensor take(const std::string& inModel, const Shape& shape) const {
    const std::string name = prefix_.wrapper + inModel;
    if (!files_.has(name)) refuseMissing(name);
    if (!isReadableFloat(files_.dtype(name))) {
      throw UserError(
          fmt::format("\"{}\" in {} is of type {}, as in quantized models: open the original model "
                      "in F32, F16, BF16 or F64",
                      name, files_.path(name).string(), files_.dtype(name)));
    }
    if (files_.shape(name) != shape) {
      throw UserError(fmt::format(
          "\"{}\" in {} is {}, and config.json requires {}: the two files belong to different "
          "models",
          name, files_.path(name).string(), toString(files_.shape(name)), toString(shape)));
    }
    if (noted_ == nullptr) return files_.read(name);
    noted_->insert(name);
    return {};
  }
  Tensor base(const std::string& name, const Shape& shape) const {
    return take(prefix_.base + name, shape);
  }
  Tensor firstOf(std::initializer_list<const char*> names, const Shape& shape) const {
    for (const char* name : names) {
      if (has(name)) return take(name, shape);
    }
    return take(*names.begin(), shape);
  }

  /// Reads a norm's weights; older files name them gamma and beta.
  NormWeights normCalled(const std::string& stem) const {
    const Shape shape{c_.dModel};
    const bool older = !has(stem + ".weight") && has(stem + ".gamma");
    NormWeights n;
    n.gain = take(stem + (older ? ".gamma" : ".weight"), shape);
    if (!c_.rmsNorm) n.bias = take(stem + (older ? ".beta" : ".bias"), shape);
    return n;
  }
  NormWeights norm(const std::string& stem) const { return normCalled(prefix_.base + stem); }

  struct Dense {
    Tensor weight, bias;  // (out, in), (out); the bias is empty where there is none
  };
  Dense dense(const std::string& stem, Index out, Index in, bool biased = true) const {
    Dense layer{base(stem + ".weight", {out, in}), {}};
    if (biased) layer.bias = base(stem + ".bias", {out});
    return layer;
  }
  /// Reads GPT-2's Conv1D, stored as (in, out).
  Dense conv(const std::string& stem, Index out, Index in) const {
    return {turnedOver(base(stem + ".weight", {in, out})), base(stem + ".bias", {out})};
  }

  void maskedWordHead(Readout& r, const std::string& dense, const std::string& norm) const {
    r.transform = take(dense + ".weight", {c_.dModel, c_.dModel});
    r.transformBias = take(dense + ".bias", {c_.dModel});
    r.transformNorm = normCalled(norm);
  }

  LayerWeights gpt2Layer(const std::string& at) const {
    const Index d = c_.dModel;
    LayerWeights w;
    w.attentionNorm = norm(at + "ln_1");
    w.feedForwardNorm = norm(at + "ln_2");
    const Dense all = conv(at + "attn.c_attn", 3 * d, d);
    Dense o = conv(at + "attn.c_proj", d, d);
    if (!all.weight.empty()) {
      const auto part = [&](const Tensor& whole, Index i) {
        return whole.slice(0, i * d, (i + 1) * d);
      };
      w.attention = {part(all.weight, 0), part(all.weight, 1), part(all.weight, 2),
                     std::move(o.weight), part(all.bias, 0),   part(all.bias, 1),
                     part(all.bias, 2),   std::move(o.bias)};
    }
    Dense up = conv(at + "mlp.c_fc", c_.ffWidth, d);
    Dense down = conv(at + "mlp.c_proj", d, c_.ffWidth);
    w.feedForward = feedForward(std::move(up), std::move(down));
    return w;
  }

  static FeedForward feedForward(Dense up, Dense down) {
    FeedForward f;
    f.up = packed(up.weight);
    f.upBias = std::move(up.bias);
    f.down = packed(down.weight);
    f.downBias = std::move(down.bias);
    return f;
  }

  /// Combines the projections; missing biases become 0.
  Weights attention(Dense q, Dense k, Dense v, Dense o) const {
    const Index queries = c_.heads * c_.headDim;
    const Index keys = c_.kvHeads * c_.headDim;
    const auto orZeros = [](Tensor bias, Index count) {
      return bias.empty() ? zerosFor(count) : std::move(bias);
    };
    return {std::move(q.weight),
            std::move(k.weight),
            std::move(v.weight),
            std::move(o.weight),
            orZeros(std::move(q.bias), queries),
            orZeros(std::move(k.bias), keys),
            orZeros(std::move(v.bias), keys),
            orZeros(std::move(o.bias), c_.dModel)};
  }

  LayerWeights bertLayer(const std::string& at) const {
    const Index d = c_.dModel;
    LayerWeights w;
    w.attention = attention(
        dense(at + "attention.self.query", d, d), dense(at + "attention.self.key", d, d),
        dense(at + "attention.self.value", d, d), dense(at + "attention.output.dense", d, d));
    w.attentionNorm = norm(at + "attention.output.LayerNorm");
    w.feedForward = feedForward(dense(at + "intermediate.dense", c_.ffWidth, d),
                                dense(at + "output.dense", d, c_.ffWidth));
    w.feedForwardNorm = norm(at + "output.LayerNorm");
    return w;
  }

  LayerWeights distilBertLayer(const std::string& at) const {
    const Index d = c_.dModel;
    LayerWeights w;
    w.attention =
        attention(dense(at + "attention.q_lin", d, d), dense(at + "attention.k_lin", d, d),
                  dense(at + "attention.v_lin", d, d), dense(at + "attention.out_lin", d, d));
    w.attentionNorm = norm(at + "sa_layer_norm");
    w.feedForward =
        feedForward(dense(at + "ffn.lin1", c_.ffWidth, d), dense(at + "ffn.lin2", d, c_.ffWidth));
    w.feedForwardNorm = norm(at + "output_layer_norm");
    return w;
  }

  /// Reads a layer by the names that training gives its tensors.
  LayerWeights ownLayer(const std::string& at) const {
    const auto matrix = [&](const char* name) {
      return Dense{base(at + name, {c_.dModel, c_.dModel}), {}};
    };
    LayerWeights w;
    w.attention = attention(matrix("W_Q"), matrix("W_K"), matrix("W_V"), matrix("W_O"));
    return w;
  }

  LayerWeights llamaLayer(const std::string& at) const {
    const Index d = c_.dModel;
    const Index queries = c_.heads * c_.headDim;
    const Index keys = c_.kvHeads * c_.headDim;
    const bool bias = c_.queryKeyValueBias;
    LayerWeights w;
    w.attentionNorm = norm(at + "input_layernorm");
    w.feedForwardNorm = norm(at + "post_attention_layernorm");
    w.attention = attention(dense(at + "self_attn.q_proj", queries, d, bias),
                            dense(at + "self_attn.k_proj", keys, d, bias),
                            dense(at + "self_attn.v_proj", keys, d, bias),
                            dense(at + "self_attn.o_proj", d, queries, c_.outputBias));
    if (c_.headNorm) {
      const Tensor q = base(at + "self_attn.q_norm.weight", {c_.headDim});
      const Tensor k = base(at + "self_attn.k_norm.weight", {c_.headDim});
      w.headNorm = HeadNorm(q.values(), k.values(), c_.normEpsilon);
    }
    Dense gate = dense(at + "mlp.gate_proj", c_.ffWidth, d, c_.feedForwardBias);
    w.feedForward = feedForward(dense(at + "mlp.up_proj", c_.ffWidth, d, c_.feedForwardBias),
                                dense(at + "mlp.down_proj", d, c_.ffWidth, c_.feedForwardBias));
    w.feedForward.gate = packed(gate.weight);
    w.feedForward.gateBias = std::move(gate.bias);
    return w;
  }

  const WeightFiles& files_;
  const ModelConfig& c_;
  NamePrefix prefix_;
  std::set<std::string>* noted_ = nullptr;
};

/// Reads from the files of a directory.
class DirectoryWeights final : public model::WeightReader {
 public:
  DirectoryWeights(WeightFiles files, ModelConfig config, ModelNotes& notes)
      : files_(std::move(files)), config_(std::move(config)), prefix_(prefixIn(files_, config_)) {
    std::set<std::string> used;
    PartsReader checker = parts();
    checker.checkOnly(used);
    checker.embedding();
    for (Index layer = 0; layer < config_.layers; ++layer) checker.layer(layer);
    checker.readout();
    checkUnused(
        {files_, config_, prefix_}, used,
        [this](std::string_view name) { return parts().repeatedBy(name); }, notes);
  }

  Embedding embedding() const override { return parts().embedding(); }
  LayerWeights layer(Index layer) const override { return parts().layer(layer); }
  Readout readout() const override { return parts().readout(); }
  bool hasReadout() const override { return parts().hasReadout(); }
  bool ownDecoder() const override { return parts().ownDecoder(); }
  bool changedOnDisk() const override { return files_.changed(); }

 private:
  PartsReader parts() const { return {files_, config_, prefix_}; }

  WeightFiles files_;
  ModelConfig config_;
  NamePrefix prefix_;
};

/// Why there is no folder at a path.
std::string whyNoFolder(const fs::path& path) {
  std::error_code code;
  if (fs::exists(path, code)) return "not a folder";
  const fs::path target = fs::read_symlink(path, code);
  return code ? "not there" : fmt::format("a link to {}, which does not exist", target.string());
}

}  // namespace

model::ModelPtr openModel(const fs::path& directory, Index layerBudgetBytes) {
  ModelNotes notes;
  if (const auto shipped = shippedModel(directory)) {
    const std::string file = shipped->fileName("config.json");
    const Json json = parseJson(shipped->file("config.json"));
    ModelConfig config = modelConfigFrom({json, file}, notes);
    WeightFiles files(directory, SafetensorsFile(shipped->fileName("model.safetensors"),
                                                 shipped->file("model.safetensors")));
    auto weights = std::make_unique<DirectoryWeights>(std::move(files), config, notes);
    return std::make_shared<const model::Model>(shipped->title(), std::move(config),
                                                std::move(weights), layerBudgetBytes,
                                                std::move(notes));
  }
  std::error_code code;
  if (!fs::is_directory(directory, code)) {
    throw UserError(fmt::format("{} is {}: give the one with a model's config.json",
                                directory.string(), whyNoFolder(directory)));
  }
  ModelConfig config = readModelConfig(configIn(directory), notes);
  auto weights = std::make_unique<DirectoryWeights>(WeightFiles(directory, notes), config, notes);
  return std::make_shared<const model::Model>(modelName(directory), std::move(config),
                                              std::move(weights), layerBudgetBytes,
                                              std::move(notes));
}

}  // namespace headscope::formats
