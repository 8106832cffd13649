// The model page: a folder is dropped, all heads are shown, a text is typed, a layer opens.
#include "app/ui/model/model_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "app/gl/scene.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/base/files.h"
#include "core/model/compositions.h"
#include "core/model/edited_layer.h"

namespace headscope::ui {
namespace {

class ModelPage : public testing::Test {
 protected:
  void open(const std::string& name) {
    ui.app().dropFiles({std::filesystem::path(HEADSCOPE_TEST_DATA) / name});
    ui.settle();
    ui.frame();
  }
  std::string all(const char* card) { return ui.screen().all(card); }

  AppDriver ui;
};

TEST_F(ModelPage, SaysHowOneGetsThere) {
  ui.click("Model", "top bar");
  EXPECT_TRUE(ui.shows("Drop the folder of a model on this window", kModelTextCard));
}

TEST_F(ModelPage, TheTrainedExampleOpensByOneClick) {
  ui.view().selection.page = kModelPage;
  ui.frame();
  ui.click("Open a model of repeated letters", kModelTextCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("headscope induction", kModelTextCard)) << all(kModelTextCard);
  EXPECT_TRUE(ui.shows("it predicts", kModelTextCard));
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 8U);
  EXPECT_EQ(ui.view().model.place.folder, "headscope:induction");
  EXPECT_EQ(ui.view().model.place.text.size(), 24U);
}

TEST_F(ModelPage, TheLanguageModelOpensByOneClickAndSaysTheNextWord) {
  ui.view().selection.page = kModelPage;
  ui.frame();
  ui.click("Open a small language model", kModelTextCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("headscope stories", kModelTextCard)) << all(kModelTextCard);
  EXPECT_TRUE(ui.shows("Leo", kModelTextCard)) << all(kModelTextCard);
  EXPECT_FALSE(ui.shows("letters a to z", kModelTextCard)) << "that is the other model";
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 12U);
  ui.click("box", kModelTextCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("opened", kModelTextCard)) << all(kModelTextCard);
  EXPECT_TRUE(ui.shows("After “the” it predicts", kModelTextCard)) << all(kModelTextCard);
}

TEST_F(ModelPage, ATextThatIsTooLongIsCutByAButton) {
  open("tiny-gpt2");
  std::string text;
  for (int i = 0; i < 100; ++i) text += " the cat";
  ui.view().model.place.text = text;
  ui.frame();
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("takes at most 64", kModelTextCard)) << all(kModelTextCard);
  ui.click("use the first 64 tokens", kModelTextCard);
  ui.settle();
  ui.frame();
  EXPECT_FALSE(ui.shows("takes at most 64", kModelTextCard)) << all(kModelTextCard);
  EXPECT_TRUE(ui.shows("the first 64 of ", kModelTextCard)) << all(kModelTextCard);
}

/// The tokens of a long text scroll; the predictions below them stay in view.
TEST(ModelText, PredictionsOfALongTextStayInView) {
  AppDriver ui(presetDocument("by-hand"), 1000, 760);  // the page itself fits
  ui.view().selection.page = kModelPage;
  std::string text;
  for (int i = 0; i < 60; ++i) text += '\x05';  // a wide name: <0x05>
  ui.view().model.place = {std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2", text};
  ui.frame();
  ui.settle();
  ui.frame();
  const auto percents = [&] {
    const std::string all = ui.screen().all(kModelTextCard);
    return std::count(all.begin(), all.end(), '%');
  };
  ASSERT_TRUE(ui.shows("tokens known", kModelTextCard)) << ui.screen().all();
  const auto shown = percents();
  EXPECT_GE(shown, 6) << ui.screen().all(kModelTextCard);
  const auto card = *ui.window(kModelTextCard);
  ui.host().moveMouse({(card.x0 + card.x1) / 2, std::lerp(card.y0, card.y1, 0.3F)});
  for (int i = 0; i < 50; ++i) {
    ui.host().wheel(-1);
    ui.frame();
  }
  ui.settle();
  EXPECT_EQ(ui.window(kModelTextCard)->y0, card.y0) << "the page scrolled, not the card";
  EXPECT_FALSE(ui.shows("tokens known", kModelTextCard)) << ui.screen().all(kModelTextCard);
  EXPECT_EQ(percents(), shown) << ui.screen().all(kModelTextCard);
}

TEST_F(ModelPage, ASessionsModelIsOpenedAgain) {
  open("tiny-gpt2");
  ui.view().model.place.text = "The cat";
  ui.view().model.layer = 1;
  ui.frame();
  ui.settle();
  ui.frame();
  const std::string kept = viewToJson(ui.view());
  AppDriver later;
  later.view() = viewFromJson(kept, later.view());
  later.frame();
  later.settle();
  later.frame();
  EXPECT_TRUE(later.shows("tiny-gpt2", kModelTextCard)) << later.screen().all(kModelTextCard);
  EXPECT_EQ(later.view().model.place, ui.view().model.place);
  EXPECT_EQ(later.view().model.layer, 1);
}

TEST_F(ModelPage, AFolderThatIsGoneIsSaid) {
  ui.view().selection.page = kModelPage;
  ui.view().model.place = {"/no/such/folder", "The cat"};
  ui.frame();
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("/no/such/folder is not there", kModelTextCard)) << all(kModelTextCard);
  EXPECT_EQ(ui.view().model.place.folder, "/no/such/folder") << "it may come back";
}

