// Layer parameters: the sizes of the layers of a whole model in training, the names, shapes and
// first values of their parameters, and where each stands among all of the model's. Kinds of
// models differ in what stands before and behind the layers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/model_weights.h"
#include "core/training/optimiser.h"

namespace headscope::model_training {

struct LayerSettings {
  Index layers = 2;
  Index dModel = 192;
  Index heads = 6;
  Index kvHeads = 0;     // of keys and values; 0: as many as heads
  bool networks = true;  // each layer has a feed-forward network, 4 d_model wide
  bool norms = true;     // LayerNorm before each half of a layer and before the readout

  Index keyHeads() const { return kvHeads > 0 ? kvHeads : heads; }
  Index networkWidth() const { return networks ? 4 * dModel : 0; }
  bool operator==(const LayerSettings&) const = default;
};

/// Throws UserError that names a setting outside of its range.
void requireCount(const char* name, Index value, Index least, Index most);
/// Throws UserError for sizes that are not possible with so many tokens.
void checkLayers(const LayerSettings& settings, Index tokens);
/// Sets the sizes that the layers have in a model.
void describeLayers(const LayerSettings& settings, model::ModelConfig& config);

/// A parameter at the start: drawn, or all cells of one value.
struct ParameterEntry {
  std::string name;
  Shape shape;
  bool drawn = false;
  float value = 0.0F;
};

/// Adds a matrix (out, in) and a bias.
void addLinear(std::vector<ParameterEntry>& entries, const std::string& name, Index out, Index in);
/// Adds all layers, and the norm behind them where the model has norms: "layers.0.W_Q" …,
/// "layers.0.up.weight" …, "final_norm.bias".
void addLayers(std::vector<ParameterEntry>& entries, const LayerSettings& settings);
Index parameterCount(const std::vector<ParameterEntry>& entries);
/// Draws matrices from N(0, 0.02²), from streams of the seed with their names; all else has its
/// first value.
std::vector<training::Parameter> firstParameters(const std::vector<ParameterEntry>& entries,
                                                 std::uint64_t seed);

/// Where the parameters of the layers stand. A part that the model does not have is not asked for.
class LayerPlaces {
 public:
  /// `first`: the number of parameters before the layers.
  LayerPlaces(const LayerSettings& settings, std::size_t first);

  /// The gain; the bias follows.
  std::size_t attentionNorm(Index layer) const { return layerAt(layer); }
  std::size_t networkNorm(Index layer) const { return attention(layer) + kAttention; }
  std::size_t finalNorm() const { return layerAt(layers_); }
  /// W_Q, W_K, W_V, W_O, then b_Q, b_K, b_V, b_O.
  std::size_t attention(Index layer) const { return layerAt(layer) + norm_; }
  /// The weight and the bias of `up`, then those of `down`.
  std::size_t network(Index layer) const { return networkNorm(layer) + norm_; }
  /// The first parameter behind the final norm.
  std::size_t behindLayers() const { return finalNorm() + norm_; }

 private:
  static constexpr std::size_t kAttention = 8, kNetwork = 4;
  std::size_t layerAt(Index layer) const {
    return first_ + static_cast<std::size_t>(layer) * ofLayer_;
  }

  Index layers_;
  std::size_t norm_, first_, ofLayer_;  // parameters of a norm, before the layers, of a layer
};

/// Gives the parts of a model from copies of its parameters; a kind of model adds its embedding and
/// its readout.
class CopiedWeights : public model::WeightReader {
 public:
  model::LayerWeights layer(Index layer) const override;
  bool hasReadout() const override { return true; }
  Index parameters() const override;
  bool changedOnDisk() const override { return false; }

 protected:
  CopiedWeights(std::span<const training::Parameter> parameters, const LayerSettings& settings,
                const LayerPlaces& places);
  const Tensor& value(std::size_t place) const { return values_[place]; }
  model::NormWeights normAt(std::size_t place) const;

 private:
  LayerSettings settings_;
  LayerPlaces places_;
  std::vector<Tensor> values_;
};

}  // namespace headscope::model_training
