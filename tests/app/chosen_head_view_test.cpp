// The tab “One head” of the page Model: arcs over the text, and a file of attention weights, for
// which only the readings that need no prediction are offered.
#include "../core/test_files.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/formats/shipped_model.h"
#include "core/tensor/safetensors.h"
#include "prediction_card.h"

namespace headscope::ui {
namespace {

class ChosenHeadView : public PredictionCard {
 protected:
  TempFolder folder_;
};

TEST_F(ChosenHeadView, SaysWhereTheChosenWordLooks) {
  open(formats::kInductionModel, "abcdefgh abcd");
  ui.click("One head", kModelPredictionCard);
  ui.settle();
  ui.frame();
  EXPECT_TRUE(shows("Layer 1, head 1"));
  EXPECT_TRUE(shows("“d” looks at"));
  ui.view().model.token = 2;
  ui.frame();
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
  ui.app().dropFiles({path});
  for (int i = 0; i < 4; ++i) {
    ui.frame();
    ui.settle();
  }
  ui.frame();
  EXPECT_TRUE(ui.shows("my model", kModelTextCard));
  EXPECT_TRUE(ui.shows("2 layers · 1 head · 2 tokens", kModelTextCard));
  EXPECT_TRUE(ui.shows("Only the attention weights are those of the file", kModelTextCard));
  EXPECT_TRUE(shows("“right” looks at “left” 75 %, “right” 25 %."));
  EXPECT_TRUE(shows("Side by side"));
  EXPECT_FALSE(shows("Layer by layer"));
  EXPECT_FALSE(shows("Why"));
  // what only weights of its own would give is not offered
  for (const char* made : {"repeated random tokens", "in Flow", "head 1 off", "no lines"}) {
    EXPECT_FALSE(ui.shows(made, kModelHeadsCard)) << made;
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
  ui.app().dropFiles({path});
  for (int i = 0; i < 4; ++i) {
    ui.frame();
    ui.settle();
  }
  ui.frame();
  EXPECT_TRUE(ui.shows("2 layers · 3 heads · 2 × 3 tokens", kModelTextCard))
      << ui.screen().all(kModelTextCard);
  EXPECT_TRUE(ui.shows("the grey cat", kModelTextCard));
  EXPECT_TRUE(shows("Alignment")) << ui.screen().all(kModelPredictionCard);
  EXPECT_TRUE(shows("mean of all"));
  EXPECT_TRUE(shows("grey")) << "words have the names of the file";
  EXPECT_FALSE(shows("as it is read"));
  for (const char* made : {"Streams", "Why", "Side by side", "Go on", "One head"}) {
    EXPECT_FALSE(shows(made)) << made;
  }
  for (const char* made : {"encoder", "decoder", "repeated random tokens", "in Flow"}) {
    EXPECT_FALSE(ui.shows(made, kModelHeadsCard)) << made;
  }
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 6U);
}

}  // namespace
}  // namespace headscope::ui
