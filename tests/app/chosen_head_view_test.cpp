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

}  // namespace
}  // namespace headscope::ui
