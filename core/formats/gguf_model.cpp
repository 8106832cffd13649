#include "core/formats/gguf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/platform/paths.h"

namespace headscope::formats {
namespace {

using NamePair = std::pair<std::string_view, std::string_view>;

/// The names of a layer's parts, behind "blk.N." in GGUF and behind the layer's prefix in Hugging
/// Face's files, both without ".weight".
constexpr std::array kLlamaParts{
    NamePair{"attn_norm", "input_layernorm"},    NamePair{"attn_q", "self_attn.q_proj"},
    NamePair{"attn_k", "self_attn.k_proj"},      NamePair{"attn_v", "self_attn.v_proj"},
    NamePair{"attn_qkv", "self_attn.qkv_proj"},  NamePair{"attn_output", "self_attn.o_proj"},
    NamePair{"attn_q_norm", "self_attn.q_norm"}, NamePair{"attn_k_norm", "self_attn.k_norm"},
    NamePair{"ffn_gate", "mlp.gate_proj"},       NamePair{"ffn_up", "mlp.up_proj"},
    NamePair{"ffn_down", "mlp.down_proj"}};
constexpr std::array kTwoNorms{NamePair{"ffn_norm", "post_attention_layernorm"}};
constexpr std::array kFourNorms{NamePair{"post_attention_norm", "post_attention_layernorm"},
                                NamePair{"ffn_norm", "pre_feedforward_layernorm"},
                                NamePair{"post_ffw_norm", "post_feedforward_layernorm"}};
constexpr std::array kPhi3Parts{NamePair{"ffn_up", "mlp.gate_up_proj"}};
constexpr std::array kGpt2Parts{
    NamePair{"attn_norm", "ln_1"},       NamePair{"ffn_norm", "ln_2"},
    NamePair{"attn_qkv", "attn.c_attn"}, NamePair{"attn_output", "attn.c_proj"},
    NamePair{"ffn_up", "mlp.c_fc"},      NamePair{"ffn_down", "mlp.c_proj"}};
constexpr std::array kLlamaWhole{NamePair{"token_embd", "model.embed_tokens"},
                                 NamePair{"output_norm", "model.norm"},
                                 NamePair{"output", "lm_head"}};
constexpr std::array kGpt2Whole{
    NamePair{"token_embd", "transformer.wte"}, NamePair{"position_embd", "transformer.wpe"},
    NamePair{"output_norm", "transformer.ln_f"}, NamePair{"output", "lm_head"}};

/// An architecture of llama.cpp, and what its conversion changed.
struct Architecture {
  std::string_view name;       // general.architecture
  std::string_view modelType;  // model_type of config.json
  std::string_view layer;      // the prefix of a layer's tensors there
  std::span<const NamePair> whole, parts, more;
  bool permuted = false;  // the rows of queries and keys stand in pairs for neighbouring rotation
  bool plusOne = false;   // the gains of norms were stored plus 1
  bool conv = false;      // matrices are (in, out) in Hugging Face's files
};
constexpr std::array kArchitectures{
    Architecture{"llama", "llama", "model.layers.", kLlamaWhole, kLlamaParts, kTwoNorms, true},
    Architecture{"mistral", "mistral", "model.layers.", kLlamaWhole, kLlamaParts, kTwoNorms, true},
    Architecture{"qwen2", "qwen2", "model.layers.", kLlamaWhole, kLlamaParts, kTwoNorms},
    Architecture{"qwen3", "qwen3", "model.layers.", kLlamaWhole, kLlamaParts, kTwoNorms},
    Architecture{"gemma", "gemma", "model.layers.", kLlamaWhole, kLlamaParts, kTwoNorms, false,
                 true},
    Architecture{"gemma2", "gemma2", "model.layers.", kLlamaWhole, kLlamaParts, kFourNorms, false,
                 true},
    Architecture{"gemma3", "gemma3_text", "model.layers.", kLlamaWhole, kLlamaParts, kFourNorms,
                 false, true},
    Architecture{"phi3", "phi3", "model.layers.", kLlamaWhole, kPhi3Parts, kLlamaParts},
    Architecture{"gpt2", "gpt2", "transformer.h.", kGpt2Whole, kGpt2Parts, {}, false, false, true}};

std::string architectureName(const GgufFile& file) {
  const Json* name = file.metadata().find("general.architecture");
  if (name == nullptr || name->text() == nullptr) {
    throw UserError(fmt::format("{} holds no model: general.architecture is missing; open another",
                                file.path().string()));
  }
  return *name->text();
}

const Architecture& architectureOf(const GgufFile& file) {
  const std::string name = architectureName(file);
  std::string known;
  for (const Architecture& each : kArchitectures) {
    if (each.name == name) return each;
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  throw UserError(fmt::format(
      "{}: general.architecture is {}, and GGUF files of {} are read; open the same model as "
      "config.json and model.safetensors",
      file.path().string(), name, known));
}

/// Reads metadata under "ARCHITECTURE.key".
class Metadata {
 public:
  explicit Metadata(const GgufFile& file) : file_(file), prefix_(architectureName(file) + ".") {}

  const Json* find(const std::string& key) const { return file_.metadata().find(prefix_ + key); }
  const Json& at(const std::string& key) const {
    if (const Json* value = find(key)) return *value;
    throw UserError(
        fmt::format("{} lacks {}{}: download it again", file_.path().string(), prefix_, key));
  }
  Index count(const std::string& key) const {
    const auto natural = at(key).natural();
    if (!natural || *natural > std::uint64_t{1} << 40) {
      throw UserError(
          fmt::format("{}: {}{} is no number from 0", file_.path().string(), prefix_, key));
    }
    return static_cast<Index>(*natural);
  }
  Index countOr(const std::string& key, Index otherwise) const {
    return find(key) == nullptr ? otherwise : count(key);
  }

 private:
  const GgufFile& file_;
  std::string prefix_;
};

/// The name of a tensor in Hugging Face's files; nothing for one that they do not have.
std::optional<std::string> nameFor(const Architecture& architecture, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view stem = name.substr(0, dot), end = name.substr(dot);
  const auto named = [&](std::span<const NamePair> names, std::string_view part) {
    const auto found = std::ranges::find(names, part, &NamePair::first);
    return found == names.end() ? std::string_view() : found->second;
  };
  if (!stem.starts_with("blk.")) {
    const std::string_view whole = named(architecture.whole, stem);
    if (whole.empty()) return std::nullopt;
    return fmt::format("{}{}", whole, end);
  }
  const std::size_t after = stem.find('.', 4);
  if (after == std::string_view::npos) return std::nullopt;
  const std::string_view number = stem.substr(4, after - 4), part = stem.substr(after + 1);
  std::string_view inLayer = named(architecture.parts, part);
  if (inLayer.empty()) inLayer = named(architecture.more, part);
  if (inLayer.empty()) return std::nullopt;
  return fmt::format("{}{}.{}{}", architecture.layer, number, inLayer, end);
}

class GgufWeights final : public WeightFile {
 public:
  explicit GgufWeights(GgufFilePtr file) : file_(std::move(file)), of_(architectureOf(*file_)) {
    const Metadata metadata(*file_);
    heads_ = metadata.count("attention.head_count");
    kvHeads_ = metadata.countOr("attention.head_count_kv", heads_);
    for (const auto& [name, entry] : file_->tensors()) {
      if (name == "rope_freqs.weight") continue;  // read by the configuration
      const std::string here = nameFor(of_, name).value_or(name);
      Shape shape = entry.shape;
      if (turned(here)) std::swap(shape[0], shape[1]);
      tensors_.emplace(here, Place{name, shape, std::string("F32")});
    }
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, place] : tensors_) names.push_back(name);
    return names;
  }
  bool has(const std::string& name) const override { return tensors_.contains(name); }
  const Shape& shape(const std::string& name) const override { return at(name).shape; }
  const std::string& dtype(const std::string& name) const override { return at(name).dtype; }
  std::string keptAs(const std::string& name) const override {
    return std::string(file_->tensors().at(at(name).inFile).type->name);
  }
  const std::filesystem::path& path() const override { return file_->path(); }
  bool changed() const override { return file_->changed(); }

