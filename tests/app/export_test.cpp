// Exporting from the window: each kind, by mouse and by keyboard, the refusals, and the files read
// back.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "../core/support/limits.h"
#include "../core/test_files.h"
#include "app/ui/export_choice.h"
#include "app/ui/train/language_run_view.h"
#include "app/ui/train/train_page.h"
#include "app_driver.h"
#include "core/document/trace.h"
#include "core/formats/corpora.h"
#include "core/formats/session.h"
#include "core/formats/training_curves.h"
#include "core/tensor/safetensors.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDialog = "export dialog";

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Export : public testing::Test {
 protected:
  void open(const char* item) {
    ui_.click("Export ▾", "top bar");
    ui_.click(item, "Popup");
    ASSERT_TRUE(ui_.window(kDialog));
  }
  void name(const std::string& text, const char* label = "file") {
    ui_.typeInto(label, text, kDialog);
  }
  bool isEmpty() const { return fs::is_empty(folder_.path()); }
  void trainOneStep() {
    ui_.view().selection.page = kTrainPage;
    ui_.frame();
    ui_.settle();
    ui_.frame();
    ui_.press(Key::right);
    ui_.settle();
  }

  TempFolder folder_;
  AppDriver ui_;
};

TEST_F(Export, ATensorGoesToAFileInEachFormat) {
  open("A tensor …");
  EXPECT_TRUE(ui_.shows("weights.npy", kDialog));
  name((folder_ / "a.npy").string());
  ui_.press(Key::enter);
  EXPECT_EQ(contents(folder_ / "a.npy").substr(1, 5), "NUMPY");
  EXPECT_TRUE(ui_.shows("exported weights (1, 8, 6, 6) of Flow's layer (d_model 512, 8", kDialog));
  EXPECT_NE(ui_.app().message().find("a.npy"), std::string::npos);

  // a choice renames the file; the folder stays
  ui_.click("safetensors", kDialog);
  EXPECT_TRUE(ui_.shows("a.safetensors", kDialog));
  ui_.click("Export", kDialog);
  const SafetensorsFile file(folder_ / "a.safetensors");
  EXPECT_EQ(file.read("weights").values(), ui_.trace().tensor(TensorId::weights).values());

  // an ending chooses the format
  name("b.csv");
  ui_.press(Key::enter);
  EXPECT_EQ(contents(folder_ / "b.csv").substr(0, 5), "item,");
  ui_.press(Key::escape);
  EXPECT_FALSE(ui_.window(kDialog));
}

TEST_F(Export, AnyTensorIsChosen) {
  open("A tensor …");
  name((folder_ / "x.npy").string());
  ui_.press(Key::enter);
  ui_.click("weights (1, 8, 6, 6)", kDialog);
  ui_.click("W_O (512, 512)", "Combo");
  ui_.click("safetensors", kDialog);
  ui_.click("Export", kDialog);
  EXPECT_EQ(SafetensorsFile(folder_ / "x.safetensors").shape("W_O"), (Shape{512, 512}));
}

TEST_F(Export, TheWholeTraceAndTheScriptAreWritten) {
  open("Every tensor …");
  name((folder_ / "all").string());
  ui_.press(Key::enter);
  EXPECT_EQ(SafetensorsFile(folder_ / "all.safetensors").shape("output"), (Shape{1, 6, 512}));
  ui_.click("PyTorch script", kDialog);
  EXPECT_TRUE(ui_.shows("headscope-pytorch", kDialog));
  ui_.click("Export", kDialog);
  EXPECT_TRUE(fs::exists(folder_ / "headscope-pytorch" / "check_attention.py"));
  EXPECT_TRUE(fs::exists(folder_ / "headscope-pytorch" / "tensors" / "weights.npy"));
  EXPECT_TRUE(ui_.shows("run python3", kDialog));
}

/// A picture is drawn by a program with the window's history, whichever state that shows.
TEST_F(Export, APictureIsDrawnAfterASessionWasOpened) {
  const fs::path file = folder_ / "lecture.headscope.json";
  formats::saveSession(file, {textDocument("From a file"), "{}", {}, {}});
  ui_.app().dropFiles({file});
  ui_.settle();
  ui_.press(Key{'E'}, true, true);
  ui_.click("Picture", kDialog);
  ui_.click("Export", kDialog);
  auto asked = ui_.app().takePictureRequest();
  ASSERT_TRUE(asked);
  App picture(std::move(asked->program));
  picture.finish();
  ui_.host().frames(picture, 3);
  EXPECT_EQ(picture.title(), "lecture · headscope");
  EXPECT_TRUE(ui_.shows("lecture ▾", "tokens"));
  // back to where no session was open yet
  ui_.host().press(picture, Key{'Z'}, true);
  EXPECT_EQ(picture.title(), "headscope");
}

