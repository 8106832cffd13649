// Films from the window: what is offered where, the request, the progress, stopping, and the
// refusals. The host that makes them is the tests' own; tests/films has the real one.
#include <filesystem>
#include <string>

#include "../core/test_files.h"
#include "app/film.h"
#include "app/filmed_run.h"
#include "app_driver.h"
#include "core/base/error.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFilmDialog = "export dialog";

class FilmExport : public testing::Test {
 protected:
  FilmExport() { ui_.app().offerFilms({FilmKind::webp, FilmKind::gif}); }

  void open() {
    ui_.press(Key{'E'}, true, true);
    ASSERT_TRUE(ui_.window(kFilmDialog));
    ui_.click("Film", kFilmDialog);
  }
  void name(const std::string& text) { ui_.typeInto("file", text, kFilmDialog); }
  /// Confirms a film in the folder, and takes what the host is asked for.
  PictureRequest asked() {
    name((folder_ / "f").string());
    ui_.click("Export", kFilmDialog);
    auto request = ui_.app().takePictureRequest();
    EXPECT_TRUE(request && request->film) << ui_.screen().all(kFilmDialog);
    return request ? std::move(*request) : PictureRequest{};
  }
  void page(const char* id) {
    ui_.view().selection.page = id;
    ui_.frame();
    ui_.settle();
  }

  TempFolder folder_;
  AppDriver ui_;
};

TEST_F(FilmExport, OfTheTimelineIsAskedOfTheHost) {
  page(kFlowPage);
  ui_.click("Export ▾", "top bar");
  ui_.click("A film …", "Popup");
  ASSERT_TRUE(ui_.window(kFilmDialog));
  EXPECT_TRUE(ui_.shows("headscope-play.webp", kFilmDialog));
  EXPECT_TRUE(ui_.shows("240 pictures, 0:00 to 1:22 of", kFilmDialog))
      << ui_.screen().all(kFilmDialog);
  EXPECT_FALSE(ui_.shows("MP4", kFilmDialog)) << "the host does not make it";
  ui_.click("step", kFilmDialog);
  ui_.click("GIF", kFilmDialog);
  EXPECT_TRUE(ui_.shows("headscope-play.gif", kFilmDialog));
  ui_.click("1920 × 1080", kFilmDialog);
  ui_.click("25", kFilmDialog);
  ui_.click("4×", kFilmDialog);
  ui_.typeInto("seconds", "6", kFilmDialog);
  EXPECT_TRUE(ui_.shows("150 pictures, 0:00 to 0:24 of", kFilmDialog))
      << ui_.screen().all(kFilmDialog);
  const PictureRequest request = asked();
  EXPECT_EQ(request.path, folder_ / "f.gif");
  EXPECT_EQ(request.width, 1920);
  EXPECT_EQ(request.height, 1080);
  EXPECT_EQ(request.film->of, FilmOf::play);
  EXPECT_DOUBLE_EQ(request.film->seconds, 6.0);
  EXPECT_EQ(request.film->fps, 25);
  EXPECT_DOUBLE_EQ(request.film->speed, 4.0);
  EXPECT_EQ(request.program.view.selection.focus, kStepViewCard);
  EXPECT_FLOAT_EQ(request.program.view.preferences.scale, 1.5F);
  EXPECT_EQ(request.program.trace, ui_.app().trace());
}

TEST_F(FilmExport, TellsHowFarItIsAndIsStopped) {
  page(kFlowPage);
  open();
  const PictureRequest request = asked();
  EXPECT_TRUE(ui_.app().reportFilmProgress({60, 240}));
  ui_.frame();
  EXPECT_TRUE(ui_.shows("picture 60 of 240", kFilmDialog)) << ui_.screen().all(kFilmDialog);
  ui_.click("Stop", kFilmDialog);
  EXPECT_FALSE(ui_.app().reportFilmProgress({61, 240}));
  ui_.app().filmStopped();
  ui_.settle();
  EXPECT_TRUE(ui_.shows("the film was stopped: no file was written", kFilmDialog));
  EXPECT_FALSE(ui_.shows("Stop", kFilmDialog));
}

TEST_F(FilmExport, ContinuesBehindTheDialogAndIsStoppedInTheStatusBar) {
  page(kFlowPage);
  open();
  asked();
  const StepId step = ui_.view().selection.step;
  ui_.press(Key::escape);
  EXPECT_TRUE(ui_.app().reportFilmProgress({3, 240}));
  ui_.frame();
  EXPECT_TRUE(ui_.shows("Making a film: picture 3 of 240")) << ui_.screen().all();
  EXPECT_EQ(ui_.view().selection.step, step);
  EXPECT_FALSE(ui_.view().frame.playing) << "the user's own view plays";
  ui_.click("Stop");
  EXPECT_FALSE(ui_.app().reportFilmProgress({4, 240}));
}

