// The page Model with a model that reads images: its picture, the map over it, labels, and pictures
// that are dropped.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "../core/test_files.h"
#include "app/gl/scene.h"
#include "app/moment_text.h"
#include "app/ui/model/head_maps.h"
#include "app/ui/model/image_view.h"
#include "app/ui/model/model_page.h"
#include "app/ui/stage/stage_story.h"
#include "app/ui/stage/stage_view.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/formats/model_directory.h"
#include "core/formats/shipped_model.h"
#include "core/formats/shipped_picture.h"
#include "core/images/shape_looks.h"
#include "core/model/model_trace.h"
#include "core/model/sweep.h"

namespace headscope::ui {
namespace {

std::filesystem::path dataPath(const std::string& name) {
  return std::filesystem::path(HEADSCOPE_TEST_DATA) / name;
}

/// A tokenizer that gives one id for each letter.
constexpr const char* kClipTokenizer = R"({
"version": "1.0",
"added_tokens": [{"id": 96, "content": "<end>", "special": true}],
"model": {"type": "BPE", "vocab": {"a": 0, "c": 1, "t": 2, " ": 3, "<end>": 96}, "merges": []},
"post_processor": {"type": "TemplateProcessing",
  "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<end>", "type_id": 0}}],
  "pair": [],
  "special_tokens": {"<end>": {"id": "<end>", "ids": [96], "tokens": ["<end>"]}}}
})";

class ModelImage : public testing::Test {
 protected:
  void drop(const std::string& name) {
    ui.app().dropFiles({dataPath(name)});
    ui.settle();
    ui.frame();
  }
  std::string all(const char* card) { return ui.screen().all(card); }
  bool says(const char* words) { return ui.shows(words, kModelTextCard); }
  /// Clicks the word that stands highest on the card: a pill, not a label with its probability.
  void clickPill(const std::string& word) {
    const ScreenText screen = ui.screen();
    std::optional<Spot> highest;
    for (const TextRun& run : screen.runs()) {
      const std::size_t at = run.text.find(word);
      if (at == std::string::npos || run.window.find(kModelTextCard) == std::string::npos) continue;
      const Spot spot = run.spot(at, word.size());
      if (!highest || spot.min.y < highest->min.y) highest = spot;
    }
    ASSERT_TRUE(highest) << word;
    ui.clickAt(highest->centre());
    ui.settle();
    ui.frame();
  }

  /// The number of pictures that are drawn on a card.
  std::size_t picturesIn(const char* card) {
    const auto box = ui.window(card);
    std::size_t count = 0;
    for (const auto& command : ui.app().scene().commands) {
      const auto* batch = std::get_if<gl::PictureBatch>(&command.batch);
      if (batch == nullptr || !box) continue;
      count += static_cast<std::size_t>(std::ranges::count_if(batch->quads, [&](const auto& quad) {
        const gl::Bounds& at = quad.rect;
        return at.x0 > box->x0 && at.x1 < box->x1 && at.y0 > box->y0 && at.y1 < box->y1;
      }));
    }
    return count;
  }

  AppDriver ui;
};

/// Labels of published models are lists of names; their buttons stay in one row.
TEST_F(ModelImage, LongLabelsAreShortenedOnButtons) {
  const TempFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(dataPath("image_models/vit"))) {
    std::filesystem::copy(entry.path(), folder.path());
  }
  auto config = nlohmann::json::parse(readAll(folder.path() / "config.json"));
  for (auto& [id, label] : config["id2label"].items()) {
    label = "great white shark, white shark, man-eater, Carcharodon carcharias " + id;
  }
  std::ofstream(folder.path() / "config.json") << config;
  ui.app().dropFiles({folder.path()});
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("great white shark, w…", kModelPredictionCard)) << all(kModelPredictionCard);
}

TEST_F(ModelImage, OpensOnOurOwnPictureWithItsLabels) {
  drop("image_models/vit");
  EXPECT_TRUE(says("images of 16 × 16, patches of 4 × 4")) << all(kModelTextCard);
  EXPECT_TRUE(says("The image's most probable labels"));
  EXPECT_TRUE(says("LABEL_4")) << all(kModelTextCard);
  EXPECT_TRUE(says("layer 1, head 1: where “class” looks")) << all(kModelTextCard);
  EXPECT_TRUE(says("layer 1, head 1 from all patches: distance")) << all(kModelTextCard);
  EXPECT_TRUE(says("our own picture")) << "the name of the one that is shown";
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 8U);
  EXPECT_FALSE(ui.shows("repeated random tokens", kModelHeadsCard));
  for (const char* reading :
       {"Layer by layer", "Who says it", "Another output", "Every part", "Why", "Side by side"}) {
    EXPECT_TRUE(ui.shows(reading, kModelPredictionCard)) << reading;
  }
  for (const char* reading : {"Go on", "Alignment", "Streams"}) {
    EXPECT_FALSE(ui.shows(reading, kModelPredictionCard)) << reading;
  }
}