TEST_F(Export, ARunsCurvesAreThoseOfTheCommand) {
  trainOneStep();
  open("The run's curves (.csv) …");
  EXPECT_TRUE(ui_.shows("headscope-curves.csv", kDialog));
  name((folder_ / "run").string());
  ui_.press(Key::enter);
  training::Trainer run(training::taskFromString("cards"), chosenSettings(ui_.view().train),
                        kTestBudget);
  ASSERT_TRUE(run.step({}));
  EXPECT_EQ(contents(folder_ / "run.csv"),
            formats::curvesCsv(run.task(), run.records(), run.evaluations()));
}

TEST_F(Export, ARunOnStoriesHasCurvesOfItsOwn) {
  TrainView& train = ui_.view().train;
  train.task = kStories;
  train.layers = 1;
  train.dModel = train.heads = 2;
  trainOneStep();
  open("The run's curves (.csv) …");
  name((folder_ / "run").string());
  ui_.press(Key::enter);
  language::LanguageTrainer run(formats::storyCorpus(1, 2'000'000), chosenLanguage(train),
                                kTestBudget);
  ASSERT_TRUE(run.step({}));
  ASSERT_TRUE(run.evaluate({}));  // the page rests at this step
  EXPECT_EQ(contents(folder_ / "run.csv"), formats::curvesCsv(run.records(), run.evaluations()));
}

TEST_F(Export, CurvesAreOfThePageThatTrains) {
  trainOneStep();
  open("The run's curves (.csv) …");
  // a tensor is asked for elsewhere
  ui_.press(Key::escape);
  ui_.view().selection.page = kFlowPage;
  ui_.press(Key{'E'}, true, true);
  EXPECT_TRUE(ui_.shows("weights.npy", kDialog));
}

TEST_F(Export, APictureOfTheRunShowsTheRun) {
  trainOneStep();
  open("A picture …");
  ui_.click("heads over steps", kDialog);
  ui_.settle();
  EXPECT_EQ(ui_.view().train.tab, TrainTab::overSteps);
  name((folder_ / "strip").string());
  ui_.press(Key::enter);
  auto asked = ui_.app().takePictureRequest();
  ASSERT_TRUE(asked);
  App picture(std::move(asked->program));
  picture.finish();
  ui_.host().frames(picture, 3);
  EXPECT_TRUE(ui_.shows("step 1"));
  EXPECT_TRUE(ui_.shows("Head 4"));
}

TEST_F(Export, IsDoneByKeyboardAlone) {
  ui_.press(Key{'E'}, true, true);
  ASSERT_TRUE(ui_.window(kDialog));
  ui_.type((folder_ / "keys").string());
  ui_.press(Key::up);  // moves to the formats
  ui_.press(Key::right);
  ui_.press(Key::space);
  const StepId step = ui_.view().selection.step;
  ui_.press(Key::down);
  ui_.press(Key::enter);  // edits the field again
  ui_.press(Key::enter);
  EXPECT_TRUE(ui_.shows("exported weights", kDialog)) << ui_.screen().all(kDialog);
  EXPECT_EQ(ui_.view().selection.step, step);
  EXPECT_FALSE(isEmpty());
  ui_.press(Key::escape);
  ui_.press(Key::right);
  EXPECT_NE(ui_.view().selection.step, step);
}

TEST_F(Export, WhatCannotBeWrittenIsSaidAndNothingIsLeft) {
  open("A tensor …");
  name((folder_ / "none" / "a.npy").string());
  EXPECT_TRUE(ui_.shows("There is no folder", kDialog));
  ui_.press(Key::enter);
  EXPECT_TRUE(isEmpty());
  name(folder_.file("taken", "x").string());
  ui_.click("PyTorch script", kDialog);
  name((folder_ / "taken").string(), "folder");
  EXPECT_TRUE(ui_.shows("is a file; the script needs a folder", kDialog));
  name(" ", "folder");
  EXPECT_TRUE(ui_.shows("Give the name of a folder", kDialog));
}

TEST_F(Export, AFailureWhileWritingIsSaid) {
  open("A tensor …");
  name((folder_ / std::string(300, 'n')).string());
  ui_.press(Key::enter);
  EXPECT_NE(ui_.app().message().find("nnn.npy"), std::string::npos) << ui_.app().message();
  EXPECT_TRUE(ui_.shows("too long", kDialog)) << ui_.screen().all(kDialog);
  EXPECT_TRUE(isEmpty());
}

