// The names of Llama's tensors, which many later families share or extend:
//
//   .names = llamaNamesWith([](TensorNames& n) { n.onePlusGain = true; }),
#pragma once

#include "core/formats/families/tensor_names.h"

namespace headscope::formats {

inline constexpr TensorNames kLlamaNames{.base = "model.",
                                         .attentionNorm = "input_layernorm",
                                         .feedForwardNorm = "post_attention_layernorm",
                                         .query = "self_attn.q_proj",
                                         .key = "self_attn.k_proj",
                                         .value = "self_attn.v_proj",
                                         .output = "self_attn.o_proj",
                                         .up = "mlp.up_proj",
                                         .gate = "mlp.gate_proj",
                                         .down = "mlp.down_proj",
                                         .finalNorm = "norm"};

/// Llama's names after `change`.
template <typename Change>
constexpr TensorNames llamaNamesWith(Change change) {
  TensorNames names = kLlamaNames;
  change(names);
  return names;
}

/// Names the norms of each head's queries and keys.
constexpr void addHeadNorms(TensorNames& names) {
  names.queryNorm = "self_attn.q_norm";
  names.keyNorm = "self_attn.k_norm";
}

/// Names Gemma's four norms of a layer, before and after each half.
constexpr void nameFourNorms(TensorNames& names) {
  names.attentionOutputNorm = "post_attention_layernorm";
  names.feedForwardNorm = "pre_feedforward_layernorm";
  names.feedForwardOutputNorm = "post_feedforward_layernorm";
}

}  // namespace headscope::formats
