// The rows of the export dialog for a film (see export_rows.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/export_rows.h"
#include "app/ui/filmed_part.h"
#include "app/ui/panel.h"
#include "app/ui/stage/stage_story.h"
#include "app/ui/timeline/timeline_view.h"
#include "app/ui/view_state.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr std::array kFilmRates{10, 15, 20, 25, 30};
constexpr std::array kFilmSpeeds{0.5, 1.0, 2.0, 4.0, 8.0, 0.0};
constexpr const char* kSecondsProblem = trLater("The film lasts 1 to 600 seconds.");

std::string filmTitle(const PanelContext& panel, FilmOf of) {
  switch (of) {
    case FilmOf::run:
      return tr("training run");
    case FilmOf::scenes:
      return "scenes";
    case FilmOf::play:
      break;
  }
  return panel.selection.page == kStagePage
             ? trFormat("way of the {}", tokenNoun(panel.trace.document()).one)
             : tr("timeline");
}

/// Draws a row of choices. Returns the clicked one, or −1.
int choiceRow(const FrameContext& look, const char* caption, const std::vector<std::string>& titles,
              int chosen) {
  std::vector<const char*> shown;
  for (const std::string& title : titles) shown.push_back(title.c_str());
  exportCaption(look, caption);
  return choices(look, caption, shown, chosen);
}

void subjectRow(const PanelContext& panel, ExportDialogMemory& memory,
                const std::vector<FilmOf>& films) {
  FilmOf& of = memory.choice.film.of;
  auto chosen = std::ranges::find(films, of);
  if (chosen == films.end()) {
    chosen = films.begin();
    of = *chosen;
    memory.changed();
  }
  std::vector<std::string> titles;
  for (const FilmOf film : films) titles.push_back(filmTitle(panel, film));
  const int clicked =
      choiceRow(panel.look, tr("film of"), titles, static_cast<int>(chosen - films.begin()));
  if (clicked < 0) return;
  of = films[static_cast<std::size_t>(clicked)];
  memory.changed();
}

void formatRow(const FrameContext& look, ExportDialogMemory& memory,
               const std::vector<FilmKind>& kinds) {
  constexpr std::array kTitles{"WebP", "GIF", "MP4"};
  std::vector<std::string> titles;
  for (const FilmKind kind : kinds) titles.emplace_back(kTitles[static_cast<std::size_t>(kind)]);
  auto chosen = std::ranges::find(kinds, memory.choice.filmKind);
  if (chosen == kinds.end() && !memory.choice.named) {  // the host does not make the usual one
    chosen = kinds.begin();
    memory.choice.filmKind = *chosen;
    memory.changed();
  }
  const int clicked = choiceRow(look, "format", titles, static_cast<int>(chosen - kinds.begin()));
  const std::string whyNoMp4 = whyNoFilm(FilmKind::mp4);
  tip(look, whyNoMp4.empty() ? tr("WebP keeps every pixel; MP4 is for presentations without WebP")
                             : tr("WebP keeps every pixel. ") + whyNoMp4);
  if (clicked < 0) return;
  memory.choice.filmKind = kinds[static_cast<std::size_t>(clicked)];
  memory.changed();
}

void sizeRow(const PanelContext& panel, ExportDialogMemory& memory) {
  pictureFollowsWindow(panel, memory);
  std::vector<std::string> titles;
  for (const FilmSize size : {FilmSize::hd, FilmSize::fullHd, FilmSize::window}) {
    ExportChoice other = memory.choice;
    other.filmSize = size;
    const FilmSides sides = filmSides(other);
    titles.push_back(fmt::format("{} × {}", sides.width, sides.height));
  }
  const int clicked =
      choiceRow(panel.look, "size", titles, static_cast<int>(memory.choice.filmSize));
  if (clicked < 0) return;
  memory.choice.filmSize = static_cast<FilmSize>(clicked);
  memory.answer.clear();
}

