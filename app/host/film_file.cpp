#include "app/host/film_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/base/error.h"
#include "core/platform/paths.h"

namespace headscope::host {

FilmFile::FilmFile(const std::filesystem::path& path, const FilmFormat& format)
    : path_(path), format_(format), target_(fileToReplace(path)), temporary_(target_) {}

std::unique_ptr<FilmFile> FilmFile::begin(const std::filesystem::path& path,
                                          const FilmFormat& format) {
  const std::optional<FilmKind> kind = filmKindOf(path);
  if (!kind) {
    throw UserError(fmt::format("{}: the name of a film ends in {}", path.string(),
                                fmt::join(kFilmEndings, " or ")));
  }
  if (const std::string why = whyNoFilm(*kind); !why.empty()) {
    throw UserError(fmt::format("{}: {}", path.string(), why));
  }
  if (platform::exists(path) && !platform::isRegularFile(path) && !platform::isFolder(path)) {
    throw UserError(
        fmt::format("{}: a film is written to a file, not to a device or a pipe", path.string()));
  }
  switch (*kind) {
    case FilmKind::webp:
      return beginWebp(path, format);
    case FilmKind::gif:
      return beginGif(path, format);
    case FilmKind::mp4:
      break;
  }
  return beginMp4(path, format);
}

Index FilmFile::timeOf(Index picture, Index parts) const {
  return (2 * picture * parts + format_.fps) / (2 * format_.fps);
}

void FilmFile::fail(const std::string& why) const {
  throw UserError(fmt::format("{}: {}", path_.string(), why));
}

void FilmFile::add(Image picture) {
  if (picture.width != format_.width || picture.height != format_.height) {
    fail(fmt::format("a picture of {} × {} pixels in a film of {} × {}", picture.width,
                     picture.height, format_.width, format_.height));
  }
  if (!held_ || held_->rgba != picture.rgba) {
    writeHeld();
    held_ = std::move(picture);
    heldFrom_ = added_;
  }
  ++added_;
}

void FilmFile::writeHeld() {
  if (held_) write(*held_, heldFrom_, added_);
}

void FilmFile::finish() {
  writeHeld();
  held_.reset();
  close();
  temporary_.renameTo(target_);
}

}  // namespace headscope::host
