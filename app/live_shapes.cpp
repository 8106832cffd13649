#include "app/live_shapes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/formats/shipped_picture.h"
#include "core/images/image_pass.h"

namespace headscope {
namespace {

constexpr double kFastShapeSeconds = 0.3;  // a moment costs as much as a step

/// The shares of a softmax over the logits of one picture.
std::array<double, images::kShapeKinds> sharesOf(const float* logits) {
  std::array<double, images::kShapeKinds> shares{};
  const float most = *std::max_element(logits, logits + shares.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = std::exp(double{logits[i] - most});
    sum += shares[i];
  }
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace

struct LiveShapes::Live {
  Live(const images::ShapeSettings& s, Index memoryBudget, std::uint64_t momentsBefore)
      : settings_(s), budget_(memoryBudget), moments_(momentsBefore) {}

  std::optional<ShapeMoment> advance(const Request& request, const std::atomic<bool>& cancelled);

 private:
  /// The model of the shown step, whose number the moment receives.
  const images::ImageModel& shownModel(ShapeMoment& moment, std::optional<Index> look);
  /// Computes a model's pass over the pictures. False where cancelled.
  static bool look(ShapeMoment& moment, const images::ImageModel& model,
                   const ExecutionContext& execution);

  images::ShapeSettings settings_;
  Index budget_;
  std::uint64_t moments_;
  std::optional<images::ShapeTrainer> run_;    // from the first request on
  std::optional<images::ImageModel> earlier_;  // with the parameters of an earlier step
  double touched_ = 0.0;
};

const images::ImageModel& LiveShapes::Live::shownModel(ShapeMoment& moment,
                                                       std::optional<Index> look) {
  moment.step = run_->stepsTaken();
  const training::Snapshot* snapshot = look ? run_->snapshots().atMost(*look) : nullptr;
  if (snapshot == nullptr || snapshot->step >= run_->stepsTaken()) return run_->model();
  if (!earlier_) earlier_.emplace(settings_.model, settings_.seed);
  putInto(*snapshot, earlier_->parameters());
  moment.step = snapshot->step;
  return *earlier_;
}

bool LiveShapes::Live::look(ShapeMoment& moment, const images::ImageModel& model,
                            const ExecutionContext& execution) {
  const images::ImageModelSettings& s = model.settings();
  std::vector<images::Drawing> drawings;
  for (std::size_t kind = 0; kind < moment.seen.size(); ++kind) {
    const formats::ShippedPicture shown{static_cast<images::ShapeKind>(kind), moment.example + 1};
    drawings.push_back(shown.drawing());
  }
  images::ImagePass pass(model, images::patchesOf(drawings, inputOf(s), execution));
  if (!pass.forward(execution)) return false;
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    const auto at = static_cast<Index>(i);
    SeenShape& seen = moment.seen[i];
    seen.picture = std::make_shared<const formats::Picture>(formats::pictureOf(drawings[i]));
    seen.touched = touchedPatches(drawings[i], s.patch);
    seen.probabilities = sharesOf(pass.logits().data() + at * images::kShapeKinds);
    for (Index head = 0; head < s.layers * s.heads; ++head) {
      const auto row = pass.weights(head / s.heads).matrix({at, head % s.heads}).row(0);
      seen.rows.emplace_back(row.begin(), row.end());
    }
  }
  return true;
}

std::optional<ShapeMoment> LiveShapes::Live::advance(const Request& request,
                                                     const std::atomic<bool>& cancelled) {
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  if (!run_) {
    run_.emplace(settings_, budget_);
    touched_ = images::touchedShare(settings_.model);
  }
  request.due.advance(*run_, execution);
  const bool rests = !request.playing || run_->finished();
  // at rest the answers are those of the shown step
  if ((rests || run_->evaluations().empty()) && !run_->stopped() && !run_->evaluate(execution)) {
    return std::nullopt;
  }
  ShapeMoment moment;
  moment.settings = run_->settings();
  moment.stepsTaken = run_->stepsTaken();
  moment.example = request.example;
  moment.touchedShare = touched_;
  moment.records = run_->records();
  moment.evaluations = run_->evaluations();
  if (!look(moment, shownModel(moment, request.due.look), execution)) return std::nullopt;
  moment.stopped = run_->stopped();
  moment.finished = run_->finished();
  moment.trainingMs = run_->trainingMs();
  moment.number = ++moments_;
  return moment;
}

LiveShapes::LiveShapes(Scheduler& scheduler, Index memoryBudgetBytes,
                       std::shared_ptr<const ShapeMoment> shown)
    : WatchedRun(scheduler, memoryBudgetBytes, kFastShapeSeconds, 0.0, std::move(shown)) {
  if (moment() == nullptr) return;
  begunLast_ = moment()->settings;
  example_ = moment()->example;
}

void LiveShapes::begin(const images::ShapeSettings& settings) {
  begunLast_ = settings;
  checkTraining(settings, memoryBudget());
  run_ = std::make_shared<Live>(settings, memoryBudget(), ++begun_ << 32U);
  WatchedRun::show(nullptr, true);
}

bool LiveShapes::isOf(const images::ShapeSettings& settings) const {
  return begunLast_ && begunLast_->model == settings.model && begunLast_->seed == settings.seed;
}

void LiveShapes::setAside() {
  aside_ = Aside{std::exchange(run_, nullptr), moment(), std::exchange(begunLast_, std::nullopt),
                 lookedAt()};
  aside_->speed = resetSpeed();
  WatchedRun::show(nullptr, false);
}

void LiveShapes::bringBack() {
  if (!aside_) return;
  Aside own = *std::exchange(aside_, std::nullopt);
  run_ = std::move(own.run);
  begunLast_ = own.begunLast;
  WatchedRun::show(std::move(own.moment), run_ != nullptr, own.look);
  setSpeed(own.speed);
}

void LiveShapes::setExample(Index example) {
  if (example_ == example) return;
  example_ = example;
  outdate();
}

void LiveShapes::follow(double now) {
  auto due = takeDue(now);
  if (!due) return;
  Request request{std::move(*due), example_, playing()};
  WatchedRun::request(
      [live = run_, request = std::move(request)](const std::atomic<bool>& cancelled) {
        return live->advance(request, cancelled);
      });
}

}  // namespace headscope
