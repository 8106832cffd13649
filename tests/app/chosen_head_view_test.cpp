// The tab “One head” of the page Model: arcs over the text, and a file of attention weights, for
// which only the readings that need no prediction are offered.
#include "../core/test_files.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/formats/shipped_model.h"
#include "core/tensor/safetensors.h"

namespace headscope::ui {
namespace {

class ChosenHeadView : public testing::Test {
 protected:
  void open(const std::string& folder, const std::string& text = {}) {
    ui_.view().selection.page = kModelPage;
    ui_.view().model.place = {folder, text};
    for (int i = 0; i < 3; ++i) {
      ui_.frame();
      ui_.settle();
    }
    ui_.frame();
  }
  bool shows(const char* text) { return ui_.shows(text, kModelPredictionCard); }

  TempFolder folder_;
  AppDriver ui_;
};

TEST_F(ChosenHeadView, SaysWhereTheChosenWordLooks) {
  open(formats::kInductionModel, "abcdefgh abcd");
  ui_.click("One head", kModelPredictionCard);
  ui_.settle();
  ui_.frame();
  EXPECT_TRUE(shows("Layer 1, head 1"));
  EXPECT_TRUE(shows("“d” looks at"));
  ui_.view().model.token = 2;
  ui_.frame();
  EXPECT_TRUE(shows("“c” looks at"));
  EXPECT_TRUE(shows("Layer by layer"));
}

TEST_F(ChosenHeadView, AFileOfAttentionWeightsShowsThemAlone) {
  Tensor weights = Tensor::zeros({2, 1, 2, 2});
  for (Index row = 0; row < 4; ++row) {
    weights.mutableData()[2 * row] = 0.75F;
    weights.mutableData()[2 * row + 1] = 0.25F;
  }
  const auto path = folder_ / "mine.safetensors";
  writeSafetensors(path, std::vector<NamedTensor>{{"attentions", weights}},
                   {{"tokens", R"(["left","right"])"}, {"model", "my model"}});
  ui_.app().dropFiles({path});
  for (int i = 0; i < 4; ++i) {
    ui_.frame();
    ui_.settle();
  }
  ui_.frame();
  EXPECT_TRUE(ui_.shows("my model", kModelTextCard));
  EXPECT_TRUE(ui_.shows("2 layers · 1 head · 2 tokens", kModelTextCard));
  EXPECT_TRUE(ui_.shows("Only the attention weights are those of the file", kModelTextCard));
  EXPECT_TRUE(shows("“right” looks at “left” 75 %, “right” 25 %."));
  EXPECT_TRUE(shows("Side by side"));
  EXPECT_FALSE(shows("Layer by layer"));
  EXPECT_FALSE(shows("Why"));
  // what only weights of its own would give is not offered
  for (const char* made : {"repeated random tokens", "in Flow", "head 1 off", "no lines"}) {
    EXPECT_FALSE(ui_.shows(made, kModelHeadsCard)) << made;
  }
}

/// Cross-attention of a file: two texts, and no attention but that of the file.
TEST_F(ChosenHeadView, AFileOfCrossAttentionShowsBothTexts) {
  Tensor weights = Tensor::zeros({2, 3, 2, 3});
  for (Index row = 0; row < 12; ++row) {
    weights.mutableData()[3 * row] = 0.75F;
    weights.mutableData()[3 * row + 2] = 0.25F;
  }
  const auto path = folder_ / "cross.safetensors";
  writeSafetensors(path, std::vector<NamedTensor>{{"attentions", weights}},
                   {{"queries", R"(["le","chat"])"}, {"keys", R"(["the","grey","cat"])"}});
  ui_.app().dropFiles({path});
  for (int i = 0; i < 4; ++i) {
    ui_.frame();
    ui_.settle();
  }
  ui_.frame();
  EXPECT_TRUE(ui_.shows("2 layers · 3 heads · 2 × 3 tokens", kModelTextCard))
      << ui_.screen().all(kModelTextCard);
  EXPECT_TRUE(ui_.shows("the grey cat", kModelTextCard));
  EXPECT_TRUE(shows("Alignment")) << ui_.screen().all(kModelPredictionCard);
  EXPECT_TRUE(shows("mean of all"));
  EXPECT_TRUE(shows("grey")) << "words have the names of the file";
  EXPECT_FALSE(shows("as it is read"));
  for (const char* made : {"Streams", "Why", "Side by side", "Go on", "One head"}) {
    EXPECT_FALSE(shows(made)) << made;
  }
  for (const char* made : {"encoder", "decoder", "repeated random tokens", "in Flow"}) {
    EXPECT_FALSE(ui_.shows(made, kModelHeadsCard)) << made;
  }
  EXPECT_EQ(ui_.heatmaps(kModelHeadsCard).size(), 6U);
}

}  // namespace
}  // namespace headscope::ui
