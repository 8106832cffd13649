// AttentionConfig: the dimensions and switches of one multi-head attention pass.
//
// B batch, T query tokens, M key/value tokens, D = d_model, H heads; d_k = D / H unless headDim
// says otherwise; d_v = d_k.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/mask.h"
#include "core/attention/rotary.h"
#include "core/base/error.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// Dropout on the weights, as nn.MultiheadAttention's in training (Srivastava et al. 2014): each
/// weight is 0 with probability `rate`, the others are divided by 1 − rate.
struct Dropout {
  double rate = 0.0;  // 0: off, as in eval()
  std::uint64_t seed = 1;

  bool on() const { return rate > 0.0; }
  bool operator==(const Dropout&) const = default;
};

/// Common mistakes that can be made on purpose, to show their effects (described in mistakes.h).
struct Mistakes {
  bool reshapeWithoutTranspose = false;
  bool softmaxOverQueries = false;
  bool zeroForMasked = false;
  bool sharedHead = false;

  bool operator==(const Mistakes&) const = default;
};

/// RMSNorm of Q and K: each head's query and key is divided by its root mean square and multiplied
/// by a gain per coordinate, before the rotation (as in Qwen3; Henry et al. 2020).
class HeadNorm {
 public:
  HeadNorm() = default;  // nothing is normalised
  /// Gains, d_k each.
  HeadNorm(std::vector<float> q, std::vector<float> k, double epsilon)
      : settings_(std::make_shared<const Settings>(Settings{std::move(q), std::move(k), epsilon})) {
  }

  bool on() const { return settings_ != nullptr; }
  // only where it is on
  const std::vector<float>& q() const { return settings_->q; }
  const std::vector<float>& k() const { return settings_->k; }
  double epsilon() const { return settings_->epsilon; }

  bool operator==(const HeadNorm& other) const {
    return settings_ == other.settings_ || (on() && other.on() && *settings_ == *other.settings_);
  }

 private:
  struct Settings {
    std::vector<float> q, k;
    double epsilon;

    bool operator==(const Settings&) const = default;
  };
  std::shared_ptr<const Settings> settings_;  // shared: configurations are copied for every edit
};

struct AttentionConfig {
  Index dModel = 512;
  Index numHeads = 8;
  Index numKvHeads = 8;  // fewer than numHeads: grouped-query attention; 1: multi-query
  Index headDim = 0;     // d_k where it is not d_model / numHeads; 0: the division
  Index seqLen = 6;      // T
  Index memoryLen = 0;   // M in cross-attention; 0: self-attention, M = T
  Index memoryWidth =
      0;  // features of the memory where they are not d_model (PyTorch's kdim, vdim)
  Index batch = 1;
  bool bias = true;
  bool scale = true;         // × 1/√d_k
  double temperature = 1.0;  // scores are divided by it
  Rotary rotary;             // of queries and keys; off: their positions are in X alone
  bool alibi = false;        // scores lose a head's slope times the distance (alibi.h)
  HeadNorm headNorm;
  Mask mask;
  std::vector<float> headGains;  // g_i per head; empty: all 1. 0: the head is off
  Dropout dropout;
  Mistakes mistakes;

  bool crossAttention() const { return memoryLen > 0; }
  Index keys() const { return crossAttention() ? memoryLen : seqLen; }  // M
  Index dK() const { return headDim > 0 ? headDim : dModel / numHeads; }
  Index queryWidth() const { return numHeads * dK(); }  // of q_proj and concat; D but for headDim
  bool dKDivides() const { return queryWidth() == dModel; }  // d_k is d_model / heads
  Index dKv() const { return numKvHeads * dK(); }            // D_kv, width of k_proj and v_proj
  Index headsPerGroup() const { return numHeads / numKvHeads; }
  Index kvHead(Index head) const { return head / headsPerGroup(); }
  Index kvWidth() const { return memoryWidth > 0 ? memoryWidth : dModel; }  // W_K's columns
  float gain(Index head) const {
    return headGains.empty() ? 1.0F : headGains[static_cast<std::size_t>(head)];
  }
  double rootDk() const;  // √d_k
  /// The factor of the raw scores: (1/√d_k if scaled) / temperature.
  float scoreMultiplier() const;

  bool operator==(const AttentionConfig&) const = default;
};

/// The largest permitted sizes. A larger field is refused before anything is allocated.
struct Limits {
  static constexpr Index kDModel = 65536;
  static constexpr Index kTokens = 65536;
  static constexpr Index kBatch = 4096;
};

/// Whether d_k can be given by itself (`head_dim`), or is d_model / heads.
enum class HeadWidth { free, divided };
/// All problems of a configuration, in plain words with a way out; empty: it can run.
std::vector<Problem> validate(const AttentionConfig& config, HeadWidth width = HeadWidth::free);

/// Head counts that divide d_model, nearest to `wanted` first (the smaller first on a tie).
std::vector<Index> nearestHeadCounts(Index dModel, Index wanted, std::size_t count = 2);

}  // namespace headscope
