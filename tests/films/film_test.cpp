// Films: their first and last pictures are those that `render` draws at these times, they depend on
// no clock, and stopping one leaves no file.
#include "app/host/film.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/filmed_run.h"
#include "app/ui/stage/journey.h"
#include "app/ui/train/language_run_view.h"
#include "app/ui/train/train_page.h"
#include "app/view_json.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/document/trace.h"
#include "core/presets/presets.h"
#include "tests/core/test_files.h"
#include "tests/films/read_film.h"

namespace headscope::host {
namespace {

namespace fs = std::filesystem;

constexpr Index kFilmBudget = Index{2} << 30;

class FilmTest : public testing::Test {
 protected:
  /// A film of the by-hand example, 1 second long at 5 pictures a second.
  PictureRequest request(FilmOf of) {
    PictureRequest film;
    film.program.document = makePreset(presetByName("by-hand"), {}, kFilmBudget);
    auto trace = std::make_shared<Trace>(*runAttention(film.program.document));
    trace->ms = 0.0;  // as render leaves it out
    film.program.trace = std::move(trace);
    film.program.view.preferences.animate = false;
    film.program.threads = 1;
    film.width = 400;
    film.height = 260;
    film.path = folder_ / "f.webp";
    film.film = FilmSettings{of, 1.0, 5, 1.0};
    return film;
  }
  static std::vector<FilmPicture> made(const PictureRequest& request) {
    writeFilm(request, {}, [](const FilmProgress&) {});
    return readWebp(request.path);
  }
  TempFolder folder_;
};

TEST_F(FilmTest, OfTheTimelineBeginsAndEndsAsRenderShowsIt) {
  PictureRequest film = request(FilmOf::play);
  film.program.view.selection.focus = ui::kStepViewCard;
  film.film->speed = 4.0;
  const auto shown = made(film);
  ASSERT_GE(shown.size(), 2U);
  EXPECT_EQ(lengthOf(shown), 1000);
  film.program.view.selection.playTime = 0.0;
  EXPECT_EQ(largestDifference(shown.front().image, drawPicture(film)), 0);
  film.program.view.selection.playTime = 4.0 * 0.8;
  EXPECT_EQ(largestDifference(shown.back().image, drawPicture(film)), 0);
  EXPECT_GT(largestDifference(shown.front().image, shown.back().image), 0);
}

TEST_F(FilmTest, OfTheTimelineBeginsWhereTheViewIs) {
  PictureRequest film = request(FilmOf::play);
  film.program.view.selection.focus = ui::kStepViewCard;
  film.program.view.selection.playTime = 3.2;
  const auto shown = made(film);
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ(largestDifference(shown.front().image, drawPicture(film)), 0);
}

TEST_F(FilmTest, OfTheJourneyMoves) {
  PictureRequest film = request(FilmOf::play);
  film.program.view.selection.page = ui::kStagePage;
  film.program.view.selection.focus = ui::kSentenceCard;
  film.program.view.stage.at = ui::journeyAt(7.5);  // where the word becomes numbers
  film.film->speed = 2.0;
  const auto shown = made(film);
  EXPECT_EQ(shown.size(), 5U);
  EXPECT_LE(largestDifference(shown.front().image, drawPicture(film)), 2);
  film.program.view.stage.at = ui::journeyAt(7.5 + 2.0 * 0.8);
  EXPECT_LE(largestDifference(shown.back().image, drawPicture(film)), 2);
}

TEST_F(FilmTest, IsTheSameTwice) {
  PictureRequest film = request(FilmOf::play);
  made(film);
  const std::string first = readAll(film.path);
  ASSERT_FALSE(first.empty());
  made(film);
  EXPECT_TRUE(readAll(film.path) == first);
}

TEST_F(FilmTest, OfARunGoesFromItsStartToItsStep) {
  PictureRequest film = request(FilmOf::run);
  film.program.view.selection.page = ui::kTrainPage;
  film.program.view.selection.focus = ui::kLiveHeadsCard;
  Scheduler scheduler;
  LiveTraining training(scheduler, kFilmBudget);
  const auto& view = film.program.view.train;
  training.begin(ui::chosenTask(view), ui::chosenSettings(view));
  const auto step = [&] {
    training.follow(0.0);
    training.finish();
    training.follow(0.0);
  };
  step();
  for (int i = 0; i < 8; ++i) training.stepOnce();
  step();
  const TrainingMoment end = *training.moment();
  ASSERT_EQ(end.stepsTaken, 8);
  training.lookAt(0);
  step();
  const TrainingMoment start = *training.moment();
  training.lookAt(std::nullopt);
  step();
  TrainingMoment then = end;
  then.step = 5;
  then.forgetLater();
  EXPECT_EQ(then.stepsTaken, 5);
  EXPECT_EQ(then.records.size(), 5U);
  EXPECT_LE(then.evaluations.back().step, 5);
  EXPECT_EQ(then.trainingMs, 0.0);
  film.program.training = training.moment();
  film.program.filmed = std::make_shared<const FilmedRun>(FilmedRun{training.run(), nullptr});
  const auto shown = made(film);
  EXPECT_EQ(shown.size(), 5U);
  const auto pictureOf = [&](TrainingMoment moment) {
    PictureRequest still = film;
    moment.forgetLater();
    still.program.training = std::make_shared<const TrainingMoment>(std::move(moment));
    still.program.filmed = nullptr;
    return drawPicture(still);
  };
  EXPECT_EQ(largestDifference(shown.front().image, pictureOf(start)), 0);
  EXPECT_EQ(largestDifference(shown.back().image, pictureOf(end)), 0);

  // the run goes on, and its film stays the same
  const std::string before = readAll(film.path);
  training.stepOnce();
  step();
  ASSERT_EQ(training.moment()->stepsTaken, 9);
  made(film);
  EXPECT_TRUE(readAll(film.path) == before);
}

TEST_F(FilmTest, OfARunOnStoriesIsTheSameTwice) {
  PictureRequest film = request(FilmOf::run);
  film.width = 1100;
  film.height = 620;
  ui::ViewState& view = film.program.view;
  view.selection.page = ui::kTrainPage;
  view.train.task = ui::kStories;
  view.train.layers = 1;
  view.train.dModel = view.train.heads = 2;
  Scheduler scheduler;
  LiveLanguage language(scheduler, kFilmBudget);
  language::LanguageSettings settings = ui::chosenLanguage(view.train);
  settings.evaluateEvery = 1;
  language.begin(ui::chosenText(view.train), settings);
  for (int i = 0; i < 4; ++i) language.stepOnce();
  language.follow(0.0);
  language.finish();
  language.follow(0.0);
  ASSERT_EQ(language.moment()->stepsTaken, 4);
  film.program.language = language.moment();
  film.program.filmed = std::make_shared<const FilmedRun>(FilmedRun{nullptr, language.run()});
  const auto shown = made(film);
  EXPECT_EQ(shown.size(), 5U) << "one for each step";
  const std::string first = readAll(film.path);
  made(film);
  EXPECT_TRUE(readAll(film.path) == first);
}

TEST_F(FilmTest, OfScenesShowsEachForTheSameTime) {
  PictureRequest film = request(FilmOf::scenes);
  film.film->seconds = 4.0;
  film.film->fps = 10;
  ui::ViewState view = film.program.view;
  view.selection.focus.clear();
  for (const int number : {1, 2}) {
    view.selection.head = number - 1;
    film.program.scenes.push_back({number, {}, film.program.document, viewToJson(view)});
  }
  const auto shown = made(film);
  ASSERT_EQ(shown.size(), 5U) << "the first, three that fade, and the second";
  EXPECT_EQ(lengthOf(shown), 4000);
  EXPECT_EQ(shown.front().milliseconds, 2000);
  const auto sceneOf = [&](int number) {
    PictureRequest still = film;
    still.program.scene = number;
    still.program.view =
        viewFromJson(film.program.scenes[static_cast<std::size_t>(number - 1)].view, view);
    return drawPicture(still);
  };
  EXPECT_EQ(largestDifference(shown.front().image, sceneOf(1)), 0);
  EXPECT_EQ(largestDifference(shown.back().image, sceneOf(2)), 0);
}

TEST_F(FilmTest, WithoutScenesIsRefused) {
  EXPECT_THROW(made(request(FilmOf::scenes)), UserError);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(FilmTest, StoppedLeavesNoFileAndTheCallersContexts) {
  const Headless window(100, 100);
  ImGuiContext* context = ImGui::GetCurrentContext();
  Scheduler scheduler;
  {
    Film film(request(FilmOf::play), {}, scheduler);
    EXPECT_EQ(ImGui::GetCurrentContext(), context);
    film.work();
    film.work();
    EXPECT_EQ(ImGui::GetCurrentContext(), context);
    EXPECT_GE(film.progress().drawn, 1);
    EXPECT_EQ(film.progress().pictures, 5);
    EXPECT_FALSE(film.finished());
  }
  EXPECT_EQ(ImGui::GetCurrentContext(), context);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace headscope::host
