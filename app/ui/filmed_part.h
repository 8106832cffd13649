// Filmed part: where a film of what plays begins, and how long there is to play.
#pragma once

#include "app/film.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::ui {

struct ViewState;

/// Seconds of Flow's timeline, or of the stage's journey where the view shows that.
struct FilmedPart {
  double start = 0.0;  // where the view is; the beginning where nothing is under way
  double length = 0.0;
};

/// Returns whether a film of this view is one of the journey.
bool filmsJourney(const ViewState& view);
FilmedPart filmedPart(const ViewState& view, const AttentionConfig& config);

/// The seconds of playing in a second of the film.
double speedOf(const FilmSettings& film, const FilmedPart& part);

}  // namespace headscope::ui
