// Film: pictures of the program, drawn offscreen one after another on a clock of their own, and
// encoded meanwhile. The command line makes a film in one go, the window a piece between two
// frames:
//
//   Film film(request, shaderDir, scheduler);
//   while (!film.finished()) {
//     film.work();
//     film.wait();  // the window draws its frame instead
//   }
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "app/app.h"
#include "app/background_task.h"
#include "app/host/film_file.h"
#include "app/host/film_shots.h"
#include "app/host/offscreen.h"

namespace headscope::host {

class Film {
 public:
  /// Begins the film that the request describes, on an OpenGL context of its own. Throws UserError
  /// where its file cannot be written here, and where the pass is refused. No OpenGL context may be
  /// current before any call, and none is afterwards.
  Film(const PictureRequest& request, const std::filesystem::path& shaderDir, Scheduler& scheduler);
  /// A film that is not finished leaves no file.
  ~Film();
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  /// Draws a picture, unless the encoder still has to take the last one. Throws UserError.
  void work();
  /// Waits until work() has something to do.
  void wait();
  /// Returns whether all pictures are with the encoder, and the file is put in its place.
  bool closing() const { return closing_; }
  /// Returns whether the file is whole and in its place.
  bool finished() const { return finished_; }
  FilmProgress progress() const { return {drawn_, pictures_}; }

 private:
  void draw();

  Index pictures_;
  Index drawn_ = 0;
  bool closing_ = false, finished_ = false;
  std::shared_ptr<FilmFile> file_;
  std::unique_ptr<Offscreen> offscreen_;
  std::unique_ptr<FilmShots> shots_;
  std::shared_ptr<Image> next_;  // drawn, not yet with the encoder
  BackgroundTask<bool> encoding_;
};

/// Makes the film that the request describes. `report` is called after each picture.
void writeFilm(const PictureRequest& request, const std::filesystem::path& shaderDir,
               const std::function<void(const FilmProgress&)>& report);

}  // namespace headscope::host