  Tensor read(const std::string& name) const override {
    const Place& place = at(name);
    const Tensor kept = file_->read(place.inFile);
    if (turned(name)) return kept.transposed(0, 1).clone();
    if (of_.plusOne && name.find("norm") != std::string::npos) return less(kept, 1.0F);
    if (of_.permuted && name.find("self_attn.q_proj") != std::string::npos) {
      return inHalves(kept, heads_);
    }
    if (of_.permuted && name.find("self_attn.k_proj") != std::string::npos) {
      return inHalves(kept, kvHeads_);
    }
    return kept;
  }

 private:
  struct Place {
    std::string inFile;
    Shape shape;
    std::string dtype;  // as float32, whatever the file keeps
  };

  const Place& at(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      throw UserError(fmt::format("{} has no tensor \"{}\"", path().string(), name));
    }
    return found->second;
  }

  bool turned(const std::string& name) const {
    return of_.conv && name.find(".c_") != std::string::npos && name.ends_with(".weight");
  }

  static Tensor less(const Tensor& from, float by) {
    Tensor to = from.clone();
    for (Index i = 0; i < to.size(); ++i) to.mutableData()[i] -= by;
    return to;
  }

  /// Puts the rows of each head back from neighbouring pairs into two halves, as Hugging Face's
  /// rotation takes them (convert_hf_to_gguf.py, permute).
  static Tensor inHalves(const Tensor& from, Index heads) {
    const Index rows = from.dim(0), cols = from.size() / std::max<Index>(1, rows);
    if (heads < 1 || rows % (2 * heads) != 0) return from;
    const Index half = rows / heads / 2;
    Tensor to = Tensor::uninitialised(from.shape());
    for (Index head = 0; head < heads; ++head) {
      for (Index i = 0; i < half; ++i) {
        for (Index part = 0; part < 2; ++part) {
          const Index source = (head * half + i) * 2 + part;
          const Index target = (head * 2 + part) * half + i;
          std::copy_n(from.data() + source * cols, cols, to.mutableData() + target * cols);
        }
      }
    }
    return to;
  }

