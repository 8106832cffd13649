// Live generation: a model continues its text in the background, token by token, up to the
// requested number or until it is paused. The tokens remain, and can be continued, until the model
// gets another text or is edited.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/background_task.h"
#include "core/model/generation.h"

namespace headscope {

/// A snapshot of the generation.
struct GenerationMoment {
  struct Made {
    model::ChosenToken token;
    double ms = 0.0;  // the time of its row through all layers and of its logits
    /// The row that predicted it, of a decoder with a memory: as Decoder::memoryWeights().
    std::vector<Tensor> memoryWeights = {};
  };
  std::vector<Made> made;
  Index tokens = 0, room = 0;  // the number of tokens in the KV cache, and its capacity
  bool ended = false;          // the model produced a token that ends a text, or was forced to
  bool finished = false;       // `ended`, or the requested number is reached
  std::uint64_t begun = 0;     // the number of the generation

  std::vector<Index> ids() const;
};

class LiveGeneration {
 public:
  explicit LiveGeneration(Scheduler& scheduler) : task_(scheduler) {}

  void setWake(std::function<void()> wake) { task_.setWake(std::move(wake)); }

  /// Computes another pass of the same text, which is continued; a null one where cancelled.
  using OtherPass = std::function<model::Beginning(const ExecutionContext&)>;
  /// Starts a generation of at most `mostNew` tokens after a pass, or after `other` of it; discards
  /// the one before.
  void begin(model::ModelTracePtr from, const model::Sampling& sampling, Index mostNew,
             OtherPass other = nullptr);
  void play(bool on) { playing_ = on && run_ != nullptr; }
  bool playing() const { return playing_; }

  /// Takes new tokens and requests more. Call it once a frame. Drops a generation that continues
  /// another pass than `present` (null: none).
  void follow(const model::ModelTracePtr& present);
  /// Returns whether follow() is to be called at once.
  bool due() const { return playing_ && !task_.busy(); }
  /// The newest snapshot; null before the first.
  std::shared_ptr<const GenerationMoment> moment() const { return moment_; }
  /// The reason why the generation could not continue.
  const std::string& problem() const { return problem_; }
  /// Waits until nothing is computed. Returns whether a snapshot can be taken.
  bool finish() { return task_.wait(); }
  /// Cancels the running computation.
  void stop() { task_.stop(); }

 private:
  struct Run;
  void requestNext();

  std::shared_ptr<Run> run_;
  model::ModelTracePtr from_;
  std::shared_ptr<const GenerationMoment> moment_;
  std::string problem_;
  std::uint64_t begun_ = 0;
  bool playing_ = false;
  BackgroundTask<GenerationMoment> task_;  // last: destroyed before the members that it writes
};

}  // namespace headscope
