#include "app/live_generation.h"

#include <optional>
#include <utility>

#include "core/base/execution.h"

namespace headscope {
namespace {

/// The duration of one request, which delays the display of a token.
constexpr double kTokensSeconds = 0.03;

}  // namespace

/// The thread's state of one generation, shared so that it outlives a replaced generation.
struct LiveGeneration::Run {
  std::optional<GenerationMoment> advance(const std::atomic<bool>& cancelled);

  model::ModelTracePtr from;
  OtherPass other;
  model::Sampling sampling;
  Index mostNew;
  GenerationMoment now;
  std::optional<model::Decoder> decoder;
};

std::optional<GenerationMoment> LiveGeneration::Run::advance(const std::atomic<bool>& cancelled) {
  if (now.finished) return now;  // requested once more before its end was seen
  const ExecutionContext execution{.cancelled = &cancelled};
  const double start = clockSeconds();
  if (!decoder) {
    model::Beginning continued = other ? other(execution) : model::Beginning(from);
    if (continued.pass == nullptr) return std::nullopt;
    decoder.emplace(std::move(continued), mostNew);
  }
  now.room = decoder->room();
  do {
    const auto place = static_cast<Index>(now.made.size());
    const Index most = decoder->room() - decoder->tokens() + place;  // a model has a maximum
    const model::ChosenToken token =
        nextToken(decoder->logits(), decoder->config(), sampling, {place, most, decoder->tokens()});
    std::vector<Tensor> row = decoder->memoryWeights();
    const double begun = clockSeconds();
    if (!decoder->feed(token.id, execution)) return std::nullopt;
    now.made.push_back({token, millisecondsSince(begun), std::move(row)});
    now.tokens = decoder->tokens();
    now.ended = from->config().ends(token.id);
    now.finished = now.ended || now.tokens == now.room;
  } while (!now.finished && clockSeconds() - start < kTokensSeconds);
  return now;
}

std::vector<Index> GenerationMoment::ids() const {
  std::vector<Index> all;
  for (const Made& each : made) all.push_back(each.token.id);
  return all;
}

void LiveGeneration::begin(model::ModelTracePtr from, const model::Sampling& sampling,
                           Index mostNew, OtherPass other) {
  from_ = from;
  run_ = std::make_shared<Run>();
  run_->from = std::move(from);
  run_->other = std::move(other);
  run_->sampling = sampling;
  run_->mostNew = mostNew;
  run_->now.begun = ++begun_;
  moment_ = nullptr;
  problem_.clear();
  playing_ = true;
  requestNext();  // at once: an earlier generation's results are never shown
}

void LiveGeneration::requestNext() {
  task_.request(
      [run = run_](const std::atomic<bool>& cancelled) { return run->advance(cancelled); });
}

void LiveGeneration::follow(const model::ModelTracePtr& present) {
  if (from_ != nullptr && from_ != present) {
    run_ = nullptr;
    from_ = nullptr;
    moment_ = nullptr;
    problem_.clear();
    playing_ = false;
  }
  if (auto outcome = task_.take(); outcome && run_ != nullptr) {
    problem_ = outcome->error;
    if (outcome->result) {
      moment_ = std::make_shared<const GenerationMoment>(std::move(*outcome->result));
    }
    if (!problem_.empty() || (moment_ != nullptr && moment_->finished)) playing_ = false;
  }
  if (due()) requestNext();
}

}  // namespace headscope