  GgufFilePtr file_;
  const Architecture& of_;
  Index heads_ = 0, kvHeads_ = 0;
  std::map<std::string, Place> tensors_;
};

/// The factors by which Llama 3.1 and later divide the frequencies of their rotation.
void addFrequencyFactors(const GgufFile& file, const Metadata& metadata, Json& config) {
  if (!file.tensors().contains("rope_freqs.weight")) return;
  const Tensor factors = file.read("rope_freqs.weight");
  Json list = Json::emptyList();
  for (Index i = 0; i < factors.size(); ++i) list.push_back(factors.data()[i]);
  config["rope_scaling"] = {{"rope_type", "longrope"},
                            {"short_factor", list},
                            {"long_factor", list},
                            {"attention_factor", 1.0},
                            {"original_max_position_embeddings", metadata.count("context_length")}};
}

}  // namespace

bool isGguf(const std::filesystem::path& path) { return path.extension() == ".gguf"; }

std::optional<std::filesystem::path> ggufAt(const std::filesystem::path& path) {
  if (isGguf(path)) return path;
  if (!platform::isFolder(path) || platform::exists(path / "config.json")) return std::nullopt;
  std::optional<std::filesystem::path> only;
  std::error_code code;
  for (std::filesystem::directory_iterator at(path, code), end; !code && at != end;
       at.increment(code)) {
    if (!isGguf(at->path())) continue;
    if (only) return std::nullopt;  // which of them is not known
    only = at->path();
  }
  return only;
}

WeightFilePtr ggufWeights(GgufFilePtr file) {
  return std::make_unique<const GgufWeights>(std::move(file));
}

Json ggufConfig(const GgufFile& file) {
  const Architecture& of = architectureOf(file);
  const Metadata metadata(file);
  const auto embedding = file.tensors().find("token_embd.weight");
  if (embedding == file.tensors().end() || embedding->second.shape.size() != 2) {
    throw UserError(fmt::format("{} has no tensor \"token_embd.weight\": download it again",
                                file.path().string()));
  }
  const Index vocabulary = embedding->second.shape[0];
  const Index dModel = metadata.count("embedding_length");
  const Index layers = metadata.count("block_count");
  const Index heads = metadata.count("attention.head_count");
  const bool tied = !file.tensors().contains("output.weight");
  Json config = Json::emptyObject();
  config["model_type"] = of.modelType;
  config["vocab_size"] = vocabulary;
  config["tie_word_embeddings"] = tied;
  const auto copy = [&](const char* key, const char* field) {
    if (const Json* value = metadata.find(key)) config[field] = *value;
  };
  if (of.conv) {
    config["n_embd"] = dModel;
    config["n_layer"] = layers;
    config["n_head"] = heads;
    config["n_inner"] = metadata.count("feed_forward_length");
    config["n_positions"] = metadata.count("context_length");
    copy("attention.layer_norm_epsilon", "layer_norm_epsilon");
    return config;
  }
  config["hidden_size"] = dModel;
  config["num_hidden_layers"] = layers;
  config["num_attention_heads"] = heads;
  config["num_key_value_heads"] = metadata.countOr("attention.head_count_kv", heads);
  config["intermediate_size"] = metadata.count("feed_forward_length");
  config["max_position_embeddings"] = metadata.count("context_length");
  copy("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  copy("rope.freq_base", "rope_theta");
  copy("attention.key_length", "head_dim");
  copy("attention.sliding_window", "sliding_window");
  copy("attn_logit_softcapping", "attn_logit_softcapping");
  copy("final_logit_softcapping", "final_logit_softcapping");
  if (of.name == "llama" || of.name == "mistral") {
    config["attention_bias"] = file.tensors().contains("blk.0.attn_q.bias");
  }
  addFrequencyFactors(file, metadata, config);
  return config;
}

}  // namespace headscope::formats
