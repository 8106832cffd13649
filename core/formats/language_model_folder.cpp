// A trained language model as a folder: the configuration and the names of GPT-2, of StarCoder 2 or
// of this program.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/formats/json_file.h"
#include "core/formats/language_run.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using language::Corpus;
using language::LanguageModel;
using language::LanguageModelSettings;
using model::ModelConfig;

/// A (out, in) matrix as (in, out).
Tensor turned(const Tensor& weight) { return weight.transposed(0, 1).clone(); }

/// One tensor below the other.
Tensor joined(const std::vector<const Tensor*>& parts) {
  Shape shape = parts.front()->shape();
  shape[0] = 0;
  for (const Tensor* part : parts) shape[0] += part->dim(0);
  Tensor whole = Tensor::uninitialised(shape);
  float* to = whole.mutableData();
  for (const Tensor* part : parts) to = std::copy_n(part->data(), part->size(), to);
  return whole;
}

/// The names of tensors; ".weight" and ".bias" follow.
struct Stems {
  const char *tokens, *positions, *layers, *attentionNorm, *query, *key, *value, *output,
      *networkNorm, *up, *down, *finalNorm;
};
constexpr Stems kStarcoder2Stems{"model.embed_tokens",
                                 nullptr,
                                 "model.layers.",
                                 "input_layernorm",
                                 "self_attn.q_proj",
                                 "self_attn.k_proj",
                                 "self_attn.v_proj",
                                 "self_attn.o_proj",
                                 "post_attention_layernorm",
                                 "mlp.c_fc",
                                 "mlp.c_proj",
                                 "model.norm"};
/// The names that families/headscope.cpp reads.
constexpr Stems kHeadscopeStems{"embedding",    "positions", "layers.", "attention_norm",
                                "query",        "key",       "value",   "output",
                                "network_norm", "up",        "down",    "final_norm"};

/// Collects the tensors of a model under the names of a file.
class Naming {
 public:
  explicit Naming(const LanguageModel& model) : model_(model), places_(model.places()) {}

  const Tensor& value(std::size_t place) const { return model_.parameters()[place].value; }
  void add(std::string name, Tensor tensor) {
    tensors_.push_back({std::move(name), std::move(tensor)});
  }
  /// A weight and its bias, or a gain and its bias.
  void addPair(const std::string& name, std::size_t weight, std::size_t bias) {
    add(name + ".weight", value(weight));
    add(name + ".bias", value(bias));
  }

  std::vector<NamedTensor> gpt2() {
    add("transformer.wte.weight", value(places_.embedding()));
    add("transformer.wpe.weight", value(places_.positions()));
    for (Index layer = 0; layer < layers(); ++layer) {
      const std::string at = fmt::format("transformer.h.{}.", layer);
      const std::size_t a = places_.attention(layer), n = places_.network(layer);
      addPair(at + "ln_1", places_.attentionNorm(layer), places_.attentionNorm(layer) + 1);
      add(at + "attn.c_attn.weight", turned(joined({&value(a), &value(a + 1), &value(a + 2)})));
      add(at + "attn.c_attn.bias", joined({&value(a + 4), &value(a + 5), &value(a + 6)}));
      addTurned(at + "attn.c_proj", a + 3, a + 7);
      addPair(at + "ln_2", places_.networkNorm(layer), places_.networkNorm(layer) + 1);
      addTurned(at + "mlp.c_fc", n, n + 1);
      addTurned(at + "mlp.c_proj", n + 2, n + 3);
    }
    addPair("transformer.ln_f", places_.finalNorm(), places_.finalNorm() + 1);
    return std::move(tensors_);
  }

