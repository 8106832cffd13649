// A layer of a model that the command line opens in the window: Flow has the bar of its model, and
// the page Model what the model was given.
#include <filesystem>
#include <string>

#include "app/cli/layer_of_model.h"
#include "app/ui/model/model_page.h"
#include "app_driver.h"
#include "core/base/error.h"

namespace headscope::ui {
namespace {

std::string folderOf(const std::string& name) {
  return (std::filesystem::path(HEADSCOPE_TEST_DATA) / name).string();
}

class OpenedLayer : public testing::Test {
 protected:
  void open(const cli::PassOptions& options) {
    AppOptions asked;
    openWithModel(asked, options);
    ui_.restartWith(asked.document, [&](AppOptions& app) {
      app.models = asked.models;
      app.view = asked.view;
    });
    for (int i = 0; i < 3; ++i) {
      ui_.settle();
      ui_.frame();
    }
  }

  AppDriver ui_;
};

TEST_F(OpenedLayer, HasTheBarOfItsModelAndTheWayBack) {
  cli::PassOptions options;
  options.model = folderOf("tiny-gpt2");
  options.texts = {"The cat sat"};
  options.layer = 1;
  options.dropHeads = {"2"};
  open(options);
  EXPECT_TRUE(ui_.shows("tiny-gpt2, layer 2 of 2", kLayerStripCard)) << ui_.screen().all();
  EXPECT_TRUE(ui_.shows("tiny-gpt2, layer 2", "top bar")) << ui_.screen().all("top bar");
  EXPECT_EQ(ui_.config().gain(2), 0.0F);
  ui_.click("← Model", kLayerStripCard);
  EXPECT_EQ(ui_.view().selection.page, kModelPage);
  EXPECT_EQ(ui_.view().model.place.text, "The cat sat");
  EXPECT_EQ(ui_.view().model.layer, 1);
  EXPECT_TRUE(ui_.shows("as loaded", kModelTextCard)) << "the model runs without that head";
}

TEST_F(OpenedLayer, MayBeACrossAttentionOrOneOverPatches) {
  cli::PassOptions options;
  options.model = folderOf("families/t5");
  options.ids = {44, 59, 8, 32};
  options.target.ids = {0, 5, 9};
  options.layer = 1;
  options.attention = "cross";
  open(options);
  EXPECT_TRUE(ui_.shows("t5, layer 2, cross-attention", kLayerStripCard))
      << ui_.screen().all(kLayerStripCard);
  cli::PassOptions image;
  image.model = folderOf("image_models/vit");
  image.image.image = folderOf("pictures/color.jpg");
  image.layer = 0;
  open(image);
  EXPECT_TRUE(ui_.shows("vit, layer 1 of 2", kLayerStripCard)) << ui_.screen().all();
  image.image.image.clear();
  image.image.pixels = "none.safetensors";
  EXPECT_THROW(open(image), UserError);
}

}  // namespace
}  // namespace headscope::ui
