// Film shots: the pictures of a film, one after another, by what it is a film of. Each begins with
// the program as a picture of it would show it.
#pragma once

#include <memory>

#include "app/app.h"
#include "app/host/image.h"
#include "app/host/offscreen.h"

namespace headscope::host {

class FilmShots {
 public:
  FilmShots() = default;
  virtual ~FilmShots() = default;
  FilmShots(const FilmShots&) = delete;
  FilmShots& operator=(const FilmShots&) = delete;

  /// Draws the next picture. The offscreen surface's contexts are current.
  virtual Image next() = 0;
};

/// The shots of a request for a film, drawn on a surface of its size, which must outlive them.
/// Throws UserError where its pass is refused, and where there is nothing to film.
std::unique_ptr<FilmShots> filmShots(const PictureRequest& request, Offscreen& offscreen);

}  // namespace headscope::host
