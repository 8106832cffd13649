#include "core/training/learned_weights.h"

#include <fmt/format.h>

#include "core/attention/config.h"
#include "core/attention/state_dict.h"
#include "core/attention/switches.h"
#include "core/base/assets.h"
#include "core/base/json.h"
#include "core/input/training_domain.h"
#include "core/training/learned_layer.h"

namespace headscope::formats {
namespace {

constexpr const char* kAsset = "learned/sentences_512_8.safetensors";
constexpr Index kAssetWidth = 512;
constexpr Index kAssetHeads = 8;
constexpr std::uint64_t kAssetSeed = 1;

/// [["prev"], ["subj"], …]
Json trainedFor(const AttentionConfig& config, const TrainingDomain& domain) {
  const std::vector<training::AskedQuestion> all = training::questionsOf(domain);
  Json heads = Json::emptyList();
  for (Index head = 0; head < config.numHeads; ++head) {
    Json names = Json::emptyList();
    for (const std::size_t question : training::askedOfHead(head, config)) {
      names.push_back(all[question].name);
    }
    heads.push_back(std::move(names));
  }
  return heads;
}

}  // namespace

void saveLearned(const std::filesystem::path& path, const Weights& weights,
                 const AttentionConfig& config, const TrainingDomain& domain, std::uint64_t seed,
                 Index steps, FileFloat as) {
  saveWeights(path, weights, config.switches->bias,
              {{"learned", fmt::format("eight questions about the {} of {}",
                                       domain.series() ? "steps" : "words", inWords(domain))},
               {"num_heads", fmt::format("{}", config.numHeads)},
               {"seed", fmt::format("{}", seed)},
               {"steps", fmt::format("{}", steps)},
               {"trained_for", trainedFor(config, domain).dump()}},
              as);
}

std::optional<Weights> learnedAsset(const AttentionConfig& c, const TrainingDomain& domain,
                                    std::uint64_t seed) {
  const bool same = !domain.series() && c.dModel == kAssetWidth && c.numHeads == kAssetHeads &&
                    c.numKvHeads == kAssetHeads && c.dKDivides() && c.kvWidth() == c.dModel &&
                    c.switches->bias && seed == kAssetSeed;
  if (!same) return std::nullopt;
  return loadWeights(SafetensorsFile(kAsset, asset(kAsset))).weights;
}

std::optional<Weights> learnedWeights(
    const AttentionConfig& config, const TrainingDomain& domain, std::uint64_t seed,
    const ExecutionContext& execution,
    const std::function<void(const training::LayerLearner&)>& tell) {
  std::optional<Weights> ready = learnedAsset(config, domain, seed);
  return ready ? ready : training::learnLayer(config, domain, seed, execution, tell);
}

}  // namespace headscope::formats
