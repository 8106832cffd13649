// The tab Side by side of the page Model: another text, or another model, next to the page's own.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "app/ui/model/model_page.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/formats/shipped_model.h"
#include "core/formats/weight_errors.h"
#include "core/tensor/safetensors.h"
#include "tests/core/test_files.h"

namespace headscope::ui {
namespace {

constexpr const char* kPageText = "The cat sat on";
constexpr const char* kOther = "The sat on cat";  // of as many tokens

class ComparedModel : public testing::Test {
 protected:
  void SetUp() override {
    ui_.view().selection.page = kModelPage;
    ui_.view().model.place = {own(), kPageText};
    calm();
    ui_.click("Side by side", kModelPredictionCard);
    calm();
  }
  void calm() {
    for (int i = 0; i < 4; ++i) {
      ui_.frame();
      ui_.settle();
    }
    ui_.frame();
  }
  static std::string own() {
    return (std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2").string();
  }
  /// A copy of the model whose weights are rounded to F16.
  std::string rounded() {
    std::filesystem::create_directories(folder_ / "f16");
    for (const auto& entry : std::filesystem::directory_iterator(own())) {
      if (entry.path().extension() == ".safetensors") continue;
      std::filesystem::copy(entry.path(), folder_ / "f16");
    }
    const SafetensorsFile file(own() + "/model.safetensors");
    std::vector<NamedTensor> tensors;
    for (const std::string& name : file.names()) tensors.push_back({name, file.read(name)});
    writeSafetensors(folder_ / "f16/model.safetensors", tensors, {}, FileFloat::f16);
    return (folder_ / "f16").string();
  }
  ComparedView& compared() { return ui_.view().model.compared; }
  bool tabShows(const std::string& text) { return ui_.shows(text.c_str(), kModelPredictionCard); }
  bool headsShow(const std::string& text) { return ui_.shows(text.c_str(), kModelHeadsCard); }
  std::string tab() { return ui_.screen().all(kModelPredictionCard); }
  std::string heads() { return ui_.screen().all(kModelHeadsCard); }

  TempFolder folder_;
  AppDriver ui_;
};

TEST_F(ComparedModel, AnotherTextIsTypedAndItsPassStandsNextToThis) {
  EXPECT_FALSE(headsShow("difference"));
  ui_.click(fmt::format("another text; now: {}", kPageText), kModelPredictionCard);
  ui_.type(kOther);
  calm();
  EXPECT_EQ(compared().text, kOther);
  EXPECT_TRUE(tabShows("this − other: at most")) << tab();
  EXPECT_TRUE(tabShows("after “·on” in this pass, after “t” in the other")) << tab();

  ui_.click("difference", kModelHeadsCard);
  calm();
  EXPECT_EQ(compared().shown, PassShown::difference);
  ViewState back;
  back = viewFromJson(viewToJson(ui_.view()), back);
  EXPECT_EQ(back.model.compared.text, kOther);
  EXPECT_EQ(back.model.compared.shown, PassShown::difference);

  ui_.click("stop comparing", kModelPredictionCard);
  calm();
  EXPECT_FALSE(headsShow("difference")) << heads();
}

TEST_F(ComparedModel, TextsOfDifferentLengthDifferOnTheTokensOfBoth) {
  compared().text = "The cat";
  calm();
  // what follows a causal model's tokens changes nothing before it
  EXPECT_TRUE(tabShows("this − other, aligned: at most 0")) << tab();
  EXPECT_FALSE(tabShows("this − other, aligned: at most 0.")) << tab();
  compared().text = "A cat sat on the";
  calm();
  EXPECT_TRUE(tabShows("this − other, aligned: at most 0.")) << tab();
  compared().shown = PassShown::difference;
  calm();
  EXPECT_TRUE(headsShow("all 5 tokens, aligned with the 6 there")) << heads();
  EXPECT_GT(ui_.heatmaps(kModelHeadsCard).size(), 1U);
  ui_.view().model.metric = kDistanceMap;
  ui_.view().model.prediction.folded = true;
  calm();
  EXPECT_TRUE(headsShow(" %")) << heads();
}

TEST_F(ComparedModel, AModelOfOtherHeadsIsComparedAsFarAsItGoes) {
  compared().folder = formats::kStoriesModel;
  compared().shown = PassShown::difference;
  calm();
  EXPECT_TRUE(headsShow("heads of the same number, 2 × 4 here, 2 × 6 there")) << heads();
  EXPECT_TRUE(tabShows("this − other")) << tab();
}

TEST_F(ComparedModel, TheMapOfWhatMovedIsZeroForTheSameText) {
  compared().text = kPageText;
  ui_.view().model.metric = kDistanceMap;
  ui_.view().model.prediction.folded = true;  // leaves room for the numbers
  calm();
  EXPECT_TRUE(headsShow("0.0 %")) << heads();
  compared().text = kOther;
  calm();
  EXPECT_FALSE(headsShow("0.0 %")) << heads();
  EXPECT_TRUE(headsShow(" %")) << heads();
}

TEST_F(ComparedModel, AnotherModelsWeightsStandNextToThese) {
  compared().folder = rounded();
  calm();
  EXPECT_TRUE(tabShows("the chosen head")) << tab();
  ui_.click("weights", kModelPredictionCard);
  calm();
  const auto errors = formats::weightErrors(own(), compared().folder);
  const auto worst = std::ranges::max(errors, {}, &formats::WeightError::relativeMean);
  EXPECT_EQ(compared().tensor, worst.tensor);
  EXPECT_TRUE(tabShows(fmt::format("{:.1e}", worst.relativeMean()))) << tab();
  EXPECT_TRUE(tabShows(fmt::format("this − other: at most {:.3g}", worst.largest))) << tab();
}

TEST_F(ComparedModel, AModelThatDoesNotOpenIsSaid) {
  compared().folder = "/nowhere";
  calm();
  EXPECT_TRUE(tabShows("/nowhere")) << tab();
}

}  // namespace
}  // namespace headscope::ui
