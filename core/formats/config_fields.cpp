#include "core/formats/config_fields.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace headscope::formats {
namespace {

// clang-format off
constexpr std::string_view kWithoutEffect[]{
    // how the file and the weights were made
    "architectures", "auto_map", "base_model_name", "custom_pipelines", "down_scale_factor",
    "dtype", "finetuned", "finetuning_task", "gap_size", "language", "layers_to_keep",
    "library_name", "license", "model_name", "name_or_path", "net_structure_type",
    "num_memory_blocks", "pipeline_tag", "tags", "tie_weights_", "tokenizer_name",
    "torch_dtype", "torchscript", "transformers.js_config", "transformers_version", "trl_version",
    "unsloth_fixed", "unsloth_version", "use_bfloat16", "verbose", "vocab_file",
    // the execution of a pass, not its result
    "attention_softmax_in_fp32", "attn_implementation", "bias_dropout_fusion",
    "cache_implementation", "chunk_size_feed_forward", "deterministic_flash_attn",
    "gradient_checkpointing", "init_device", "is_llama_config", "low_cpu_mem_usage",
    "masked_softmax_fusion", "offset_alibi", "output_attentions", "output_hidden_states",
    "output_past", "output_router_logits", "pretraining_tp", "reorder_and_upcast_attn",
    "return_dict", "skip_bias_add", "skip_bias_add_qkv", "slow_but_exact",
    "sparse_pred_ignore_index", "sparse_prediction", "tf_legacy_loss", "trust_remote_code",
    "use_cache", "use_flash_attention", "use_flash_attn", "use_sdpa",
    // training
    "activation_dropout", "attention_dropout", "attention_probs_dropout_prob", "attn_dropout",
    "attn_pdrop", "aux_loss_alpha", "classifier_dropout", "classifier_dropout_prob", "dropout",
    "emb_pdrop", "embd_dropout", "embd_pdrop", "embed_dropout", "embedding_dropout", "ff_dropout",
    "ffn_dropout", "hidden_dropout", "hidden_dropout_prob", "init_config", "init_method_std",
    "init_std", "initializer", "initializer_cutoff_factor", "initializer_factor",
    "initializer_range", "layerdrop", "mlm_probability", "mlp_dropout", "neftune_noise_alpha",
    "qa_dropout", "repad_logits_with_grad", "resid_dropout", "resid_pdrop", "residual_dropout",
    "router_aux_loss_coef", "router_jitter_noise", "seq_aux", "seq_classif_dropout",
    "summary_first_dropout", "summary_last_dropout",
    // special tokens and texts
    "begin_suppress_tokens", "bos_token", "bos_token_id", "chat_template", "cls_token_id",
    "decoder_start_token_id", "eos_token", "forced_bos_token_id", "forced_decoder_ids",
    "forced_eos_token_id", "mask_token_id", "n_special", "pad_token", "pad_token_id",
    "predict_special_tokens", "prefix", "sep_token_id", "suppress_tokens", "tokenizer_class",
    "unk_token", "unk_token_id",
    // how text is generated
    "bad_words_ids", "diversity_penalty", "do_sample", "early_stopping",
    "encoder_no_repeat_ngram_size", "epsilon_cutoff", "eta_cutoff",
    "exponential_decay_length_penalty", "force_words_ids", "guidance_scale", "length_penalty",
    "max_length", "max_new_tokens", "min_length", "min_new_tokens", "min_p", "no_repeat_ngram_size",
    "num_beam_groups", "num_beams", "num_return_sequences", "output_logits", "output_scores",
    "penalty_alpha", "remove_invalid_values", "renormalize_logits", "repetition_penalty",
    "return_dict_in_generate", "sequence_bias", "stop_strings", "temperature", "top_k", "top_p",
    "typical_p",
    // heads for other tasks
    "classifier_pooling", "directionality", "id2label", "label2id", "num_choices", "num_labels",
    "pooler_dropout", "pooler_fc_size", "pooler_hidden_act", "pooler_hidden_size",
    "pooler_num_attention_heads", "pooler_num_fc_layers", "pooler_size_per_head", "pooler_type",
    "problem_type", "projection_dim", "sentence_transformers", "similarity_fn_name",
    "summary_activation", "summary_proj_to_labels", "summary_type", "summary_use_proj",
    "task_specific_params",
    // sizes that repeat other fields or the checked shapes of the tensors
    "embedding_size", "max_seq_length", "max_sequence_length", "max_window_layers",
    "model_max_length", "n_ctx", "original_max_position_embeddings", "seq_length",
    "sinusoidal_pos_embds"};

/// The value with which a field asks for nothing.
enum class Neutral { off, one };  // off: null, false, 0, or an empty list, object or text

struct FieldOfMathematics {
  std::string_view name, mathematics;
  Neutral neutral = Neutral::off;
};

constexpr FieldOfMathematics kMathematics[]{
    {"alibi", "scores that fall with distance (ALiBi)"},
    {"use_alibi", "scores that fall with distance (ALiBi)"},
    {"position_buckets", "relative scores between content and position"},
    {"relative_attention", "relative scores between content and position"},
    {"relative_attention_num_buckets", "a bias of scores by distance"},
    {"attention_chunk_size", "attention within chunks"},
    {"attention_layers", "local and global layers in turn"},
    {"attention_types", "local and global layers in turn"},
    {"global_attn_every_n_layers", "local and global layers in turn"},
    {"sliding_window_pattern", "local and global layers in turn"},
    {"attention_window", "a window over the keys"},
    {"local_attention", "a window over the keys"},
    {"sliding_window", "a window over the keys"},
    {"use_sliding_window", "a window over the keys"},
    {"window_size", "a window over the keys"},
    {"attention_sinks", "a learned sink in the softmax"},
    {"use_attention_sinks", "a learned sink in the softmax"},
    {"attention_multiplier", "scores times a factor of their own", Neutral::one},
    {"query_pre_attn_scalar", "scores times a factor of their own"},
    {"attn_logit_softcapping", "a soft cap on scores"},
    {"final_logit_softcapping", "a soft cap on logits"},
    {"logits_soft_cap", "a soft cap on logits"},
    {"clip_qkv", "queries, keys and values that are clipped"},
    {"qk_layernorm", "norms of queries and keys"},
    {"qk_norm", "norms of queries and keys"},
    {"use_qk_norm", "norms of queries and keys"},
    {"kv_lora_rank", "latent keys and values"},
    {"q_lora_rank", "latent queries"},
    {"multi_query", "keys and values that all heads share in one tensor"},
    {"num_experts", "a mixture of experts"},
    {"num_local_experts", "a mixture of experts"},
    {"n_routed_experts", "a mixture of experts"},
    {"moe_intermediate_size", "a mixture of experts"},
    {"parallel_attn", "attention and feed-forward network in parallel"},
    {"use_parallel_residual", "attention and feed-forward network in parallel"},
    {"partial_rotary_factor", "rotary positions on a part of d_k", Neutral::one},
    {"rotary_pct", "rotary positions on a part of d_k", Neutral::one},
    {"rotary_dim", "rotary positions on a part of d_k"},
    {"rope_interleave", "rotation that pairs neighbouring coordinates"},
    {"rope_interleaved", "rotation that pairs neighbouring coordinates"},
    {"mrope_section", "rotary positions in several directions"},
    {"use_mrope", "rotary positions in several directions"},
    {"no_rope_layers", "layers without positions"},
    {"no_rope_layer_interval", "layers without positions"},
    {"global_rope_theta", "rotation with a base of its own for each kind of layer"},
    {"local_rope_theta", "rotation with a base of its own for each kind of layer"},
    {"rope_local_base_freq", "rotation with a base of its own for each kind of layer"},
    {"attention_factor", "rotated queries and keys times a factor", Neutral::one},
    {"embedding_multiplier", "an embedding times a factor", Neutral::one},
    {"scale_embedding", "an embedding times a factor"},
    {"logit_scale", "logits times a factor", Neutral::one},
    {"logits_scaling", "logits times a factor", Neutral::one},
    {"residual_multiplier", "a residual stream times a factor", Neutral::one},
    {"compression_config", kQuantizedWeights},
    {"quantization", kQuantizedWeights},
    {"quantization_config", kQuantizedWeights},
    {"audio_config", "an encoder of sounds"},
    {"vision_config", "an encoder of images"},
    {"is_encoder_decoder", "an encoder and a decoder"},
    {"tie_encoder_decoder", "an encoder and a decoder"},
    {"add_cross_attention", "attention to a second text"},
    {"use_bidirectional_attention", "attention to later tokens"},
    {"apply_residual_connection_post_layernorm", "a residual stream that goes through the norms"},
    {"attention_bias", "biases of queries, keys and values"},
    {"mlp_bias", "biases of the feed-forward network"},
    {"is_decoder", "a causal mask in an encoder"}};

struct TypeOfMathematics {
  std::string_view type, mathematics;
};

constexpr std::string_view kParallel = "attention and feed-forward network in parallel";
constexpr std::string_view kExperts = "a mixture of experts";
constexpr std::string_view kEncoderDecoder = "an encoder and a decoder";
constexpr std::string_view kImages = "patches of an image in the place of tokens";
constexpr std::string_view kSound = "frames of a sound in the place of tokens";
constexpr std::string_view kPartOfHead = "rotary positions on a part of d_k";
constexpr std::string_view kNormsAfter = "norms after each half of a layer";

constexpr TypeOfMathematics kTypes[]{
    {"audio-spectrogram-transformer", kSound},
    {"big_bird", "attention within blocks"},
    {"blenderbot", kEncoderDecoder},
    {"chatglm", kPartOfHead},
    {"codegen", kParallel},
    {"cohere2", kParallel},
    {"deberta", "relative scores between content and position"},
    {"deepseek_v2", "latent keys and values"},
    {"exaone4", kNormsAfter},
    {"gemma3", kImages},
    {"glm", kPartOfHead},
    {"gpt_bigcode", "keys and values that all heads share in one tensor"},
    {"granitemoe", kExperts},
    {"jamba", "state-space layers"},
    {"llama4", kExperts},
    {"llama4_text", kExperts},
    {"llava", kImages},
    {"longformer", "a window over the keys and tokens that see all"},
    {"mamba", "state-space layers"},
    {"mamba2", "state-space layers"},
    {"mllama", kImages},
    {"mpnet", "a bias of scores by distance"},
    {"nemotron", "LayerNorm with 1 + gain"},
    {"nomic_bert", "rotary positions in an encoder"},
    {"olmo3", kNormsAfter},
    {"olmoe", kExperts},
    {"openai-gpt", "norms after each half of a causal layer"},
    {"paligemma", kImages},
    {"persimmon", kPartOfHead},
    {"phimoe", kExperts},
    {"qwen", "queries, keys and values in one tensor"},
    {"qwen2_5_vl", kImages},
    {"qwen2_moe", kExperts},
    {"qwen2_vl", kImages},
    {"qwen3_next", "linear attention"},
    {"roformer", "rotary positions in an encoder"},
    {"rwkv", "recurrent layers"},
    {"siglip", kImages},
    {"squeezebert", "convolutions in the place of projections"},
    {"transfo-xl", "relative scores between content and position"},
    {"wav2vec2", kSound},
    {"whisper", kSound},
    {"xlm-roberta-xl", "norms before each half of an encoder's layer"},
    {"xlnet", "relative scores between content and position"}};
// clang-format on

bool asksForNothing(const Json& value, Neutral neutral) {
  if (value.isNull()) return true;
  if (const bool* flag = value.flag()) return !*flag;
  if (const auto number = value.number()) return *number == (neutral == Neutral::one ? 1.0 : 0.0);
  if (value.text() != nullptr) return value.text()->empty();
  if (value.list() != nullptr) return value.list()->empty();
  return value.fields() != nullptr && value.fields()->empty();
}

}  // namespace

bool isFieldWithoutEffect(std::string_view name) {
  return std::ranges::find(kWithoutEffect, name) != std::end(kWithoutEffect);
}

std::optional<std::string_view> mathematicsOf(std::string_view name, const Json& value) {
  const auto* const found = std::ranges::find(kMathematics, name, &FieldOfMathematics::name);
  if (found == std::end(kMathematics)) return std::nullopt;
  return asksForNothing(value, found->neutral) ? std::string_view() : found->mathematics;
}

std::string_view mathematicsOfType(std::string_view modelType) {
  const auto* const found = std::ranges::find(kTypes, modelType, &TypeOfMathematics::type);
  return found == std::end(kTypes) ? std::string_view() : found->mathematics;
}

}  // namespace headscope::formats