TEST_F(Export, OnAFullDiskTheOldFilesStay) {
  open("A tensor …");
  const auto isWritten = [this] {
    ui_.press(Key::enter);
    return !ui_.shows("cannot write", kDialog);
  };
  for (const char* file : {"w.npy", "w.safetensors", "w.csv"}) {
    name((folder_ / file).string());
    ASSERT_TRUE(isWritten()) << ui_.screen().all(kDialog);
  }
  ui_.click("PyTorch script", kDialog);
  name((folder_ / "script").string(), "folder");
  ASSERT_TRUE(isWritten()) << ui_.screen().all(kDialog);
  const auto all = [this] {
    std::map<fs::path, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      files[entry.path()] = entry.is_regular_file() ? contents(entry.path()) : "";
    }
    return files;
  };
  const auto before = all();
  ASSERT_GT(before.size(), 4U);
  const test::FileSizeLimit limit(64);
  name((folder_ / "script").string(), "folder");
  EXPECT_FALSE(isWritten());
  EXPECT_TRUE(ui_.shows("File too large", kDialog)) << ui_.screen().all(kDialog);
  ui_.click("Tensor", kDialog);
  for (const char* file : {"w.npy", "w.safetensors", "w.csv"}) {
    name((folder_ / file).string());
    EXPECT_FALSE(isWritten()) << file;
    EXPECT_TRUE(ui_.shows("File too large", kDialog)) << ui_.screen().all(kDialog);
  }
  EXPECT_EQ(all(), before);
}

TEST_F(Export, AFileThatIsThereIsReplacedKnowingly) {
  const fs::path path = folder_.file("w.npy", "old");
  open("A tensor …");
  name(path.string());
  EXPECT_TRUE(ui_.shows("w.npy already exists: exporting replaces it.", kDialog));
  EXPECT_EQ(contents(path), "old");
  ui_.press(Key::enter);
  EXPECT_EQ(contents(path).substr(1, 5), "NUMPY");
}

TEST_F(Export, APictureIsAskedOfTheHost) {
  ui_.press(Key::home);
  open("A picture …");
  EXPECT_TRUE(ui_.shows("1600 × 1000 pixels", kDialog));
  name((folder_ / "p").string());
  ui_.click("step", kDialog);
  ui_.click("2×", kDialog);
  ui_.click("dark", kDialog);
  EXPECT_TRUE(ui_.shows("3200 × 2000 pixels", kDialog));
  ui_.click("Export", kDialog);
  EXPECT_TRUE(ui_.shows("writing …", kDialog));
  const auto request = ui_.app().takePictureRequest();
  ASSERT_TRUE(request);
  EXPECT_FALSE(ui_.app().takePictureRequest());
  EXPECT_EQ(request->width, 3200);
  EXPECT_EQ(request->height, 2000);
  EXPECT_EQ(request->path, folder_ / "p.png");
  EXPECT_EQ(request->program.trace, ui_.app().trace());
  EXPECT_EQ(request->program.view.selection.focus, kStepViewCard);
  EXPECT_EQ(request->program.view.selection.step, StepId::project);
  EXPECT_EQ(request->program.view.preferences.theme, ThemeKind::dark);
  EXPECT_FLOAT_EQ(request->program.view.preferences.scale, 2.0F);

  ui_.app().pictureDrawn(*request, [] { throw UserError("p.png: no room"); });
  ui_.settle();
  EXPECT_TRUE(ui_.shows("p.png: no room", kDialog));
  ui_.click("Export", kDialog);
  const auto again = ui_.app().takePictureRequest();
  ASSERT_TRUE(again);
  bool written = false;
  ui_.app().pictureDrawn(*again, [&] { written = true; });
  ui_.settle();
  EXPECT_TRUE(written);
  EXPECT_TRUE(ui_.shows("exported a picture of 3200 × 2000 pixels", kDialog));
}

TEST_F(Export, APictureMayBeAFigure) {
  open("A picture …");
  name((folder_ / "p").string());
  ui_.click("PDF", kDialog);
  EXPECT_TRUE(ui_.shows("a figure 16 cm wide, without a background", kDialog));
  EXPECT_FALSE(ui_.shows("pixels", kDialog));
  ui_.click("Export", kDialog);
  const auto request = ui_.app().takePictureRequest();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, folder_ / "p.pdf");
  ui_.app().pictureDrawn(*request, [] {});
  ui_.settle();
  EXPECT_TRUE(ui_.shows("exported a figure, ")) << ui_.screen().all();
}

