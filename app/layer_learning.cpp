#include "app/layer_learning.h"

#include <memory>
#include <utility>

#include "app/background_task.h"
#include "core/attention/config.h"
#include "core/training/learned_layer.h"

namespace headscope {

void LayerLearning::begin(const AttentionConfig& config, const TrainingDomain& domain,
                          std::uint64_t seed) {
  of_ = LearnedSizes(config, domain, seed);
  shared_ = std::make_shared<Shared>();
  runner_.request(
      [config, domain, seed, shared = shared_, learner = std::shared_ptr<training::LayerLearner>()](
          const std::atomic<bool>& cancelled) mutable {
        const auto publish = [&](News news) {
          const std::lock_guard lock(shared->mutex);
          shared->news = std::move(news);
        };
        const std::string error = whyNot([&] {
          if (learner == nullptr) {
            const training::LearningSettings settings = training::usualSettings(domain);
            learner = std::make_shared<training::LayerLearner>(config, seed, settings);
          }
          if (!learner->step(ExecutionContext{0, &cancelled})) return;
          shared->step = learner->stepsDone();
          const bool done = learner->done();
          if (shared->wanted.exchange(false) || done) publish({learner->weights(), done, {}});
        });
        if (!error.empty()) publish({std::nullopt, true, error});
        if (cancelled) return TaskRunner::After::rest;
        const bool ended = !error.empty() || learner->done();
        return ended ? TaskRunner::After::news : TaskRunner::After::more;
      });
}

void LayerLearning::stop() {
  if (!of_) return;
  of_.reset();
  shared_ = std::make_shared<Shared>();
  runner_.stop();
}

LayerLearning::Progress LayerLearning::progress() const {
  return {shared_->step, training::usualSettings(of_ ? of_->domain : TrainingDomain{}).steps};
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
