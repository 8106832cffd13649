// Weights: the projections and their biases, stored as PyTorch stores them
// (out_features × in_features, y = x Wᵀ + b).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace headscope {

struct AttentionConfig;

struct Weights {
  Tensor wQ;  // (H·d_k, D)
  Tensor wK;  // (D_kv, D), or (D_kv, memory width)
  Tensor wV;  // as wK
  Tensor wO;  // (D, H·d_k)
  Tensor bQ;  // (H·d_k)
  Tensor bK;  // (D_kv)
  Tensor bV;  // (D_kv)
  Tensor bO;  // (D)       biases are always there; the switch `bias` says whether they are added
  // only where the switch `gate` is on
  Tensor wG = {};  // as wQ
  Tensor bG = {};  // as bQ
};

enum class WeightInit { xavier, normal, identity, designed, learned };

/// The source of weights: drawn (init, seed), or named explicitly (a file, a preset's own).
struct WeightSource {
  WeightInit init = WeightInit::xavier;
  std::uint64_t seed = 1;
  std::string loadedFrom;  // empty: drawn

  bool drawn() const { return loadedFrom.empty(); }
  bool operator==(const WeightSource&) const = default;
};

/// The name in flags and files: "xavier".
std::string_view toString(WeightInit init);
/// Throws UserError that lists the known names.
WeightInit weightInitFromString(std::string_view name);

/// Draws all weights for `config`. The same bits on every machine, compiler and thread count.
///  xavier    nn.MultiheadAttention's own start (_reset_parameters): in_proj uniform ±√(6/(4D)),
///            out_proj uniform ±1/√(H·d_k), biases 0; with grouped heads each projection
///            ±√(6/(fan_in + fan_out)) (Glorot & Bengio 2010)
///  normal    mean 0, standard deviation 0.1, biases too
///  identity  ones on the diagonal, biases 0
///  designed  as xavier; designedWeights (designed_heads.h) writes the designed heads over it
///  learned   as xavier; drawWeightsFor (make_document.h) gives the learned ones
/// b_G is 1 but for `normal`: a gate is open at first (Jumper et al. 2021).
Weights drawWeights(const AttentionConfig& config, WeightInit init, std::uint64_t seed);

/// Draws the tensors of the gate where `config` has one and `weights` do not; takes them away where
/// it has none. Returns whether it drew.
bool fitGate(Weights& weights, const AttentionConfig& config, WeightInit init, std::uint64_t seed);

/// AttentionConfig::headDim of weights with `numHeads` heads: 0 where their d_k is d_model / heads.
/// If numHeads does not divide the rows of W_Q, d_k is rounded down.
Index headDimOf(const Weights& weights, Index numHeads);

/// Checks shapes against `config` and values for NaN/Inf; throws UserError naming the tensor, the
/// shape expected and found, or the index of the value.
void checkWeights(const Weights& weights, const AttentionConfig& config, const std::string& where);

}  // namespace headscope
