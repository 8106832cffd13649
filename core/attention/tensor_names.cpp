#include "core/attention/tensor_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace headscope::formats {
namespace {

constexpr std::string_view kWithout = "load weights made without it";
constexpr std::string_view kMerge =
    "merge it into the weights (merge_and_unload) and save them again";
constexpr std::string_view kUnquantized = "load the weights in F32, F16, BF16 or F64";

constexpr std::string_view kLora = "is part of an adapter (LoRA) that is not merged";
constexpr std::string_view kAdapter = "is part of an adapter";
constexpr std::string_view kQuantized = "belongs to quantized weights";
constexpr std::string_view kDistance =
    "adds a term to the scores that depends on the distance of two tokens";
constexpr std::string_view kSink = "adds a learned sink to the softmax";
constexpr std::string_view kAddedKeys =
    "adds a key and a value to every sequence (add_bias_kv), which is not shown";
constexpr std::string_view kNormInside = "is a norm that is not computed here";

/// A part of a name between dots.
struct Part {
  std::string_view text, is, wayOut;
  bool begins = false;  // the part begins with the text
};

// clang-format off
constexpr Part kUnusable[]{
    {"lora_", kLora, kMerge, true},
    {"adapter", kAdapter, kMerge, true},
    {"ia3_", kAdapter, kMerge, true},
    {"prompt_embeddings", kAdapter, kWithout},
    {"bias_k", kAddedKeys, kWithout},
    {"bias_v", kAddedKeys, kWithout},
    {"attention_sinks", kSink, kWithout},
    {"attn_sink", kSink, kWithout},
    {"sink", kSink, kWithout},
    {"sinks", kSink, kWithout},
    {"distance_embedding", kDistance, kWithout},
    {"linear_pos", kDistance, kWithout},
    {"pos_bias_u", kDistance, kWithout},
    {"pos_bias_v", kDistance, kWithout},
    {"pos_key_proj", kDistance, kWithout},
    {"pos_query_proj", kDistance, kWithout},
    {"r_r_bias", kDistance, kWithout},
    {"r_w_bias", kDistance, kWithout},
    {"rel_embeddings", kDistance, kWithout},
    {"rel_pos", kDistance, kWithout, true},
    {"relative_attention_bias", kDistance, kWithout},
    {"relative_position", kDistance, kWithout, true},
    {"attn_sub_norm", kNormInside, kWithout},
    {"inner_attn_ln", kNormInside, kWithout},
    {"k_layernorm", kNormInside, kWithout},
    {"k_ln", kNormInside, kWithout},
    {"q_layernorm", kNormInside, kWithout},
    {"q_ln", kNormInside, kWithout},
    {"sub_norm", kNormInside, kWithout},
    {"SCB", kQuantized, kUnquantized},
    {"absmax", kQuantized, kUnquantized},
    {"g_idx", kQuantized, kUnquantized},
    {"input_scale", kQuantized, kUnquantized},
    {"k_scale", kQuantized, kUnquantized},
    {"nested_absmax", kQuantized, kUnquantized},
    {"nested_quant_map", kQuantized, kUnquantized},
    {"output_scale", kQuantized, kUnquantized},
    {"q_scale", kQuantized, kUnquantized},
    {"quant_map", kQuantized, kUnquantized},
    {"quant_state", kQuantized, kUnquantized},
    {"qweight", kQuantized, kUnquantized},
    {"qzeros", kQuantized, kUnquantized},
    {"scales", kQuantized, kUnquantized},
    {"v_scale", kQuantized, kUnquantized},
    {"weight_packed", kQuantized, kUnquantized},
    {"weight_scale", kQuantized, kUnquantized, true},
    {"weight_zero_point", kQuantized, kUnquantized}};
// clang-format on

}  // namespace

bool isBuffer(std::string_view name, const Shape& shape) {
  constexpr std::array<std::string_view, 6> kEnds{"masked_bias",    "inv_freq",   "position_ids",
                                                  "token_type_ids", "cos_cached", "sin_cached"};
  const auto ends = [&](auto end) { return name.ends_with(end); };
  if (std::ranges::any_of(kEnds, ends)) return true;
  // a bias by name, (1, 1, N, N): the causal mask of GPT-2 and its relatives
  const bool square = shape.size() == 4 && shape[0] == 1 && shape[1] == 1 && shape[2] == shape[3];
  constexpr std::array<std::string_view, 3> kMasks{"attn.bias", "attention.bias", "causal_mask"};
  return square && (name == "bias" || std::ranges::any_of(kMasks, ends));
}

std::optional<std::string> whyUnusable(std::string_view name) {
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('.'));
    const auto* const found = std::ranges::find_if(kUnusable, [&](const Part& each) {
      return each.begins ? part.starts_with(each.text) : part == each.text;
    });
    if (found != std::end(kUnusable)) {
      return fmt::format("{}: {}", found->is, found->wayOut);
    }
    name.remove_prefix(std::min(name.size(), part.size() + 1));
  }
  return std::nullopt;
}

}  // namespace headscope::formats
