// Film between frames: the film that a window makes, one picture after each of its own frames.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include "app/app.h"
#include "app/host/film.h"

namespace headscope::host {

class FilmBetweenFrames {
 public:
  /// `makeCurrent` makes the window's OpenGL context current, or none (false). The application must
  /// outlive this object.
  FilmBetweenFrames(App& app, std::filesystem::path shaderDir,
                    std::function<void(bool)> makeCurrent)
      : app_(app), shaderDir_(std::move(shaderDir)), makeCurrent_(std::move(makeCurrent)) {}
  /// Drops a film that is under way.
  ~FilmBetweenFrames();
  FilmBetweenFrames(const FilmBetweenFrames&) = delete;
  FilmBetweenFrames& operator=(const FilmBetweenFrames&) = delete;

  /// Begins a film. A failure is reported as for a picture.
  void begin(PictureRequest request);
  /// Draws a picture of the film, reports how far it is, and ends it where it is whole, has failed
  /// or was stopped.
  void work();
  bool busy() const { return film_ != nullptr; }

 private:
  /// Runs a part of the work. Drops the film where that fails.
  void attempt(const std::function<void()>& part);

  App& app_;
  std::filesystem::path shaderDir_;
  std::function<void(bool)> makeCurrent_;
  PictureRequest request_;
  std::unique_ptr<Film> film_;
};

/// Returns a function that throws the exception that is handled at present, for
/// App::pictureDrawn().
std::function<void()> writeThatFails();

}  // namespace headscope::host