TEST_F(ModelImage, EveryPartOfALabelIsReplaced) {
  drop("image_models/vit");
  ui.click("Every part", kModelPredictionCard);
  for (int i = 0; i < 4; ++i) {
    ui.settle();
    ui.frame();
  }
  EXPECT_TRUE(ui.shows("replaced by zero", kModelPredictionCard)) << all(kModelPredictionCard);
  EXPECT_TRUE(ui.shows("layer 2, head 4", kModelPredictionCard)) << all(kModelPredictionCard);
  EXPECT_FALSE(ui.shows("as on another text", kModelPredictionCard));
}

/// A patch is drawn wherever a list or a map names it: at the places of a sweep, and in a chain.
TEST_F(ModelImage, PatchesStandNextToTheirNames) {
  drop("image_models/vit");
  const auto calm = [&] {
    for (int i = 0; i < 4; ++i) {
      ui.settle();
      ui.frame();
    }
  };
  EXPECT_EQ(picturesIn(kModelPredictionCard), 0U);
  ui.view().model.prediction.sweepOver = static_cast<int>(model::SweepOver::places);
  ui.click("Every part", kModelPredictionCard);
  calm();
  ASSERT_TRUE(ui.shows("layer 1, “patch", kModelPredictionCard)) << all(kModelPredictionCard);
  EXPECT_GT(picturesIn(kModelPredictionCard), 16U) << "those of the axis, and some of the list";
  ui.click("Why", kModelPredictionCard);
  calm();
  EXPECT_EQ(picturesIn(kModelPredictionCard), 0U) << "its first list has heads";
  ui.click("layer 2, head", kModelPredictionCard);
  calm();
  ASSERT_TRUE(ui.shows("patch", kModelPredictionCard)) << all(kModelPredictionCard);
  EXPECT_GT(picturesIn(kModelPredictionCard), 0U);
  ui.view().model.layer = 0;  // behind the last one the class token alone is read
  ui.click("Network", kModelPredictionCard);
  calm();
  ASSERT_TRUE(ui.shows("values: at most", kModelPredictionCard)) << all(kModelPredictionCard);
  EXPECT_GT(picturesIn(kModelPredictionCard), 32U) << "those of two axes, and some of the list";
}

/// A layer of a model that reads images is shown on its picture, as the preset of one layer is.
TEST_F(ModelImage, ALayerIsDrawnOnThePictureOfItsPatches) {
  drop("image_models/vit");
  ui.click("open layer 1 in Flow", kModelHeadsCard);
  ui.settle();
  EXPECT_EQ(ui.view().selection.step, StepId::softmax) << "the step of the chosen weight";
  ui.view().selection.page = kStagePage;
  ui.settle();
  EXPECT_EQ(picturesIn(kSentenceCard), 1U);
  EXPECT_EQ(picturesIn(kSmallStagesCard), 4U) << "one for each head";
  EXPECT_TRUE(ui.shows("class", kSentenceCard)) << "the token that is no patch";
  EXPECT_FALSE(ui.shows("patch 4,4 ", kSentenceCard)) << all(kSentenceCard);
  for (int place = 0; place < kStagePlaces; ++place) {
    ui.view().stage.at = static_cast<double>(place) + 0.9;
    ui.settle();
    EXPECT_EQ(picturesIn(kSentenceCard), 1U) << place;
  }
  ui.view().selection.page = kHeadsPage;
  ui.settle();
  EXPECT_EQ(picturesIn("looks"), 1U);
}

