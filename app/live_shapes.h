// Live shapes: an image model that learns to name drawn shapes, trained in the background at an
// observable pace. Each moment shows the model of one step: what it says of three pictures that
// differ in their form alone, and where its class token looks in them.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/watched_run.h"
#include "core/formats/pictures/picture.h"
#include "core/images/shape_trainer.h"

namespace headscope {

/// A picture as the model of a step sees it.
struct SeenShape {
  std::shared_ptr<const formats::Picture> picture;
  std::vector<bool> touched;  // for each patch, whether the shape touches it
  std::array<double, images::kShapeKinds> probabilities{};
  /// The class token's weights on all tokens, by head, layer by layer.
  std::vector<std::vector<float>> rows;
};

/// A snapshot of a run.
struct ShapeMoment {
  images::ShapeSettings settings;
  Index stepsTaken = 0;
  Index step = 0;     // the step whose model is shown: stepsTaken, or an earlier one
  Index example = 0;  // which pictures are shown, from 0
  std::array<SeenShape, images::kShapeKinds> seen;  // of each kind
  double touchedShare = 0.0;                        // of all tokens, over the held-out pictures
  std::vector<model_training::StepRecord> records;
  std::vector<images::ShapeEvaluation> evaluations;
  std::optional<training::Stop> stopped;
  bool finished = false;
  double trainingMs = 0.0;
  std::uint64_t number = 0;  // identifies this moment

  /// The newest evaluation at or before the shown step; null before the first.
  const images::ShapeEvaluation* evaluation() const { return newestAt(evaluations, step); }
  const model_training::StepRecord* record() const { return newestAt(records, step); }
};

class LiveShapes : public WatchedRun<images::ShapeTrainer, ShapeMoment> {
 public:
  /// `shown`: a moment of another run, for a picture of it; nothing is trained then.
  LiveShapes(Scheduler& scheduler, Index memoryBudgetBytes,
             std::shared_ptr<const ShapeMoment> shown = nullptr);

  /// Starts a new run, paused. Throws UserError for invalid settings; the present run is kept then.
  void begin(const images::ShapeSettings& settings);
  /// Returns whether the run last begun, or refused, has this model and seed.
  bool isOf(const images::ShapeSettings& settings) const;

  /// Sets the run aside, as if none had ever begun, until bringBack() shows it again.
  void setAside();
  void bringBack();

  /// The pictures that later moments show, from 0.
  void setExample(Index example);

  /// Takes the newest moment and requests the steps due at `now`, in seconds. Call it once a frame.
  void follow(double now);

 private:
  struct Live;  // the thread's state of one run, shared so that it outlives a replaced run
  struct Request {
    StepsDue<images::ShapeTrainer> due;
    Index example = 0;
    bool playing = false;
  };
  /// A run that is set aside.
  struct Aside {
    std::shared_ptr<Live> run;
    std::shared_ptr<const ShapeMoment> moment;
    std::optional<images::ShapeSettings> begunLast;
    std::optional<Index> look;
    double speed = 0.0;
  };

  std::shared_ptr<Live> run_;
  std::optional<images::ShapeSettings> begunLast_;
  std::optional<Aside> aside_;
  std::uint64_t begun_ = 0;  // the number of runs begun, so that their moments' numbers differ
  Index example_ = 0;
};

}  // namespace headscope