TEST_F(ModelPage, ADroppedFolderOpensWithAllItsHeads) {
  open("tiny-gpt2");
  EXPECT_EQ(ui.view().selection.page, kModelPage);
  EXPECT_TRUE(ui.shows("tiny-gpt2", kModelTextCard)) << all(kModelTextCard);
  EXPECT_TRUE(ui.shows("2 layers · d_model 32 · 4 heads of 8", kModelTextCard));
  EXPECT_TRUE(ui.shows("it predicts", kModelTextCard));
  EXPECT_TRUE(ui.shows("layer 2", kModelHeadsCard)) << all(kModelHeadsCard);
  EXPECT_TRUE(ui.shows("head 4", kModelHeadsCard));
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 8U);
  ui.pick("a measure", "Previous token", kModelHeadsCard);
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 0U) << "a number for each head instead";
}

TEST_F(ModelPage, ALayerOpensInFlow) {
  open("tiny-gpt2");
  ui.view().model.layer = 1;
  ui.view().model.head = 2;
  ui.frame();
  ui.view().model.token = 9;
  ui.click("open layer 2 in Flow", kModelHeadsCard);
  ui.settle();
  ui.frame();
  EXPECT_EQ(ui.view().selection.page, kFlowPage);
  EXPECT_EQ(ui.config().dModel, 32);
  EXPECT_EQ(ui.config().numHeads, 4);
  EXPECT_EQ(ui.view().selection.head, 2);
  ASSERT_TRUE(ui.view().selection.cell);
  EXPECT_EQ(ui.view().selection.cell->row, 9) << "the chosen token";
  EXPECT_EQ(ui.view().selection.cell->tensor, TensorId::weights);
}

TEST_F(ModelPage, ARotatedLayerOpensWithItsTurn) {
  open("tiny-llama");
  ui.click("open layer 1 in Flow", kModelHeadsCard);
  EXPECT_EQ(ui.view().selection.page, kFlowPage);
  EXPECT_TRUE(ui.config().rotary.on());
  ui.click("Rotate", "steps");
  EXPECT_EQ(ui.heatmaps("stage").size(), 2U);
}

TEST_F(ModelPage, AHeadThatIsOffChangesWhatIsSaid) {
  open("tiny-gpt2");
  const std::string before = all(kModelTextCard);
  ui.click("layer 1, head 1 off", kModelHeadsCard);
  EXPECT_TRUE(ui.shows("layer 1, head 1 on", kModelHeadsCard));
  EXPECT_NE(all(kModelTextCard), before);
  ui.click("as loaded", kModelTextCard);
  EXPECT_EQ(all(kModelTextCard), before);
}

TEST_F(ModelPage, HeadsAreMeasuredOnRepeatedRandomTokensToo) {
  open("tiny-gpt2");
  ui.pick("a measure", "Induction", kModelHeadsCard);
  const std::string text = all(kModelHeadsCard);
  ui.click("repeated random tokens", kModelHeadsCard);
  ui.settle();
  ui.frame();
  EXPECT_EQ(ui.view().model.heads.on, MeasuredOn::probe);
  EXPECT_FALSE(ui.shows("running repeated random tokens", kModelHeadsCard));
  EXPECT_NE(all(kModelHeadsCard), text);
}

TEST_F(ModelPage, HeadsAreMeasuredOverTheTextsOfASet) {
  open("tiny-gpt2");
  ui.pick("a measure", "Previous token", kModelHeadsCard);
  ui.view().model.prediction.sweepTexts = std::string(HEADSCOPE_TEST_DATA) + "/texts.jsonl";
  ui.click("texts of a set", kModelHeadsCard);
  for (int i = 0; i < 3; ++i) {
    ui.settle();
    ui.frame();
  }
  EXPECT_TRUE(ui.shows("1·1: Previous token", kModelHeadsCard)) << all(kModelHeadsCard);
  EXPECT_TRUE(ui.shows(" texts, largest in", kModelHeadsCard)) << all(kModelHeadsCard);
}

