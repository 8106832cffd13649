// Live generation: a model goes on with its text beside the frames, token by token, until as many
// are made as were asked for or it is halted. What was made stays to be looked at, and can be gone
// on with, until the model has another text or is edited.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/background.h"
#include "core/model/generation.h"

namespace headscope {

/// What there is of it at one time.
struct GenerationMoment {
  struct Made {
    model::Prediction token;
    double ms = 0.0;  // its row through all layers, and the logits after it
  };
  std::vector<Made> made;
  Index tokens = 0, room = 0;  // whose keys and values are kept, and how many can be
  bool ended = false;          // by a token with which the model ends a text
  bool finished = false;       // so, or as many as were asked for
  std::uint64_t begun = 0;     // tells it from another one's

  std::vector<Index> ids() const;
};

class LiveGeneration {
 public:
  LiveGeneration() = default;

  void setWake(std::function<void()> wake) { thread_.setWake(std::move(wake)); }

  /// Goes on from a pass by at most `mostNew` tokens; what an earlier one made is gone.
  void begin(model::ModelTracePtr from, const model::Sampling& sampling, Index mostNew);
  void play(bool on) { playing_ = on && run_ != nullptr; }
  bool playing() const { return playing_; }

  /// Once a frame: takes what is there and asks for more. What goes on from another pass than
  /// `present` (null: none) is dropped.
  void follow(const model::ModelTracePtr& present);
  /// It wants to be followed at once.
  bool due() const { return playing_ && !thread_.busy(); }
  /// Null before the first.
  std::shared_ptr<const GenerationMoment> moment() const { return moment_; }
  /// Why it could not go on.
  const std::string& problem() const { return problem_; }
  /// Waits until nothing is computed. True where there is a moment that was not taken.
  bool finish() { return thread_.wait(); }
  /// What is being computed ends.
  void stop() { thread_.stop(); }

 private:
  struct Run;
  void requestNext();

  std::shared_ptr<Run> run_;
  model::ModelTracePtr from_;
  std::shared_ptr<const GenerationMoment> moment_;
  std::string problem_;
  std::uint64_t begun_ = 0;
  bool playing_ = false;
  BackgroundTask<GenerationMoment> thread_;  // last: gone before what it writes
};

}  // namespace headscope
