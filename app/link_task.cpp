#include "app/link_task.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/link.h"
#include "core/attention/config.h"
#include "core/base/execution.h"
#include "core/document/document.h"
#include "core/editing/make_document.h"
#include "core/formats/link.h"
#include "core/training/learned_layer.h"

namespace headscope {

/// The learned weights of a link: records the requested ones, learns them step by step, and returns
/// them when they are requested again.
class LinkTask::Learning {
 public:
  Learning(std::shared_ptr<Steps> steps, std::shared_ptr<LearnedLayers> layers)
      : steps_(std::move(steps)), layers_(std::move(layers)) {}

  Weights weightsFor(const Document& document, WeightInit init, std::uint64_t seed) {
    if (init != WeightInit::learned) return drawWeightsFor(document, init, seed);
    const TrainingDomain domain = trainingDomainOf(document);
    if (auto ready = layers_->find(document.config, domain, seed)) return *ready;
    const LearnedSizes sizes(document.config, domain, seed);
    auto found = std::ranges::find(all_, sizes, &Each::sizes);
    if (found == all_.end()) {
      all_.push_back({sizes, document.config, {}});
      found = std::prev(all_.end());
      steps_->all += training::usualSettings(domain).steps;
    }
    // placeholders for weights still to be learned; the second request replaces them
    return found->weights ? *found->weights : drawWeights(document.config, WeightInit::xavier, 1);
  }

  /// Takes one learning step. Returns true once all requested weights are learned, or the task was
  /// cancelled.
  bool runUnit(const std::atomic<bool>& cancelled) {
    const auto next = std::ranges::find_if(all_, [](const Each& e) { return !e.weights; });
    if (next == all_.end() || cancelled) return true;
    if (learner_ == nullptr) {
      learner_ = std::make_unique<training::LayerLearner>(
          next->config, next->sizes.seed, training::usualSettings(next->sizes.domain));
    }
    if (!learner_->step(ExecutionContext{0, &cancelled})) return true;
    ++steps_->done;
    if (!learner_->done()) return false;
    next->weights = learner_->weights();
    layers_->keep(next->sizes, *next->weights);
    learner_ = nullptr;
    return false;
  }

 private:
  struct Each {
    LearnedSizes sizes;
    AttentionConfig config;
    std::optional<Weights> weights;
  };
  std::shared_ptr<Steps> steps_;
  std::shared_ptr<LearnedLayers> layers_;
  std::vector<Each> all_;
  std::unique_ptr<training::LayerLearner> learner_;  // learns the first weights that are missing
};

void LinkTask::begin(std::function<void(const WeightMaker&)> ask,
                     std::function<Result(const WeightMaker&)> finish) {
  steps_ = std::make_shared<Steps>();
  task_.requestUnits([ask = std::move(ask), finish = std::move(finish),
                      learning = std::make_shared<Learning>(steps_, layers_),
                      asked = false](const std::atomic<bool>& cancelled,
                                     std::optional<Result>& result) mutable {
    const WeightMaker make = [&](const Document& document, WeightInit init, std::uint64_t seed) {
      return learning->weightsFor(document, init, seed);
    };
    if (!std::exchange(asked, true)) ask(make);
    if (!learning->runUnit(cancelled)) return false;
    if (!cancelled) result = finish(make);
    return true;
  });
}

void LinkTask::make(formats::Session session, Index memoryBudget) {
  const auto shared = std::make_shared<const formats::Session>(std::move(session));
  begin([shared, memoryBudget](
            const WeightMaker& make) { formats::drawForLink(*shared, memoryBudget, make); },
        [shared, memoryBudget](const WeightMaker& make) -> Result {
          return {linkOf(*shared, memoryBudget, make), std::nullopt};
        });
}

void LinkTask::open(std::string link, Index memoryBudget) {
  const auto shared = std::make_shared<const std::string>(std::move(link));
  begin([shared,
         memoryBudget](const WeightMaker& make) { sessionOfLink(*shared, memoryBudget, make); },
        [shared, memoryBudget](const WeightMaker& make) -> Result {
          return {{}, sessionOfLink(*shared, memoryBudget, make)};
        });
}

void LinkTask::stop() {
  task_.stop();
  steps_ = std::make_shared<Steps>();
}

std::optional<LinkTask::Progress> LinkTask::progress() const {
  const Index all = steps_->all;
  if (!task_.busy() || all == 0) return std::nullopt;
  return Progress{steps_->done, all};
}

}  // namespace headscope
