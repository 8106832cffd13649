#include "app/film.h"

#include "core/base/translation.h"
#include "core/platform/child_process.h"

namespace headscope {

std::string whyNoFilm(FilmKind kind) {
#ifndef HEADSCOPE_WEBPMUX
  if (kind == FilmKind::webp) {
    return tr(
        "this build has no libwebpmux, which writes animated WebP files: choose another format");
  }
#endif
#ifndef HEADSCOPE_GIF
  if (kind == FilmKind::gif) {
    return tr("this build has no giflib, which writes GIF files: choose another format");
  }
#endif
  if (kind == FilmKind::mp4 && platform::findProgram("ffmpeg").empty()) {
    return tr(
        "MP4 files are written by the program ffmpeg, which is not installed: install it (on "
        "Debian and Ubuntu, apt install ffmpeg), or choose .webp or .gif");
  }
  return {};
}

std::vector<FilmKind> filmKinds() {
  std::vector<FilmKind> kinds;
  for (const FilmKind kind : {FilmKind::webp, FilmKind::gif, FilmKind::mp4}) {
    if (whyNoFilm(kind).empty()) kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace headscope