/// Each measure of heads has a map, and a click on one of the best texts opens it.
TEST_F(ModelPage, TheBestTextsOfAMeasureAreOpened) {
  open("tiny-gpt2");
  ui.pick("a measure", "Confidence", kModelHeadsCard);
  ui.view().model.prediction.sweepTexts = std::string(HEADSCOPE_TEST_DATA) + "/texts.jsonl";
  ui.click("texts of a set", kModelHeadsCard);
  for (int i = 0; i < 3; ++i) {
    ui.settle();
    ui.frame();
  }
  EXPECT_TRUE(ui.shows("Confidence", kModelHeadsCard)) << all(kModelHeadsCard);
  EXPECT_TRUE(ui.shows("The cat sat on the mat  0.", kModelHeadsCard)) << all(kModelHeadsCard);
  ui.click("The cat sat  0.", kModelHeadsCard);
  ui.settle();
  ui.frame();
  EXPECT_EQ(ui.view().model.place.text, "The cat sat");
}

TEST_F(ModelPage, HeadsAreSortedAndKeepTheirNames) {
  open("tiny-gpt2");
  ui.view().model.heads.order = "previous_token";
  ui.frame();
  EXPECT_FALSE(ui.shows("layer 2", kModelHeadsCard)) << all(kModelHeadsCard);
  EXPECT_TRUE(ui.shows("2·4", kModelHeadsCard)) << all(kModelHeadsCard);
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 8U);
}

TEST_F(ModelPage, WeightOnChosenTokensAndPartnersAreFound) {
  open("tiny-gpt2");
  ui.pick("a measure", "tokens you choose", kModelHeadsCard);
  ui.view().model.heads.keys = {2, 3};
  ui.view().model.heads.lines = model::Composition::key;
  ui.frame();
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("1·1 most with", kModelHeadsCard)) << all(kModelHeadsCard);
  EXPECT_TRUE(ui.shows("mean K of all pairs", kModelHeadsCard));
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 0U);
}

/// An edit of a layer in Flow is an edit of the model.
class EditedLayer : public ModelPage {
 protected:
  EditedLayer() {
    open("tiny-gpt2");
    before_ = best();
    ui.view().selection.page = kModelPage;
    ui.frame();
    ui.click("open layer 1 in Flow", kModelHeadsCard);
    ui.settle();
    ui.frame();
  }
  void settled() {
    ui.settle();
    ui.frame();
    ui.settle();
    ui.frame();
  }
  /// The figures of the page Model, which this opens.
  std::string best() {
    ui.view().selection.page = kModelPage;
    ui.frame();
    const std::string said = all(kModelTextCard);
    ui.view().selection.page = kFlowPage;
    ui.frame();
    return said;
  }

  std::string before_;
};

TEST_F(EditedLayer, SaysWhereItStands) {
  EXPECT_TRUE(ui.shows("tiny-gpt2, layer 1 of 2", kLayerStripCard)) << ui.screen().all();
  EXPECT_TRUE(ui.shows("the model predicts", kLayerStripCard));
  ui.click("← Model", kLayerStripCard);
  EXPECT_EQ(ui.view().selection.page, kModelPage);
}

TEST_F(EditedLayer, IsRunInTheModelAndUndone) {
  ui.app().apply(SetHeadGain{0, 0.0F});
  settled();
  const std::string edited = best();
  EXPECT_NE(edited, before_);
  EXPECT_NE(edited.find("asloadeditpredicts"), std::string::npos) << edited;
  EXPECT_TRUE(ui.shows("unedited", kLayerStripCard)) << all(kLayerStripCard);
  EXPECT_TRUE(ui.shows("1*", kLayerStripCard)) << all(kLayerStripCard);
  ui.press(Key{'Z'}, true);
  settled();
  EXPECT_EQ(best(), before_);
  EXPECT_FALSE(ui.shows("unedited", kLayerStripCard));
}

TEST_F(EditedLayer, AnotherLayerOpensFromTheStripAndSeesTheEdit) {
  const Tensor plain = ui.app().document()->input->x;
  ui.app().apply(SetSwitch{&Switches::temperature, 4.0});
  settled();
  ui.click("2", kLayerStripCard);
  settled();
  EXPECT_TRUE(ui.shows("layer 2 of 2", kLayerStripCard)) << all(kLayerStripCard);
  EXPECT_FALSE(ui.app().document()->input->x.sameAs(plain));
  EXPECT_EQ(ui.config().switches->temperature, 1.0);
  ui.press(Key{'Z'}, true);
  settled();
  EXPECT_TRUE(ui.shows("layer 1 of 2", kLayerStripCard)) << all(kLayerStripCard);
}

