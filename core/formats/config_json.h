// Configuration and tokens as JSON text, as `info`, `run` and trace files give them.
#pragma once

#include <string>
#include <vector>

#include "core/config.h"
#include "core/trace.h"

namespace headscope::formats {

/// {"d_model","num_heads","num_kv_heads","d_k","seq_len","memory_len","batch","bias"};
/// "head_dim" where d_k was given by itself, and "mistakes", their ids, where common mistakes are
/// on.
std::string configJson(const AttentionConfig& config);

/// One list of tokens per batch item.
std::string tokensJson(const std::vector<std::vector<std::string>>& tokens);

/// The lists of `tokensJson`, or one plain list of tokens; empty where the text is neither.
std::vector<std::vector<std::string>> parseTokens(const std::string& json);

/// [{"id","formula","outputs"}], in order.
std::string stepsJson(const AttentionConfig& config);

}  // namespace headscope::formats