/// A card alone, as a slide is, has the picture and its shapes, without what opens another one and
/// without the measures of heads.
TEST_F(ModelImage, ASlideHasThePictureAndItsShapes) {
  ui.view().model.place = {formats::kShapesModel, {}};
  ui.view().selection.page = kModelPage;
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("Open a picture"));
  EXPECT_TRUE(ui.shows("from all patches"));
  ui.view().selection.focus = kModelTextCard;
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("triangle"));
  EXPECT_TRUE(ui.shows("where “class” looks"));
  EXPECT_FALSE(ui.shows("Open a picture"));
  EXPECT_FALSE(ui.shows("from all patches"));
}

/// Another picture next to the page's own: the head's row on both, and both labels.
TEST_F(ModelImage, TwoPicturesStandSideBySide) {
  ui.view().model.place = {formats::kShapesModel, {}};
  ui.view().selection.page = kModelPage;
  ui.settle();
  ui.frame();
  ui.view().model.compared.text = "headscope:shapes/square";
  ui.click("Side by side", kModelPredictionCard);
  for (int i = 0; i < 4; ++i) {
    ui.settle();
    ui.frame();
  }
  const std::string shown = all(kModelPredictionCard);
  EXPECT_TRUE(
      ui.shows("this pass, circle; layer 1, head 1: where “class” looks", kModelPredictionCard))
      << shown;
  EXPECT_TRUE(ui.shows("the other, square; layer 1, head 1", kModelPredictionCard)) << shown;
  EXPECT_TRUE(ui.shows("0.985", kModelPredictionCard)) << shown;
  ui.view().model.compared.text = "nowhere.png";
  for (int i = 0; i < 4; ++i) {
    ui.settle();
    ui.frame();
  }
  EXPECT_TRUE(ui.shows("nowhere.png", kModelPredictionCard)) << all(kModelPredictionCard);
}

/// The pills draw another shape at the same place, and another picture of the chosen shape.
TEST_F(ModelImage, TheModelOfShapesDrawsItsPictures) {
  ui.view().model.place = {formats::kShapesModel, {}};
  ui.view().selection.page = kModelPage;
  ui.settle();
  ui.frame();
  EXPECT_EQ(ui.view().model.place.text, "headscope:shapes/circle");
  EXPECT_TRUE(says("on the shape: ")) << all(kModelTextCard);
  EXPECT_TRUE(says("of the 65 tokens")) << all(kModelTextCard);
  EXPECT_FALSE(says("our own picture"));
  EXPECT_NE(all(kModelTextCard).find("99."), std::string::npos) << all(kModelTextCard);
  const std::string circle = all(kModelTextCard);
  clickPill("triangle");
  EXPECT_EQ(ui.view().model.place.text, "headscope:shapes/triangle");
  EXPECT_NE(all(kModelTextCard), circle);
  clickPill("triangle");
  EXPECT_EQ(ui.view().model.place.text, "headscope:shapes/triangle-2");
  drop("pictures/color.jpg");
  EXPECT_FALSE(says("on the shape: ")) << "nothing is known of its shapes";
}

/// The map of all heads' weights on the shape, which only a drawing has.
TEST_F(ModelImage, HeadsHaveTheirWeightOnADrawnShape) {
  ui.view().model.place = {formats::kShapesModel, {}};
  ui.view().selection.page = kModelPage;
  ui.view().model.metric = kShapeMap;
  for (int i = 0; i < 3; ++i) {
    ui.settle();
    ui.frame();
  }
  const std::string circle = formats::ShippedPicture().name();
  const auto model = formats::openModel(formats::kShapesModel, kTestBudget);
  auto input = shownTo(*model, formats::kShapesModel, formats::readPicture(circle)).input;
  const auto trace = runModel(makeModelDocument(model, std::move(input)), nullptr, {}, kTestBudget);
  const auto touched = formats::shapePatchesOf(circle, model->config().image);
  for (const double look : images::looksOnShape(*trace, touched)) {
    EXPECT_TRUE(ui.shows(fmt::format("{:.2f}", look), kModelHeadsCard)) << all(kModelHeadsCard);
  }
  drop("pictures/color.jpg");
  EXPECT_FALSE(ui.shows("on the shape", kModelHeadsCard)) << "nothing is known of its shapes";
}

TEST_F(ModelImage, ADroppedPictureReplacesTheShownOne) {
  drop("image_models/vit");
  const std::string before = all(kModelTextCard);
  drop("pictures/color.jpg");
  EXPECT_TRUE(says("color.jpg")) << all(kModelTextCard);
  EXPECT_NE(all(kModelTextCard), before) << "other labels";
  EXPECT_EQ(ui.view().model.place.text, dataPath("pictures/color.jpg").string());
  ui.click("our own picture", kModelTextCard);
  ui.settle();
  ui.frame();
  EXPECT_EQ(all(kModelTextCard), before);
}