TEST_F(EditedLayer, WithAnotherInputItIsNoLayerOfTheModel) {
  ui.app().apply(SetText{0, false, "something else"});
  settled();
  EXPECT_FALSE(ui.shows("layer 1 of 2", kLayerStripCard));
}

TEST_F(ModelPage, WithoutATokenizerIdsAreTyped) {
  open("tiny-llama");
  EXPECT_TRUE(ui.shows("the folder has no tokenizer", kModelTextCard)) << all(kModelTextCard);
  EXPECT_TRUE(ui.shows("0, 1, 2", kModelTextCard));
}

TEST_F(ModelPage, HeadsOfManyTokensAreMadeSmallInTheBackground) {
  const std::filesystem::path from = std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-llama";
  const std::filesystem::path folder = "many-tokens-llama";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  std::filesystem::copy(from / "model.safetensors", folder / "model.safetensors");
  std::string config = readText(from / "config.json", 1 << 16, "the config");
  const std::string positions = "\"max_position_embeddings\": 128";
  ASSERT_NE(config.find(positions), std::string::npos);
  config.replace(config.find(positions), positions.size(), "\"max_position_embeddings\": 600");
  std::ofstream(folder / "config.json") << config;

  ui.app().dropFiles({folder});
  ui.settle();
  constexpr int kTokens = 520;  // more than a small picture has cells
  std::string ids;
  for (int i = 0; i < kTokens; ++i) ids += fmt::format("{}{}", i == 0 ? "" : ", ", 3 + i * 7 % 90);
  ui.view().model.place.text = ids;
  ui.frame();
  ui.settle();
  ui.frame();
  ASSERT_EQ(ui.heatmaps(kModelHeadsCard).size(), 8U) << all(kModelHeadsCard);
  int pictures = 0;
  for (const auto& command : ui.app().scene().commands) {
    const auto* batch = std::get_if<gl::HeatmapBatch>(&command.batch);
    if (batch == nullptr) continue;
    for (const gl::HeatmapSource& source : batch->sources) {
      ASSERT_LT(source.rows, kTokens);
      const auto cols = static_cast<std::size_t>(source.cols);
      std::vector<float> cells(static_cast<std::size_t>(source.rows) * cols);
      source.fill(cells.data());
      EXPECT_EQ(cells.front(), 1.0F) << "the first token sees itself alone";
      EXPECT_EQ(cells[cols - 1], gl::kMaskedCell) << "and not the last one";
      ++pictures;
    }
  }
  EXPECT_EQ(pictures, 8);

  // any of the tokens can be chosen
  EXPECT_FALSE(ui.shows("places 401 to 520", kModelTextCard)) << all(kModelTextCard);
  ui.click("places 1 to 400", kModelTextCard);
  EXPECT_TRUE(ui.shows("places 401 to 520", kModelTextCard)) << all(kModelTextCard);
  EXPECT_EQ(ui.view().model.token, -1) << "to look at others chooses none";
  std::filesystem::remove_all(folder);
}

/// A line gives the number of unknown fields, and its tooltip lists them.
TEST_F(ModelPage, WhatAFolderHoldsAndThePassLeavesOutIsSaid) {
  open("tiny-gpt2");
  EXPECT_FALSE(ui.shows("unknown field", kModelTextCard)) << all(kModelTextCard);
  const auto folder = std::filesystem::temp_directory_path() / "headscope_noted_model";
  std::filesystem::remove_all(folder);
  std::filesystem::copy(std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2", folder);
  std::string config = readText(folder / "config.json", 1 << 20, "config");
  config.insert(config.find('{') + 1, "\"favourite_colour\": \"green\", \"shape\": 3,");
  std::ofstream(folder / "config.json") << config;
  ui.app().dropFiles({folder});
  ui.settle();
  ui.frame();
  ASSERT_TRUE(ui.shows("2 unknown fields", kModelTextCard)) << all(kModelTextCard);
  ui.hover(ui.at("2 unknown fields", kModelTextCard));
  ui.settle();
  EXPECT_TRUE(ui.shows("favourite_colour is \"green\""));
  EXPECT_TRUE(ui.shows("shape is 3"));
  std::filesystem::remove_all(folder);
}

TEST_F(ModelPage, AFolderThatIsNoModelSaysWhyAndTheOpenOneStays) {
  open("tiny-gpt2");
  open("");
  EXPECT_TRUE(ui.shows("config.json", kModelTextCard)) << all(kModelTextCard);
  EXPECT_TRUE(ui.shows("tiny-gpt2", kModelTextCard));
  EXPECT_TRUE(ui.shows("layer 2", kModelHeadsCard));
}

}  // namespace
}  // namespace headscope::ui
