// The tab “Network” of the page Model: the tensors of a layer's stream and network with gradients.
#include "app/ui/model/model_page.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/formats/shipped_model.h"

namespace headscope::ui {
namespace {

class LayerTensorsView : public testing::Test {
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

  AppDriver ui_;
};

TEST_F(LayerTensorsView, ShowsTheNetworkOfTheChosenLayer) {
  open(formats::kStoriesModel, "Mia gave the coin to Leo. Leo thanked");
  ui_.click("Network", kModelPredictionCard);
  ui_.settle();
  ui_.frame();
  EXPECT_TRUE(shows("The gradient is that of the logit of “Mia”"));
  EXPECT_TRUE(shows("columns coordinates"));
  ui_.click("neurons", kModelPredictionCard);
  EXPECT_TRUE(shows("columns neurons"));
  ui_.view().model.layer = 1;
  ui_.frame();
  ui_.settle();
  ui_.frame();
  EXPECT_TRUE(shows("layer 2"));
  EXPECT_TRUE(shows("gradient: at most"));
}

TEST_F(LayerTensorsView, ALayerWithoutANetworkHasItsStreams) {
  open(formats::kInductionModel, "abcdefgh abcd");
  ui_.click("Network", kModelPredictionCard);
  ui_.settle();
  ui_.frame();
  EXPECT_TRUE(shows("stream after the layer"));
  EXPECT_FALSE(shows("neurons"));
}

TEST_F(LayerTensorsView, FlowLeadsToIt) {
  open(formats::kStoriesModel, "Mia gave the coin to Leo. Leo thanked");
  ui_.view().model.layer = 1;
  ui_.frame();
  ui_.click("open layer 2 in Flow", kModelHeadsCard);
  ui_.click("Network", kLayerStripCard);
  EXPECT_EQ(ui_.view().selection.page, kModelPage);
  EXPECT_TRUE(shows("layer 2"));
  EXPECT_TRUE(shows("gradient: at most"));
}

}  // namespace
}  // namespace headscope::ui
