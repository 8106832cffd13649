#include "app/host/film_between_frames.h"

#include <exception>
#include <string>
#include <utility>

#include "app/gl/error.h"
#include "core/base/error.h"

namespace headscope::host {

std::function<void()> writeThatFails() {
  try {
    throw;
  } catch (const gl::Error& error) {  // the user needs to know what the driver lacks
    return [why = std::string(error.what())] { throw UserError(why); };
  } catch (const std::exception&) {
    return [error = std::current_exception()] { std::rethrow_exception(error); };
  }
}

FilmBetweenFrames::~FilmBetweenFrames() {
  if (film_ == nullptr) return;
  makeCurrent_(false);
  film_.reset();
  makeCurrent_(true);
}

void FilmBetweenFrames::attempt(const std::function<void()>& part) {
  makeCurrent_(false);
  try {
    part();
  } catch (const std::exception&) {
    film_.reset();
    app_.pictureDrawn(request_, writeThatFails());
  }
  makeCurrent_(true);
}

void FilmBetweenFrames::begin(PictureRequest request) {
  request_ = std::move(request);
  attempt([&] { film_ = std::make_unique<Film>(request_, shaderDir_, app_.scheduler()); });
}

void FilmBetweenFrames::work() {
  attempt([&] {
    film_->work();
    if (film_->finished()) {
      film_.reset();
      app_.pictureDrawn(request_, [] {});
    } else if (!app_.reportFilmProgress(film_->progress()) && !film_->closing()) {
      film_.reset();
      app_.filmStopped();
    }
  });
}

}  // namespace headscope::host