/// A picture is pasted by its path, as file managers copy it, or by its bytes, which a file keeps.
TEST_F(ModelImage, ACopiedPictureReplacesTheShownOne) {
  const TempFolder state;
  ui.restartKeeping(state.path(), presetDocument("by-hand"));
  std::string copied;
  ui.app().onPastePicture([&] { return copied; });
  drop("image_models/vit");
  const std::string own = all(kModelTextCard);
  const auto paste = [&](const std::string& text) {
    ImGui::SetClipboardText(text.c_str());
    ui.press(Key{'V'}, true);
    ui.settle();
    ui.frame();
    return ui.view().model.place.text;
  };
  EXPECT_EQ(paste("the cat"), "");
  EXPECT_NE(ui.app().message().find("the clipboard has no picture"), std::string::npos)
      << ui.app().message();
  EXPECT_EQ(all(kModelTextCard), own);

  const std::filesystem::path file = dataPath("pictures/color.jpg");
  // a cell that is chosen on another page takes nothing here
  ui.view().selection.cell = CellRef{TensorId::rawScores, 0, 0, 0, 0};
  EXPECT_EQ(paste(file.string() + "\n"), file.string());
  EXPECT_EQ(ui.app().message().find("is not a number"), std::string::npos) << ui.app().message();
  const std::string named = all(kModelTextCard);
  EXPECT_NE(named, own);
  EXPECT_NE(paste("file:///no%20such.png"), "");
  EXPECT_TRUE(says("/no such.png")) << all(kModelTextCard);

  copied = readAll(file);
  const std::filesystem::path kept = paste("");
  EXPECT_EQ(kept.parent_path(), state.path() / "pictures");
  EXPECT_EQ(kept.extension(), ".jpg");
  EXPECT_EQ(readAll(kept), copied);
  EXPECT_EQ(ui.app().message().find("no numbers"), std::string::npos) << ui.app().message();
  EXPECT_EQ(paste(""), kept) << "the same picture is one file";
  copied = "a text";
  EXPECT_EQ(paste(""), kept) << "it is no picture";
  // of many pasted pictures the newest stay
  const std::string picture = readAll(file);
  for (int i = 0; i < 20; ++i) {
    copied = picture + std::string(static_cast<std::size_t>(i) + 1, ' ');
    EXPECT_EQ(readAll(paste("")), copied);
  }
  std::ptrdiff_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(state.path() / "pictures")) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 16);
  EXPECT_NE(ui.app().message().find("the clipboard has no picture"), std::string::npos);
}

TEST_F(ModelImage, APictureThatCannotBeReadIsExplainedAndTheOtherStays) {
  drop("image_models/vit");
  drop("pictures/animated.webp");
  EXPECT_TRUE(says("an animation")) << all(kModelTextCard);
  EXPECT_TRUE(says("The image's most probable labels"));
}

TEST_F(ModelImage, APictureWithoutAModelOfImagesIsRefused) {
  drop("pictures/color.jpg");
  EXPECT_NE(ui.app().message().find("color.jpg: pictures are read by a model of images"),
            std::string::npos)
      << ui.app().message();
}