TEST_F(FilmExport, ItsEndAndItsFailureAreSaid) {
  page(kFlowPage);
  open();
  PictureRequest request = asked();
  ui_.app().pictureDrawn(request, [] {});
  ui_.settle();
  EXPECT_TRUE(ui_.shows("exported a film of 12 s, 240 pictures of 1280 × 720 pixels", kFilmDialog))
      << ui_.screen().all(kFilmDialog);
  request = asked();
  ui_.app().pictureDrawn(request, [] { throw UserError("f.webp: the disk is full"); });
  ui_.settle();
  EXPECT_TRUE(ui_.shows("f.webp: the disk is full", kFilmDialog));
}

TEST_F(FilmExport, OfTheStageIsTheWayOfTheWord) {
  page(kStagePage);
  open();
  EXPECT_TRUE(ui_.shows("way of the word", kFilmDialog));
  EXPECT_TRUE(ui_.shows("0:00 to 1:30 of 1:30", kFilmDialog)) << ui_.screen().all(kFilmDialog);
  ui_.click("1×", kFilmDialog);
  EXPECT_TRUE(ui_.shows("0:00 to 0:12 of 1:30", kFilmDialog)) << ui_.screen().all(kFilmDialog);
  ui_.click("to the end", kFilmDialog);
  EXPECT_TRUE(ui_.shows("0:00 to 1:30 of 1:30", kFilmDialog)) << ui_.screen().all(kFilmDialog);
  EXPECT_DOUBLE_EQ(asked().film->speed, 0.0);
}

TEST_F(FilmExport, OfARunNeedsOneThatHasTakenSteps) {
  page(kTrainPage);
  ui_.press(Key{'E'}, true, true);
  EXPECT_FALSE(ui_.shows("Film", kFilmDialog));
  ui_.press(Key::escape);
  ui_.press(Key::right);
  ui_.settle();
  open();
  EXPECT_TRUE(ui_.shows("training run", kFilmDialog));
  EXPECT_FALSE(ui_.shows("speed", kFilmDialog));
  const PictureRequest request = asked();
  EXPECT_EQ(request.film->of, FilmOf::run);
  ASSERT_NE(request.program.training, nullptr);
  EXPECT_EQ(request.program.training->stepsTaken, 1);
  ASSERT_NE(request.program.filmed, nullptr);
  EXPECT_NE(request.program.filmed->task, nullptr);
}

TEST_F(FilmExport, OfScenesNeedsTwo) {
  page(kHeadsPage);
  ui_.press(Key{'E'}, true, true);
  EXPECT_FALSE(ui_.shows("Film", kFilmDialog)) << "nothing plays on this page";
  ui_.press(Key::escape);
  ui_.press(Key{'1'}, true);
  ui_.settle();
  ui_.press(Key{'2'}, true);
  ui_.settle();
  open();
  EXPECT_TRUE(ui_.shows("2 scenes for 6.0 s each", kFilmDialog)) << ui_.screen().all(kFilmDialog);
  const PictureRequest request = asked();
  EXPECT_EQ(request.film->of, FilmOf::scenes);
  EXPECT_EQ(request.program.scenes.size(), 2U);
}

TEST_F(FilmExport, AHostWithoutFilmsOffersNone) {
  ui_.app().offerFilms({});
  page(kFlowPage);
  ui_.press(Key{'E'}, true, true);
  ASSERT_TRUE(ui_.window(kFilmDialog));
  EXPECT_FALSE(ui_.shows("Film", kFilmDialog));
  ui_.press(Key::escape);
  ui_.click("Export ▾", "top bar");
  EXPECT_TRUE(ui_.shows("A picture …", "Popup"));
  EXPECT_FALSE(ui_.shows("A film …", "Popup"));
}

TEST_F(FilmExport, AHostThatMakesOneFormatOffersThat) {
  ui_.app().offerFilms({FilmKind::gif});
  page(kFlowPage);
  open();
  EXPECT_TRUE(ui_.shows("headscope-play.gif", kFilmDialog)) << ui_.screen().all(kFilmDialog);
  EXPECT_FALSE(ui_.shows("WebP", kFilmDialog));
}

TEST_F(FilmExport, SecondsAreTypedWithinBounds) {
  page(kFlowPage);
  open();
  name((folder_ / "f").string());
  for (const char* bad : {"0", "601", "long"}) {
    ui_.typeInto("seconds", bad, kFilmDialog);
    EXPECT_TRUE(ui_.shows("The film lasts 1 to 600 seconds.", kFilmDialog)) << bad;
    ui_.click("Export", kFilmDialog);
    EXPECT_FALSE(ui_.app().takePictureRequest()) << bad;
  }
  ui_.typeInto("seconds", "30", kFilmDialog);
  EXPECT_TRUE(ui_.shows("600 pictures", kFilmDialog));
}

}  // namespace
}  // namespace headscope::ui
