// Learned weights: files of layers that learned from sentences or series
// (training/learned_layer.h), and the one that comes with the program, for sentences:
// assets/learned/sentences_512_8.safetensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/tensor/safetensors.h"
#include "core/training/learned_layer.h"

namespace headscope::formats {

/// Weights in nn.MultiheadAttention's names; how they came about, and the questions that each head
/// was trained for, in the metadata. Throws UserError naming the path.
void saveLearned(const std::filesystem::path& path, const Weights& weights,
                 const AttentionConfig& config, const TrainingDomain& domain, std::uint64_t seed,
                 Index steps, FileFloat as);

/// Those that come with the program, where they are of these sizes, this domain and this seed.
std::optional<Weights> learnedAsset(const AttentionConfig& config, const TrainingDomain& domain,
                                    std::uint64_t seed);

/// Those, or else learned now. `tell` is called after each step; nothing where it was cancelled.
std::optional<Weights> learnedWeights(
    const AttentionConfig& config, const TrainingDomain& domain, std::uint64_t seed,
    const ExecutionContext& execution,
    const std::function<void(const training::LayerLearner&)>& tell = {});

}  // namespace headscope::formats