TEST_F(ModelImage, TheMapIsOfAHeadTheMeanOrTheRollout) {
  drop("image_models/deit");
  EXPECT_TRUE(says("class 0.")) << all(kModelTextCard);
  EXPECT_TRUE(says("distillation 0.")) << all(kModelTextCard);
  ui.click("rollout", kModelTextCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(says("layer 1, rollout: what reaches “class”")) << all(kModelTextCard);
  ui.click("mean of heads", kModelTextCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(says("layer 1, mean of its heads")) << all(kModelTextCard);
  ui.click("distillation", kModelTextCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(says("where “distillation” looks")) << all(kModelTextCard);
  EXPECT_TRUE(ui.shows("for “class”", kModelPredictionCard)) << all(kModelPredictionCard);
  EXPECT_EQ(viewFromJson(viewToJson(ui.view()), {}).model.imageMap, ImageMap::meanOfHeads);
}

TEST_F(ModelImage, ReadingsOfALabelAreDrawn) {
  drop("image_models/vit");
  ui.click("Who says it", kModelPredictionCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("layer 1, head", kModelPredictionCard)) << all(kModelPredictionCard);
  ui.click("Another output", kModelPredictionCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("LABEL_", kModelPredictionCard)) << all(kModelPredictionCard);
  EXPECT_FALSE(ui.shows("as on another text", kModelPredictionCard));
}

TEST_F(ModelImage, AModelWithoutAClassifierShowsItsHeads) {
  drop("image_models/dinov2");
  EXPECT_TRUE(says("This model has no classifier.")) << all(kModelTextCard);
  EXPECT_TRUE(says("where “class” looks")) << all(kModelTextCard);
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 8U);
}

/// A CLIP has two encoders: each line of text is matched with the image, and opens as a text.
TEST_F(ModelImage, ClipShowsWhatHeadsAddToAMatchAndItsEncoderOfTexts) {
  const TempFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(dataPath("image_models/clip"))) {
    std::filesystem::copy(entry.path(), folder.path());
  }
  std::ofstream(folder.path() / "tokenizer.json") << kClipTokenizer;
  ui.app().dropFiles({folder.path()});
  ui.settle();
  ui.view().model.prediction.matchTexts = "cat\nact tact";
  ui.frame();
  const auto calm = [&] {
    for (int i = 0; i < 4; ++i) {
      ui.settle();
      ui.frame();
    }
  };
  ui.click("Match", kModelPredictionCard);
  calm();
  EXPECT_TRUE(ui.shows("enter applies, ctrl+enter begins a line", kModelPredictionCard));
  EXPECT_TRUE(ui.shows("Added directly to “", kModelPredictionCard)) << all(kModelPredictionCard);
  EXPECT_TRUE(ui.shows("encoder of texts", kModelPredictionCard));
  ui.click("act tact", kModelPredictionCard);
  calm();
  ui.view().model.prediction.word = 1;
  calm();
  EXPECT_TRUE(ui.shows("Added directly to “act tact”", kModelPredictionCard))
      << all(kModelPredictionCard);
  ui.click("open the text's heads", kModelPredictionCard);
  calm();
  EXPECT_TRUE(says("clip_text_model")) << all(kModelTextCard);
  EXPECT_TRUE(says("act tact")) << all(kModelTextCard);
  EXPECT_EQ(ui.view().model.place.text, "act tact") << "a session opens it again";
  ui.click("← picture", kModelTextCard);
  calm();
  EXPECT_TRUE(says("clip_vision_model")) << all(kModelTextCard);
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 8U);
  EXPECT_TRUE(ui.shows("Added directly to “", kModelPredictionCard))
      << "the tab that the encoder of texts does not have comes back";
}

/// A session's picture may have been moved: its model opens all the same, and asks for it.
TEST_F(ModelImage, AModelWhosePictureHasGoneOpensWithOurs) {
  ui.view().model.place = {dataPath("image_models/vit").string(), "/nowhere/cat.png"};
  ui.view().selection.page = kModelPage;
  ui.frame();
  ui.settle();
  ui.frame();
  EXPECT_TRUE(says("/nowhere/cat.png: the picture cannot be read: open it again"))
      << all(kModelTextCard);
  EXPECT_TRUE(says("Open a picture"));
  EXPECT_TRUE(says("The image's most probable labels")) << all(kModelTextCard);
  drop("pictures/color.jpg");
  EXPECT_FALSE(says("cannot be read")) << all(kModelTextCard);
}

TEST(ModelImages, PatchesLieWhereTheyWereCut) {
  constexpr Index kBudget = Index{1} << 30;
  const auto of = formats::openModel(dataPath("image_models/deit"), kBudget);
  ModelMoment moment;
  moment.trace = runModel(makeModelDocument(of, imageInput(*of, Tensor::zeros({3, 16, 16}))),
                          nullptr, {}, kBudget);
  const std::vector<Rect> rects = patchRects(moment, Rect::at({10.0F, 20.0F}, {160.0F, 160.0F}));
  ASSERT_EQ(rects.size(), 18U);
  EXPECT_TRUE(rects[0].empty());
  EXPECT_TRUE(rects[1].empty());
  const Rect last = rects.back();
  EXPECT_FLOAT_EQ(last.a.x, 130.0F);
  EXPECT_FLOAT_EQ(last.b.y, 180.0F);
  EXPECT_FLOAT_EQ(rects[2].width(), 40.0F);
}

}  // namespace
}  // namespace headscope::ui
