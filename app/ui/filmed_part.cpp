#include "app/ui/filmed_part.h"

#include <algorithm>

#include "app/ui/stage/journey.h"
#include "app/ui/view_state.h"
#include "core/attention/config.h"
#include "core/words/moments.h"

namespace headscope::ui {

bool filmsJourney(const ViewState& view) {
  return view.selection.page == kStagePage && view.selection.focus != kStepViewCard;
}

FilmedPart filmedPart(const ViewState& view, const AttentionConfig& config) {
  FilmedPart part;
  if (filmsJourney(view)) {
    part.length = journeySeconds();
    if (view.stage.at && !atEnd(view.stage)) part.start = secondsOf(momentOf(view.stage));
    return part;
  }
  const Selection& chosen = view.selection;
  part.length = Timeline(config, {chosen.item, chosen.head, chosen.playQuery}).length();
  if (chosen.playTime.value_or(part.length) < part.length) part.start = *chosen.playTime;
  return part;
}

double speedOf(const FilmSettings& film, const FilmedPart& part) {
  if (film.speed > 0.0) return film.speed;
  return std::max(kMinFilmSpeed, (part.length - part.start) / film.seconds);
}

}  // namespace headscope::ui
