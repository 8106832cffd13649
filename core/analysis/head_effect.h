// Head effect: what each head adds to the output. output[i] = Σ_h head_h[i] · W_O,h + b_O, so the
// term head_h[i] · W_O,h, (T, D) for a head, is exactly what goes when head h is taken out.
//
// head_h is the trace's: its gain, pins, dropout and mistakes are in it. W_O,h is head h's row
// block of W^O, (d_k, D): columns h·d_k … (h+1)·d_k − 1 of W_O as PyTorch stores it. Taking heads
// out and measuring what is lost: Michel et al. 2019.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/analysis/metric_value.h"
#include "core/analysis/rows.h"
#include "core/base/execution.h"
#include "core/document/fwd.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct MetricValue;

/// W_O,h, (d_k, D): a view, valid as long as the trace is.
ConstMatrixView outputBlock(const Trace& trace, Index head);

/// head_h · W_O,h of an item: (T, D).
Tensor headTerm(const Trace& trace, Index item, Index head);

/// The item's output, (T, D), as it would be with another gain of one head: output + (g' − g) · A V
/// · W_O,h. Cells of the head that are pinned stay as they are, as they do in a pass.
Tensor outputWithGain(const Trace& trace, Index item, Index head, float gain);

/// The Frobenius norm ‖W_O,h‖ = √Σ w² of each head's row block.
std::vector<double> outputBlockNorms(const Trace& trace);

/// The norms and shares of the terms of all heads, for one batch item. The terms are not kept.
class HeadEffects {
 public:
  Index heads() const { return heads_; }
  Index tokens() const { return tokens_; }

  /// ‖head_h[i] · W_O,h‖
  double termNorm(Index head, Index token) const { return termNorms_[at(head, token)]; }
  /// ‖output[i]‖
  double outputNorm(Index token) const { return outputNorms_[static_cast<std::size_t>(token)]; }
  /// ‖head_h[i] · W_O,h‖ / ‖output[i]‖: ≥ 0, above 1 where heads cancel; none for an output of 0.
  std::optional<double> effect(Index head, Index token) const {
    if (outputNorm(token) == 0.0) return std::nullopt;
    return termNorm(head, token) / outputNorm(token);
  }
  /// ⟨head_h[i] · W_O,h, output[i]⟩ / ‖output[i]‖²: the signed part of the output that points along
  /// the head's term. The shares of all heads and of the bias sum to 1. None for an output of 0.
  std::optional<double> share(Index head, Index token) const;
  /// ⟨b_O, output[i]⟩ / ‖output[i]‖²; 0 without a bias.
  std::optional<double> biasShare(Index token) const;

  /// The metric: mean_i ‖head_h[i] · W_O,h‖ / ‖output[i]‖ over `rows`.
  MetricValue ablation(Index head, const CountedRows& rows) const;

 private:
  friend std::optional<HeadEffects> headEffects(const Trace&, Index, const ExecutionContext&);

  std::size_t at(Index head, Index token) const {
    return static_cast<std::size_t>(head * tokens_ + token);
  }
  std::optional<double> overSquare(double product, Index token) const;

  Index heads_ = 0;
  Index tokens_ = 0;
  std::vector<double> termNorms_;     // (H, T)
  std::vector<double> products_;      // (H, T): ⟨term, output⟩
  std::vector<double> outputNorms_;   // (T)
  std::vector<double> biasProducts_;  // (T): ⟨b_O, output⟩
};

/// The effects of all heads of one item. Nothing where cancelled.
std::optional<HeadEffects> headEffects(const Trace& trace, Index item,
                                       const ExecutionContext& execution = {});

}  // namespace headscope