void secondsRow(const FrameContext& look, ExportDialogMemory& memory) {
  FilmSettings& film = memory.choice.film;
  exportCaption(look, tr("seconds"));
  const auto now = static_cast<Index>(film.seconds);
  const NumberChange change =
      numberField(look, {"seconds", now, !memory.seconds.problem.empty()}, memory.seconds);
  const Index next = change.value.value_or(now) + change.stepped;
  if (change.notANumber || next < 1 || static_cast<double>(next) > kMaxFilmSeconds) {
    memory.seconds.problem = tr(kSecondsProblem);
  } else if (next != now || change.value) {
    memory.seconds.problem.clear();
    film.seconds = static_cast<double>(next);
    memory.answer.clear();
  }
}

void rateRow(const FrameContext& look, FilmSettings& film) {
  std::vector<std::string> titles;
  for (const int fps : kFilmRates) titles.push_back(std::to_string(fps));
  const auto chosen = std::ranges::find(kFilmRates, film.fps);
  const int clicked = choiceRow(look, "fps", titles, static_cast<int>(chosen - kFilmRates.begin()));
  tip(look, tr("Pictures a second: more move smoother, and the file is larger"));
  if (clicked >= 0) film.fps = kFilmRates[static_cast<std::size_t>(clicked)];
}

void speedRow(const FrameContext& look, FilmSettings& film) {
  std::vector<std::string> titles;
  for (const double speed : kFilmSpeeds) {
    titles.push_back(speed > 0.0 ? fmt::format("{:g}×", speed) : tr("to the end"));
  }
  const auto chosen = std::ranges::find(kFilmSpeeds, film.speed);
  const int clicked =
      choiceRow(look, "speed", titles, static_cast<int>(chosen - kFilmSpeeds.begin()));
  tip(look, tr("Seconds of playing in a second of the film; to the end: as fast as it takes"));
  if (clicked >= 0) film.speed = kFilmSpeeds[static_cast<std::size_t>(clicked)];
}

/// "0:10 to 0:22 of 1:31": the part of the timeline or of the journey that the film shows.
std::string playedInWords(const PanelContext& panel, const FilmSettings& film) {
  const FilmedPart part = filmedPart(panel.view, panel.trace.config());
  const double end = std::min(part.length, part.start + film.seconds * speedOf(film, part));
  return trFormat("{} to {} of {}", clockText(part.start), clockText(end), clockText(part.length));
}

std::string filmInWords(const PanelContext& panel, const ExportDialogMemory& memory,
                        const ExportSources& sources) {
  const FilmSettings& film = memory.choice.film;
  std::string words = trFormat("{} pictures", withThousands(picturesOf(film)));
  if (film.of == FilmOf::play) {
    words += ", " + playedInWords(panel, film);
  } else if (film.of == FilmOf::run) {
    words += tr(": the run from its start to the step where it is");
  } else {
    words += trFormat(": {} scenes for {:.1f} s each", sources.scenes,
                      film.seconds / static_cast<double>(sources.scenes));
  }
  return words;
}

}  // namespace

void filmRows(const PanelContext& panel, ExportDialogMemory& memory, const ExportSources& sources) {
  const FrameContext& look = panel.look;
  FilmSettings& film = memory.choice.film;
  subjectRow(panel, memory, sources.films);
  if (film.of != FilmOf::scenes) pictureView(panel, memory, sources);
  formatRow(look, memory, sources.filmKinds);
  sizeRow(panel, memory);
  secondsRow(look, memory);
  rateRow(look, film);
  if (film.of == FilmOf::play) speedRow(look, film);
  pictureTheme(look, memory);
  wrappedLabel(look.fonts.small, look.theme.textMuted, filmInWords(panel, memory, sources));
}

std::string filmProblem(const ExportDialogMemory& memory) {
  if (!memory.seconds.problem.empty()) return memory.seconds.problem;
  return whyNoFilm(memory.choice.filmKind);
}

void filmProgress(const FrameContext& look, const FilmProgress& film) {
  label(look.fonts.small, look.theme.textMuted,
        trFormat("picture {} of {}", film.drawn, film.pictures));
  const ImVec2 size{ImGui::GetContentRegionAvail().x, look.px(5)};
  const float done = static_cast<float>(film.drawn) / static_cast<float>(film.pictures);
  drawProgress(look, ImGui::GetCursorScreenPos(), size, done);
  ImGui::Dummy(size);
}

}  // namespace headscope::ui
