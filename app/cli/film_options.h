// Film options: the flags of render that make a film, and the training run that it shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/app.h"

namespace CLI {
class App;
}

namespace headscope::cli {

struct FilmOptions {
  std::string path;  // empty: no film
  std::optional<double> seconds, speed;
  std::optional<Index> fps;
  bool whole = false, scenes = false;

  /// The settings of the film. `of`: what it shows unless it shows scenes.
  FilmSettings settings(FilmOf of) const;
  /// Throws UserError for a flag that makes no sense without a film.
  void refuseWithoutFilm() const;
};

void addFilmOptions(CLI::App& app, FilmOptions& options);

struct TrainViewOptions {
  std::string task;  // empty: not given, as are the others
  std::optional<Index> layers, steps;
  // flags of a pass, which --view train shares
  std::optional<Index> dModel, heads;
  std::optional<std::uint64_t> seed;
};

void addTrainViewOptions(CLI::App& app, TrainViewOptions& options);

/// Trains the run of the flags to its end and lets the program show it on the page Train. Prints
/// its progress on stderr.
void trainFor(AppOptions& program, const TrainViewOptions& options);

/// Makes the film. Prints its progress on stderr.
void makeFilm(const PictureRequest& request, const std::string& shaderDir);

}  // namespace headscope::cli
