// Learned weights: files of layers that learned from sentences or series
// (training/learned_layer.h), and the layer for sentences that comes with the program:
// assets/learned/sentences_512_8.safetensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/attention/weights.h"
#include "core/base/execution.h"
#include "core/tensor/safetensors.h"

namespace headscope {
struct TrainingDomain;
namespace training {
class LayerLearner;
}  // namespace training
}  // namespace headscope

namespace headscope::formats {

/// Saves weights under nn.MultiheadAttention's names. The metadata has their training settings and
/// the questions that each head was trained for. Throws UserError naming the path.
void saveLearned(const std::filesystem::path& path, const Weights& weights,
                 const AttentionConfig& config, const TrainingDomain& domain, std::uint64_t seed,
                 Index steps, FileFloat as);

/// The weights that come with the program, where they have these sizes, this domain and this seed.
std::optional<Weights> learnedAsset(const AttentionConfig& config, const TrainingDomain& domain,
                                    std::uint64_t seed);

/// Returns learnedAsset where it has weights; otherwise trains a layer. `tell` is called after each
/// step. Returns nothing where it was cancelled.
std::optional<Weights> learnedWeights(
    const AttentionConfig& config, const TrainingDomain& domain, std::uint64_t seed,
    const ExecutionContext& execution,
    const std::function<void(const training::LayerLearner&)>& tell = {});

}  // namespace headscope::formats
