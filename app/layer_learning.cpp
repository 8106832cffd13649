#include "app/layer_learning.h"

#include <memory>
#include <utility>

#include "core/training/learned_layer.h"

namespace headscope {

void LayerLearning::begin(const AttentionConfig& config, const training::Material& material,
                          std::uint64_t seed) {
  of_ = LearnedSizes(config, material, seed);
  shared_ = std::make_shared<Shared>();
  thread_.request([config, material, seed, shared = shared_](const std::atomic<bool>& cancelled) {
    const auto tell = [&](News news) {
      const std::lock_guard lock(shared->mutex);
      shared->news = std::move(news);
    };
    const std::string error = whyNot([&] {
      Execution execution;
      execution.cancelled = &cancelled;
      training::LayerLearner learner(config, seed, training::usualSettings(material));
      while (!cancelled && !learner.done()) {
        if (!learner.step(execution)) return;
        shared->step = learner.stepsDone();
        const bool done = learner.done();
        if (shared->wanted.exchange(false) || done) tell({learner.weights(), done, {}});
      }
    });
    if (!error.empty()) tell({std::nullopt, true, error});
    return cancelled ? TaskThread::After::rest : TaskThread::After::news;
  });
}

void LayerLearning::stop() {
  if (!of_) return;
  of_.reset();
  shared_ = std::make_shared<Shared>();
  thread_.stop();
}

LayerLearning::Progress LayerLearning::progress() const {
  return {shared_->step, training::usualSettings(of_ ? of_->material : training::Material{}).steps};
}

std::optional<LayerLearning::News> LayerLearning::take() {
  std::optional<News> news;
  {
    const std::lock_guard lock(shared_->mutex);
    news = std::exchange(shared_->news, std::nullopt);
  }
  if (news && news->done) of_.reset();
  return news;
}

}  // namespace headscope
