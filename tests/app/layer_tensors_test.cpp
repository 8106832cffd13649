// The tab “Network” of the page Model: the tensors of a layer's stream and network with gradients.
#include "app/ui/model/model_page.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/formats/shipped_model.h"
#include "prediction_card.h"

namespace headscope::ui {
namespace {

using LayerTensorsView = PredictionCard;

TEST_F(LayerTensorsView, ShowsTheNetworkOfTheChosenLayer) {
  open(formats::kStoriesModel, "Mia gave the coin to Leo. Leo thanked");
  ui.click("Network", kModelPredictionCard);
  calm();
  EXPECT_TRUE(shows("The gradient is that of the logit of “Mia”"));
  EXPECT_TRUE(shows("columns coordinates"));
  ui.click("neurons", kModelPredictionCard);
  EXPECT_TRUE(shows("columns neurons"));
  ui.view().model.layer = 1;
  calm();
  EXPECT_TRUE(shows("layer 2"));
  EXPECT_TRUE(shows("gradient: at most"));
}

TEST_F(LayerTensorsView, ALayerWithoutANetworkHasItsStreams) {
  open(formats::kInductionModel, "abcdefgh abcd");
  ui.click("Network", kModelPredictionCard);
  calm();
  EXPECT_TRUE(shows("stream after the layer"));
  EXPECT_FALSE(shows("neurons"));
}

TEST_F(LayerTensorsView, FlowLeadsToIt) {
  open(formats::kStoriesModel, "Mia gave the coin to Leo. Leo thanked");
  ui.view().model.layer = 1;
  ui.frame();
  ui.click("open layer 2 in Flow", kModelHeadsCard);
  ui.click("Network", kLayerStripCard);
  EXPECT_EQ(ui.view().selection.page, kModelPage);
  EXPECT_TRUE(shows("layer 2"));
  EXPECT_TRUE(shows("gradient: at most"));
}

}  // namespace
}  // namespace headscope::ui