TEST_F(Export, APictureHasTheHistoryAndWhatIsComparedWith) {
  ui_.click("causal", "top bar");
  ui_.click("bias", "top bar");
  ui_.view().selection.tool = kChangesTool;
  ui_.view().selection.inspectorTab = InspectorTab::history;
  ui_.settle();
  open("A picture …");
  name((folder_ / "p").string());
  ui_.click("Export", kDialog);
  const auto request = ui_.app().takePictureRequest();
  ASSERT_TRUE(request);
  ui_.app().pictureDrawn(*request, [] {});
  ui_.settle();
  App picture(request->program);
  ui_.host().frames(picture, 3);
  picture.finish();
  ui_.host().frames(picture, 3);
  EXPECT_TRUE(ui_.shows("bias off", "states")) << ui_.screen().all("states");
  EXPECT_TRUE(ui_.shows("before bias off")) << ui_.screen().all();
}

TEST_F(Export, APicturesSizeIsTypedWithinItsBounds) {
  open("A picture …");
  name((folder_ / "p").string());
  const auto size = ui_.screen().find("1600", kDialog);
  ASSERT_TRUE(size);
  ui_.clickAt(size->centre());
  ui_.press(Key{'A'}, true);
  ui_.type("4000");
  ui_.click("4×", kDialog);
  EXPECT_TRUE(ui_.shows("4000 × 1000 at 4×: each side must come to 64 to 8192 pixels.", kDialog));
  ui_.click("Export", kDialog);
  EXPECT_FALSE(ui_.app().takePictureRequest());
  ui_.click("2×", kDialog);
  EXPECT_TRUE(ui_.shows("8000 × 2000 pixels", kDialog));
  ui_.clickAt(ui_.at("4000", kDialog));
  ui_.press(Key{'A'}, true);
  ui_.type("wide");
  EXPECT_TRUE(ui_.shows("'wide' is not a whole number", kDialog));
  ui_.click("Export", kDialog);
  EXPECT_FALSE(ui_.app().takePictureRequest());
}

TEST(ExportChoice, NamesFollowWhatIsChosen) {
  ExportChoice choice;
  choice.folder = "/somewhere";
  fitName(choice);
  EXPECT_EQ(choice.name, "weights.npy");
  choice.tensor = TensorId::rawScores;
  choice.format = formats::TensorFormat::csv;
  fitName(choice);
  EXPECT_EQ(exportPath(choice), "/somewhere/raw_scores.csv");
  choice.named = true;
  choice.name = "my.scores.npy";
  fitName(choice);
  EXPECT_EQ(choice.name, "my.scores.csv");
  choice.name = "v1.5";
  fitName(choice);
  EXPECT_EQ(exportPath(choice), "/somewhere/v1.5.csv");
  choice.name = "../up.npy";
  fitFormat(choice);
  EXPECT_EQ(choice.format, formats::TensorFormat::npy);
  EXPECT_EQ(exportPath(choice), "/up.npy");
  choice.name = "  ";
  EXPECT_EQ(exportPath(choice), "");
  EXPECT_EQ(exportProblem(choice), "Give the name of a file.");
}

TEST_F(Export, AWorksheetIsOfTheByHandExampleOrOfASmallLayer) {
  open("A worksheet …");
  EXPECT_TRUE(ui_.shows("worksheet-1.pdf", kDialog));
  EXPECT_FALSE(ui_.shows("a layer of this size", kDialog)) << "the layer is far too large";
  name((folder_ / "sheet.pdf").string());
  ui_.click("Export", kDialog);
  ui_.settle();
  EXPECT_EQ(contents(folder_ / "sheet.pdf").substr(0, 5), "%PDF-");
  ui_.click("Close", kDialog);
  ui_.restart(presetDocument("by-hand"));
  open("A worksheet …");
  EXPECT_TRUE(ui_.shows("a layer of this size", kDialog));
}

TEST(ExportChoice, APictureHasBounds) {
  ExportChoice choice;
  choice.kind = ExportKind::picture;
  for (const auto& [width, scale, fits] : {std::tuple<Index, int, bool>{64, 1, true},
                                           {63, 1, false},
                                           {32, 2, true},
                                           {8192, 1, true},
                                           {8193, 1, false},
                                           {2048, 4, true},
                                           {2049, 4, false},
                                           {Index{1} << 62, 4, false},
                                           {-8, 1, false}}) {
    choice.width = width;
    choice.scale = scale;
    EXPECT_EQ(pictureFits(choice), fits) << width << " at " << scale;
  }
}

}  // namespace
}  // namespace headscope::ui
