// Files: dropped, opened by path, and the trace that is saved.
#include <filesystem>

#include "../core/test_files.h"
#include "app_driver.h"
#include "core/document/trace.h"
#include "core/tensor/safetensors.h"

namespace headscope::ui {
namespace {

class Files : public testing::Test {
 protected:
  void drop(const std::filesystem::path& path) {
    ui_.app().dropFiles({path});
    ui_.settle();
  }
  /// Checks that the file is refused with a message on the screen and that nothing else has
  /// changed.
  void refuses(const std::filesystem::path& path, const std::string& why) {
    const DocumentPtr before = ui_.app().document();
    drop(path);
    EXPECT_EQ(ui_.app().document(), before);
    EXPECT_NE(ui_.app().message().find(path.filename().string()), std::string::npos)
        << ui_.app().message();
    EXPECT_NE(ui_.app().message().find(why), std::string::npos) << ui_.app().message();
    EXPECT_TRUE(ui_.shows(ui_.app().message().substr(0, 20)));
  }

  TempFolder folder_;
  AppDriver ui_;
};

TEST_F(Files, ASeriesIsDropped) {
  drop(folder_.file("weather.csv", "temperature,wind\n1,2\n3,5\n2,2\n8,1\n"));
  EXPECT_EQ(ui_.trace().config().seqLen, 4);
  EXPECT_TRUE(std::holds_alternative<SeriesSource>(*ui_.document().source));
  EXPECT_TRUE(ui_.shows("opened"));
  EXPECT_EQ(ui_.undoAll(), 1);
}

TEST_F(Files, AnInputAndItsWeightsAreDropped) {
  writeSafetensors(folder_ / "x.safetensors", {{"x", Tensor::zeros({2, 5, 24})}},
                   std::map<std::string, std::string>{});
  drop(folder_ / "x.safetensors");
  EXPECT_EQ(ui_.trace().config().dModel, 24);
  EXPECT_EQ(ui_.trace().config().seqLen, 5);
  EXPECT_EQ(ui_.trace().config().batch, 2);
  drop(golden("plain_mha_d24_h4"));
  EXPECT_EQ(ui_.document().weightSource.loadedFrom, "plain_mha_d24_h4.safetensors");
  EXPECT_EQ(ui_.trace().documentPtr(), ui_.app().document());
}

/// Six heads of width 8 that share two key heads: the file does not name the head width.
TEST_F(Files, WeightsAreSplitByTheHeadWidthThatIsSetOrAsTheirKeysFit) {
  const auto path = folder_ / "layer.safetensors";
  writeSafetensors(path,
                   {{"q_proj.weight", Tensor::zeros({48, 24})},
                    {"k_proj.weight", Tensor::zeros({16, 24})},
                    {"v_proj.weight", Tensor::zeros({16, 24})},
                    {"o_proj.weight", Tensor::zeros({24, 48})}},
                   std::map<std::string, std::string>{});
  ASSERT_EQ(ui_.document().config.numHeads, 8);
  drop(path);  // 8 heads would be 6 wide, which 16 rows of keys are no multiple of
  EXPECT_EQ(ui_.document().config.numHeads, 6);
  EXPECT_EQ(ui_.document().config.numKvHeads, 2);
  EXPECT_EQ(ui_.document().config.dK(), 8);
  EXPECT_NE(ui_.app().message().find("taken as 6 heads of 8"), std::string::npos)
      << ui_.app().message();
  ui_.app().apply(SetDimensions{24, 3, 1, 16});
  ui_.settle();
  drop(path);
  EXPECT_EQ(ui_.trace().config().numHeads, 3);
  EXPECT_EQ(ui_.trace().config().numKvHeads, 1);
  EXPECT_EQ(ui_.trace().config().dK(), 16);
  EXPECT_EQ(ui_.app().message().find("taken as"), std::string::npos) << ui_.app().message();
}

TEST_F(Files, WhatCannotBeReadIsNamed) {
  refuses(folder_ / "nowhere.csv", "");
  refuses(folder_.file("ragged.csv", "a,b\n1,2\n3\n"), "");
  refuses(folder_.file("words.csv", "a,b\n1,two\n"), "two");
  refuses(folder_.file("notes.md", "hello"), "only .csv (a series), .safetensors");
  refuses(folder_.file("cut.safetensors", "\x08\x00\x00"), "");
  refuses(folder_.file("lying.safetensors",
                       safetensorsBytes(
                           R"({"x":{"dtype":"F32","shape":[2,2],"data_offsets":[0,400]}})", 16)),
          "");
}

TEST_F(Files, OneIsOpenedByItsPath) {
  const auto path = folder_.file("two.csv", "a\n1\n2\n5\n");
  ui_.click("open file", "tokens");
  ui_.type(path.string());
  ui_.press(Key::enter);
  EXPECT_EQ(ui_.trace().config().seqLen, 3);
  EXPECT_FALSE(ui_.shows("Dropping a file"));
}

TEST_F(Files, ANewTextReplacesASeries) {
  drop(folder_.file("weather.csv", "temperature,wind\n1,2\n3,5\n2,2\n8,1\n"));
  ui_.typeSentence("Back to words");
  EXPECT_TRUE(std::holds_alternative<TextSource>(*ui_.document().source));
  EXPECT_EQ(ui_.trace().config().seqLen, 3);
}

TEST_F(Files, TokensOfASeriesAndOfTensorsAreDraggedToo) {
  drop(folder_.file("weather.csv", "temperature,wind\n1,2\n3,5\n2,2\n8,1\n"));
  const Tensor before = std::get<SeriesSource>(*ui_.document().source).items[0]->values;
  const auto chips = *ui_.window("chips");
  const auto& tokens = ui_.document().input->tokens[0];
  ui_.host().drag(ui_.app(), ui_.at(tokens[0], "chips"), {chips.x1 - 20, middle(chips).y});
  ui_.settle();
  const Tensor after = std::get<SeriesSource>(*ui_.document().source).items[0]->values;
  EXPECT_EQ(after.at({3, 0}), before.at({0, 0}));
  EXPECT_EQ(after.at({0, 0}), before.at({1, 0}));
}

TEST_F(Files, CtrlShiftTSavesEveryTensorOfTheTrace) {
  ui_.typeSentence("Save these words");
  ui_.press(Key{'T'}, true, true);
  const std::filesystem::path path = "trace-of-CtrlShiftTSavesEveryTensorOfTheTrace.safetensors";
  ASSERT_TRUE(std::filesystem::exists(path));
  EXPECT_TRUE(ui_.shows("saved every tensor of Flow's layer (d_model 512, 8 heads, 3 tokens) to"));
  const SafetensorsFile file(path);
  EXPECT_NE(file.metadata().at("tokens").find("words"), std::string::npos);
  EXPECT_EQ(file.shape("weights"), (Shape{1, 8, 3, 3}));
  EXPECT_EQ(file.read("output").values(), ui_.trace().tensor(TensorId::output).values());
  EXPECT_EQ(file.readAny("masked_scores").values(),
            ui_.trace().materialise(TensorId::maskedScores).values());
  std::filesystem::remove(path);

  ui_.click("Export ▾", "top bar");
  ui_.click("Trace: every tensor (.safetensors)", "Popup");
  EXPECT_TRUE(std::filesystem::remove(path));
}

}  // namespace
}  // namespace headscope::ui
