// Film file: pictures of one size, one after another, as an animated WebP, GIF or MP4 file. It is
// written next to its target and takes its place at the end; a film that is stopped or fails leaves
// nothing. Safe on any thread, one at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/film.h"
#include "app/host/image.h"
#include "core/base/index.h"
#include "core/base/temporary_file.h"

namespace headscope::host {

/// The format of a film, and the pictures that it consists of.
struct FilmFormat {
  int width = 0, height = 0;  // of every picture, in pixels
  int fps = 20;
};

class FilmFile {
 public:
  /// Begins the file, in the format of the path's ending. Throws UserError for another ending, for
  /// a format that whyNoFilm() refuses, and where the folder cannot be written.
  static std::unique_ptr<FilmFile> begin(const std::filesystem::path& path,
                                         const FilmFormat& format);
  virtual ~FilmFile() = default;
  FilmFile(const FilmFile&) = delete;
  FilmFile& operator=(const FilmFile&) = delete;

  /// Adds the next picture. One that equals the picture before only lengthens it. Throws UserError.
  void add(Image picture);
  /// Writes the rest and puts the file in its place. Throws UserError.
  void finish();

 protected:
  FilmFile(const std::filesystem::path& path, const FilmFormat& format);

  const FilmFormat& format() const { return format_; }
  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& temporary() const { return temporary_.path(); }
  /// Time of a picture in parts of a second, as whole numbers: 20 of 1000 parts at 20 a second are
  /// 50 each, and no rounding adds up.
  Index timeOf(Index picture, Index parts) const;
  [[noreturn]] void fail(const std::string& why) const;

 private:
  /// Writes a picture that is shown from picture number `from` to `to`, which follows it.
  virtual void write(const Image& picture, Index from, Index to) = 0;
  /// Completes the temporary file.
  virtual void close() = 0;
  void writeHeld();

  std::filesystem::path path_;
  FilmFormat format_;
  std::filesystem::path target_;
  TemporaryFile temporary_;
  std::optional<Image> held_;  // not written yet: it may last longer
  Index heldFrom_ = 0, added_ = 0;
};

// The writers of each format, in files of their own.
std::unique_ptr<FilmFile> beginWebp(const std::filesystem::path& path, const FilmFormat& format);
std::unique_ptr<FilmFile> beginGif(const std::filesystem::path& path, const FilmFormat& format);
std::unique_ptr<FilmFile> beginMp4(const std::filesystem::path& path, const FilmFormat& format);

}  // namespace headscope::host
