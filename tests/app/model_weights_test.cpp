// The model page over weights that are damaged, or that change on the disk while it shows them.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "app/live_model.h"
#include "app/ui/model/model_page.h"
#include "app_driver.h"
#include "core/document/trace.h"
#include "tests/core/support/model_folders.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;
using test::ModelFolder;

class ModelWeights : public testing::Test {
 protected:
  void SetUp() override {
    ModelFolder("tiny-gpt2").write(first_);
    ModelFolder other("tiny-gpt2");
    for (auto& [name, tensor] : other.tensors) {
      Tensor& own = other.own(name);
      for (Index i = 0; i < own.size(); ++i) own.mutableData()[i] *= 2.0F;
    }
    other.write(second_);
    fs::last_write_time(file(), fs::last_write_time(file()) - std::chrono::hours(1));
  }
  fs::path file() const { return first_ / "model.safetensors"; }
  /// Overwrites the file in place with the same number of bytes.
  void overwrite() const {
    std::fstream(file(), std::ios::in | std::ios::out | std::ios::binary)
        << readAll(second_ / "model.safetensors");
  }

  TempFolder first_, second_;
};

class ModelWeightsInAWindow : public ModelWeights {
 protected:
  void open(const fs::path& folder) {
    ui.app().dropFiles({folder});
    show();
  }
  void say(const std::string& ids) {
    ui.view().model.place.text = ids;
    ui.frame();
    show();
  }
  void show() {
    ui.settle();
    ui.frame();
  }
  /// Advances the clock so that the program checks the files again.
  void aSecondLater() {
    ui.host().advance(1.5);
    ui.frame();
    show();
  }
  std::string card() { return ui.screen().all(kModelTextCard); }
  /// The text of the card from the model's prediction on.
  std::string said() {
    const std::string all = card();
    return all.substr(std::min(all.size(), all.find("itpredicts")));  // read without its spaces
  }
  std::string nameOf(const TempFolder& folder) { return folder.path().filename().string(); }

  AppDriver ui;
};

TEST_F(ModelWeightsInAWindow, ANumberThatIsNoneIsNamedAndTheLastModelStays) {
  open(first_.path());
  const std::string before = said();
  ASSERT_NE(before, "");
  for (const char* tensor : {"cls.predictions.bias", "cls.predictions.transform.LayerNorm.weight",
                             "bert.encoder.layer.1.output.dense.bias"}) {
    const TempFolder damaged;
    ModelFolder bert("tiny-bert");
    bert.own(tensor).mutableData()[5] = std::nanf("");
    bert.write(damaged);
    open(damaged.path());
    EXPECT_TRUE(ui.shows(std::string(tensor) + "[5] is NaN in", kModelTextCard)) << card();
    EXPECT_TRUE(ui.shows(nameOf(first_), kModelTextCard)) << card();
    EXPECT_EQ(said(), before);
    EXPECT_FALSE(ui.shows("nan %")) << card();
  }
}

TEST_F(ModelWeightsInAWindow, ALogitThatOverflowsIsSaidAndNotShown) {
  ModelFolder gpt2("tiny-gpt2");
  gpt2.config["tie_word_embeddings"] = false;
  gpt2.tensors["lm_head.weight"] = gpt2.tensors.at("transformer.wte.weight");
  gpt2.fill("lm_head.weight", 3e38F);
  const TempFolder folder;
  gpt2.write(folder);
  open(folder.path());
  EXPECT_TRUE(ui.shows("the logits at token 0", kModelTextCard)) << card();
  EXPECT_FALSE(ui.shows("Computing the prediction", kModelTextCard)) << "it will never be there";
  EXPECT_FALSE(ui.shows("being computed", kModelPredictionCard)) << "nor here";
  EXPECT_FALSE(ui.shows("nan %")) << card();
}

TEST_F(ModelWeightsInAWindow, AChangeOnTheDiskIsSaidAndReloaded) {
  open(second_.path());
  say("5, 17, 200");
  const std::string ofSecond = said();
  open(first_.path());
  say("5, 17, 200");
  const std::string ofFirst = said();
  ASSERT_NE(ofFirst, ofSecond);
  aSecondLater();
  EXPECT_FALSE(ui.shows("have changed", kModelTextCard)) << card();

  overwrite();
  aSecondLater();
  EXPECT_TRUE(ui.shows("The weights on the disk have changed", kModelTextCard)) << card();
  EXPECT_EQ(said().substr(0, ofFirst.size()), ofFirst) << "all of it is still of those before";
  ui.click("Reload", kModelTextCard);
  show();
  EXPECT_FALSE(ui.shows("have changed", kModelTextCard)) << card();
  EXPECT_EQ(said(), ofSecond);
}

TEST_F(ModelWeightsInAWindow, AFileThatIsCutShortDoesNotEndIt) {
  open(first_.path());
  const std::string before = said();
  fs::resize_file(file(), 100);
  aSecondLater();
  EXPECT_TRUE(ui.shows("The weights on the disk have changed", kModelTextCard)) << card();
  ui.click("Reload", kModelTextCard);
  show();
  EXPECT_TRUE(ui.shows("model.safetensors is not a usable", kModelTextCard)) << card();
  EXPECT_TRUE(ui.shows("Reload", kModelTextCard)) << "once it is whole again";
  EXPECT_EQ(said(), before);
}

/// The memory holds only one layer at a time: another text reads the first layer again.
TEST_F(ModelWeights, APassOverTextReadsNoWeightsOfAnotherModel) {
  constexpr Index kOneLayer = 80'000;
  Scheduler scheduler;
  LiveModel live(scheduler, kOneLayer);
  const auto settle = [&] {
    live.finish();
    live.follow();
    live.watchFiles(0.0);
    live.finish();
    live.watchFiles(0.0);
  };
  live.open(first_.path(), "5, 17, 200");
  settle();
  ASSERT_EQ(live.problem(), "");
  const auto before = live.moment();
  ASSERT_NE(before, nullptr);
  ASSERT_EQ(before->trace->document().model->layersKept(), 1);
  overwrite();
  live.setText("6, 17, 200");
  settle();
  EXPECT_NE(live.problem().find("model.safetensors has changed on the disk"), std::string::npos)
      << live.problem();
  EXPECT_EQ(live.moment(), before);
  EXPECT_TRUE(live.weightsChanged());
  live.reload();
  settle();
  EXPECT_EQ(live.problem(), "");
  EXPECT_FALSE(live.weightsChanged());
  EXPECT_EQ(live.moment()->text, "5, 17, 200");
  EXPECT_NE(live.moment()->trace->last().values(), before->trace->last().values());
}

}  // namespace
}  // namespace headscope::ui
