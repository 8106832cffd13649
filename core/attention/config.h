// AttentionConfig: the dimensions and switches of one multi-head attention pass.
//
// B batch, T query tokens, M key/value tokens, D = d_model, H heads; d_k = D / H unless headDim
// says otherwise; d_v = d_k.
#pragma once

#include <string>
#include <vector>

#include "core/attention/dropout.h"
#include "core/attention/head_norm.h"
#include "core/attention/mask.h"
#include "core/attention/pair_bias.h"
#include "core/attention/relative_scores.h"
#include "core/attention/rotary.h"
#include "core/base/error.h"
#include "core/base/indirect.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// Common mistakes that can be made on purpose, to show their effects (described in mistakes.h).
struct Mistakes {
  bool reshapeWithoutTranspose = false;
  bool softmaxOverQueries = false;
  bool zeroForMasked = false;
  bool sharedHead = false;
  /// True for a layer whose model has no ÷√d_k (GPT-Neo, T5): to leave it out is no mistake there.
  bool modelHasNoScale = false;

  bool operator==(const Mistakes&) const = default;
};

/// The flags and numbers of a pass, such as `bias` and `temperature` (switches.h). They are defined
/// apart, so that a new one compiles the files that read switches again, not all that know a
/// configuration.
struct Switches;
extern template class Indirect<Switches>;

struct AttentionConfig {
  Index dModel = 512;
  Index numHeads = 8;
  Index numKvHeads = 8;   // fewer than numHeads: grouped-query attention; 1: multi-query
  Index headDim = 0;      // d_k where it is not d_model / numHeads; 0: the division
  Index seqLen = 6;       // T
  Index memoryLen = 0;    // M in cross-attention; 0: self-attention, M = T
  Index memoryWidth = 0;  // features of the memory (PyTorch's kdim, vdim); 0: d_model
  Index batch = 1;
  Indirect<Switches> switches;
  Mistakes mistakes;
  Rotary rotary;  // of queries and keys; off: their positions are in X alone
  HeadNorm headNorm;
  RelativeScores relative;
  PairBias pairBias;
  Mask mask;
  std::vector<float> headGains;  // g_i per head; empty: all 1. 0: the head is off
  std::vector<float> sinks;      // per head: a score without a key in every softmax; empty: none
  // The position of query 0: above 0 where a decoder runs the last query. ALiBi and a pair bias
  // count from it; the mask, the rotation and relative scores count from 0.
  Index firstQuery = 0;
  Dropout dropout;

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

/// How d_k is determined: given by itself (`head_dim`), or d_model / heads.
enum class HeadWidth { free, divided };

/// All problems of a configuration, in plain words with a way out; empty: it can run.
std::vector<Problem> validate(const AttentionConfig& config, HeadWidth width = HeadWidth::free);

/// Head counts that divide d_model, nearest to `wanted` first (the smaller first on a tie).
std::vector<Index> nearestHeadCounts(Index dModel, Index wanted, std::size_t count = 2);

}  // namespace headscope
