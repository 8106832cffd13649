// Film: what a film shows, and how long, fast and smooth it is. Its clock is its own: picture n is
// at n / fps seconds, however long a picture takes to draw, so that a film depends on no machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/index.h"

namespace headscope {

enum class FilmOf {
  play,    // Flow's timeline or the stage's journey, from where the view is
  run,     // a training run, from its start to where it is
  scenes,  // a session's scenes, one after another
};

/// The formats of a film's file, in the order of kFilmEndings.
enum class FilmKind { webp, gif, mp4 };
inline constexpr std::array<std::string_view, 3> kFilmEndings{".webp", ".gif", ".mp4"};

inline constexpr double kMinFilmSeconds = 0.1, kMaxFilmSeconds = 600.0;
inline constexpr int kMaxFilmFps = 50;  // the shortest picture of a GIF file is 1/50 second
inline constexpr double kMinFilmSpeed = 0.25, kMaxFilmSpeed = 20.0;

struct FilmSettings {
  FilmOf of = FilmOf::play;
  double seconds = 12.0;
  int fps = 20;
  double speed = 1.0;  // seconds of playing in a second of the film; 0: it plays to its end
};

/// Returns why this machine or this build cannot write such films, as the end of a sentence; empty:
/// it can.
std::string whyNoFilm(FilmKind kind);
/// The formats that can be written here.
std::vector<FilmKind> filmKinds();

/// How far a film is.
struct FilmProgress {
  Index drawn = 0, pictures = 1;
};

/// The number of pictures, at least one.
inline Index picturesOf(const FilmSettings& film) {
  return std::max<Index>(1, std::lround(film.seconds * film.fps));
}

/// The format of a file by its ending, if any.
inline std::optional<FilmKind> filmKindOf(const std::filesystem::path& path) {
  for (std::size_t kind = 0; kind < kFilmEndings.size(); ++kind) {
    if (path.extension() == kFilmEndings[kind]) return static_cast<FilmKind>(kind);
  }
  return std::nullopt;
}

}  // namespace headscope