  /// A tensor for each weight.
  std::vector<NamedTensor> apart(const Stems& stems) {
    add(fmt::format("{}.weight", stems.tokens), value(places_.embedding()));
    if (!model_.settings().rotary) {
      add(fmt::format("{}.weight", stems.positions), value(places_.positions()));
    }
    for (Index layer = 0; layer < layers(); ++layer) {
      const auto in = [&](const char* stem) {
        return fmt::format("{}{}.{}", stems.layers, layer, stem);
      };
      const std::size_t a = places_.attention(layer);
      addPair(in(stems.query), a, a + 4);
      addPair(in(stems.key), a + 1, a + 5);
      addPair(in(stems.value), a + 2, a + 6);
      addPair(in(stems.output), a + 3, a + 7);
      if (model_.settings().norms) {
        addPair(in(stems.attentionNorm), places_.attentionNorm(layer),
                places_.attentionNorm(layer) + 1);
      }
      if (!model_.settings().networks) continue;
      const std::size_t n = places_.network(layer);
      addPair(in(stems.up), n, n + 1);
      addPair(in(stems.down), n + 2, n + 3);
      if (!model_.settings().norms) continue;
      addPair(in(stems.networkNorm), places_.networkNorm(layer), places_.networkNorm(layer) + 1);
    }
    if (model_.settings().norms) {
      addPair(stems.finalNorm, places_.finalNorm(), places_.finalNorm() + 1);
    }
    return std::move(tensors_);
  }

 private:
  Index layers() const { return model_.settings().layers; }
  void addTurned(const std::string& name, std::size_t weight, std::size_t bias) {
    add(name + ".weight", turned(value(weight)));
    add(name + ".bias", value(bias));
  }

  const LanguageModel& model_;
  const language::ParameterPlaces& places_;
  std::vector<NamedTensor> tensors_;
};

Json languageConfigJson(const ModelConfig& c, const LanguageModelSettings& s,
                        const Corpus& corpus) {
  Json json;
  if (c.modelType == "gpt2") {
    json = {{"model_type", "gpt2"},
            {"architectures", std::vector<std::string>{"GPT2LMHeadModel"}},
            {"n_layer", c.layers},
            {"n_embd", c.dModel},
            {"n_head", c.heads},
            {"n_inner", c.ffWidth},
            {"n_positions", c.positions},
            {"activation_function", "gelu_new"},
            {"layer_norm_epsilon", c.normEpsilon}};
  } else if (c.modelType == "starcoder2") {
    json = {{"model_type", "starcoder2"},
            {"architectures", std::vector<std::string>{"Starcoder2ForCausalLM"}},
            {"num_hidden_layers", c.layers},
            {"hidden_size", c.dModel},
            {"num_attention_heads", c.heads},
            {"num_key_value_heads", c.kvHeads},
            {"intermediate_size", c.ffWidth},
            {"max_position_embeddings", c.positions},
            {"hidden_act", "gelu_pytorch_tanh"},
            {"norm_epsilon", c.normEpsilon},
            {"rope_theta", c.rotary.theta},
            {"sliding_window", nullptr},
            {"use_bias", true}};
  } else {
    json = {{"model_type", "headscope"}, {"task", corpus.id},        {"layers", c.layers},
            {"d_model", c.dModel},       {"heads", c.heads},         {"kv_heads", c.kvHeads},
            {"networks", s.networks},    {"norms", s.norms},         {"biases", true},
            {"rotary", s.rotary},        {"positions", c.positions}, {"causal", true}};
  }
  if (c.modelType != "headscope") {
    json["tie_word_embeddings"] = true;
    json["bos_token_id"] = json["eos_token_id"] = corpus.beginToken;
    json["torch_dtype"] = "float16";
  }
  json["vocab_size"] = c.vocabulary;
  json["example"] = corpus.example;
  return json;
}

}  // namespace

void saveAsModel(const fs::path& folder, const LanguageModel& model, const Corpus& corpus) {
  const ModelConfig config = configOf(model.settings(), model.vocabulary());
  Naming naming(model);
  OutputFolder output(folder);
  writeSafetensors(folder / "model.safetensors",  // first: it needs the room
                   config.modelType == "gpt2"         ? naming.gpt2()
                   : config.modelType == "starcoder2" ? naming.apart(kStarcoder2Stems)
                                                      : naming.apart(kHeadscopeStems),
                   {{"format", "pt"}}, FileFloat::f16);
  writeJson(folder / "tokenizer.json", corpus.tokenizerFile);
  if (config.modelType != "headscope") {
    // otherwise transformers builds its own tokenizer of the model's type from the vocabulary
    writeJson(folder / "tokenizer_config.json", {{"tokenizer_class", "PreTrainedTokenizerFast"},
                                                 {"model_max_length", config.positions}});
  }
  writeJson(folder / "config.json", languageConfigJson(config, model.settings(), corpus));
  output.keep();
}

}  // namespace headscope::formats
