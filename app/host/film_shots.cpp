#include "app/host/film_shots.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/live_language.h"
#include "app/live_training.h"
#include "app/ui/filmed_part.h"
#include "app/ui/stage/journey.h"
#include "app/view_json.h"
#include "core/base/error.h"
#include "core/base/execution.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/history.h"

namespace headscope::host {
namespace {

/// The time of the frames between two pictures: they let layouts settle, and nothing moves.
constexpr double kNoTime = 1e-6;
constexpr int kMostFramesBetween = 40;

/// A program that a film shows.
class FilmedProgram {
 public:
  FilmedProgram(const AppOptions& options, Offscreen& offscreen)
      : offscreen_(offscreen), program_(options) {
    program_.finish();
    if (!program_.trace()) throw UserError(program_.message());
    settleFrames(offscreen_.input(), program_);
    offscreen_.input().setFrameTime(kNoTime);
  }

  App& program() { return program_; }
  ui::ViewState& view() { return program_.view(); }

  /// Draws the program `seconds` after the last picture, with all results that it asks for.
  Image after(double seconds) {
    offscreen_.input().advance(seconds);
    int frames = 0;
    do {
      offscreen_.input().frame(program_);
    } while (program_.finish() && ++frames < kMostFramesBetween);
    return offscreen_.drawFrame(program_);
  }

 private:
  Offscreen& offscreen_;
  App program_;
};

/// Flow's timeline or the stage's journey, played.
class PlayShots final : public FilmShots {
 public:
  PlayShots(const PictureRequest& request, Offscreen& offscreen)
      : film_(*request.film), filmed_(begun(request), offscreen) {}

  Image next() override {
    if (std::exchange(plays_, true)) return filmed_.after(1.0 / film_.fps);
    ui::FrameState& frame = filmed_.view().frame;
    (ui::filmsJourney(filmed_.view()) ? frame.stagePlaying : frame.playing) = true;
    return filmed_.after(0.0);
  }

 private:
  /// The program at the first picture: what is not under way begins at its start.
  static AppOptions begun(const PictureRequest& request) {
    AppOptions options = request.program;
    ui::ViewState& view = options.view;
    const DocumentPtr& document =
        options.history != nullptr ? options.history->current() : options.document;
    const ui::FilmedPart part = ui::filmedPart(view, document->config);
    view.preferences.animate = true;
    view.preferences.playSpeed = static_cast<float>(ui::speedOf(*request.film, part));
    if (ui::filmsJourney(view)) {
      view.stage.at = ui::journeyAt(part.start);
    } else {
      view.selection.playTime = part.start;
    }
    return options;
  }

  FilmSettings film_;
  FilmedProgram filmed_;
  bool plays_ = false;
};

/// A training run from its first step to the last one that it has taken, at an even pace.
class RunShots final : public FilmShots {
 public:
  RunShots(const PictureRequest& request, Offscreen& offscreen)
      : pictures_(picturesOf(*request.film)),
        steps_(learnsLanguage(request.program.view.train) ? request.program.language->stepsTaken
                                                          : request.program.training->stepsTaken),
        filmed_(request.program, offscreen) {}

  Image next() override {
    const Index last = std::max<Index>(1, pictures_ - 1);
    filmed_.program().lookAt((2 * shown_++ * steps_ + last) / (2 * last));
    return filmed_.after(0.0);
  }

 private:
  Index pictures_, steps_;
  Index shown_ = 0;
  FilmedProgram filmed_;
};

/// The scenes of a session for equal times, each fading in over the one before.
class SceneShots final : public FilmShots {
 public:
  SceneShots(const PictureRequest& request, Offscreen& offscreen)
      : request_(request), offscreen_(offscreen), pictures_(picturesOf(*request.film)) {
    if (request_.program.scenes.empty()) {
      throw UserError("there is no scene to film: keep some with ctrl+1 … ctrl+9 first");
    }
  }

  Image next() override {
    const auto scenes = std::ssize(request_.program.scenes);
    const Index scene = shown_ * scenes / pictures_;
    if (scene != scene_) {
      before_ =
          std::exchange(now_, drawn(request_.program.scenes[static_cast<std::size_t>(scene)]));
      scene_ = scene;
      since_ = 0;
    }
    ++shown_;
    const Index fading =
        std::min<Index>(std::lround(kFadeSeconds * request_.film->fps), pictures_ / scenes / 2);
    if (before_.rgba.empty() || since_ >= fading) return now_;
    return mixed(static_cast<float>(++since_) / static_cast<float>(fading + 1));
  }

 private:
  static constexpr double kFadeSeconds = 0.25;

  Image drawn(const formats::SavedScene& scene) {
    AppOptions options = request_.program;
    options.scene = scene.number;
    options.history = nullptr;
    options.document = scene.document;
    ExecutionContext execution;
    execution.threads = options.threads;
    auto trace = std::make_shared<Trace>(*runAttention(scene.document, nullptr, execution));
    trace->ms = 0.0;  // on the status bar, and different each time
    options.trace = std::move(trace);
    options.view = viewFromJson(scene.view, options.view);
    options.view.preferences.animate = false;
    App program(std::move(options));
    program.finish();
    if (!program.trace()) throw UserError(program.message());
    return offscreen_.draw(program);
  }

  /// The scene over the one before it; `share` of it, 0 … 1.
  Image mixed(float share) const {
    Image image = before_;
    for (std::size_t i = 0; i < image.rgba.size(); ++i) {
      const auto from = static_cast<float>(before_.rgba[i]);
      const auto to = static_cast<float>(now_.rgba[i]);
      image.rgba[i] = static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
    }
    return image;
  }

  PictureRequest request_;
  Offscreen& offscreen_;
  Index pictures_;
  Index shown_ = 0, scene_ = -1, since_ = 0;
  Image before_, now_;
};

}  // namespace

std::unique_ptr<FilmShots> filmShots(const PictureRequest& request, Offscreen& offscreen) {
  switch (request.film->of) {
    case FilmOf::run:
      return std::make_unique<RunShots>(request, offscreen);
    case FilmOf::scenes:
      return std::make_unique<SceneShots>(request, offscreen);
    case FilmOf::play:
      break;
  }
  return std::make_unique<PlayShots>(request, offscreen);
}

}  // namespace headscope::host
