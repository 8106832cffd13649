// A LoRA adapter on the model page: it is dropped onto the open model, its strength is an edit, and
// the heads' map shows how much it changes each of them.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/ui/model/model_page.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/tensor/safetensors.h"
#include "tests/core/test_files.h"

namespace headscope::ui {
namespace {

class ModelAdapterPage : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "lora");
    writeConfig("openai-community/gpt2");
    const std::string name = "base_model.model.transformer.h.0.attn.c_attn.lora_";
    writeSafetensors(folder_ / "lora/adapter_model.safetensors",
                     std::vector<NamedTensor>{{name + "A.weight", waves({8, 32})},
                                              {name + "B.weight", waves({96, 8})}});
  }
  void writeConfig(const std::string& base) const {
    folder_.file("lora/adapter_config.json",
                 R"({"peft_type": "LORA", "r": 8, "lora_alpha": 16, "base_model_name_or_path": ")" +
                     base + "\"}");
  }
  static Tensor waves(const Shape& shape) {
    Tensor t = Tensor::uninitialised(shape);
    for (Index i = 0; i < t.size(); ++i) {
      t.mutableData()[i] = 0.5F * static_cast<float>(std::sin(0.7 * static_cast<double>(i)));
    }
    return t;
  }
  static std::filesystem::path base() {
    return std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2";
  }
  void drop(const std::filesystem::path& path) {
    ui_.app().dropFiles({path});
    settle();
  }
  void settle() {
    ui_.frame();
    ui_.settle();
    ui_.frame();
  }
  const ModelPlace& place() { return ui_.view().model.place; }
  std::string all(const char* card) { return ui_.screen().all(card); }

  TempFolder folder_;
  AppDriver ui_;
};

TEST_F(ModelAdapterPage, IsDroppedOntoTheOpenModelAndTakenOffByUndo) {
  drop(base());
  EXPECT_FALSE(ui_.shows("strength of the adapter", kModelTextCard));
  drop(folder_ / "lora");
  EXPECT_TRUE(ui_.shows("tiny-gpt2 + lora", kModelTextCard)) << all(kModelTextCard);
  EXPECT_TRUE(ui_.shows("strength of the adapter", kModelTextCard));
  EXPECT_EQ(place().adapter, (folder_ / "lora").string());
  EXPECT_EQ(place().adapterStrength, 1.0);

  const ImVec2 from = ui_.at("1.00", kModelTextCard);
  ui_.host().drag(ui_.app(), from, {from.x - 40.0F, from.y});
  settle();
  const double strength = place().adapterStrength;
  EXPECT_GT(strength, 0.1);
  EXPECT_LT(strength, 0.9);
  EXPECT_TRUE(ui_.shows(fmt::format("{:.2f}", strength), kModelTextCard)) << all(kModelTextCard);
  ViewState back;
  back = viewFromJson(viewToJson(ui_.view()), back);
  EXPECT_EQ(back.model.place, place());

  ui_.click("take off", kModelTextCard);
  settle();
  EXPECT_EQ(place().adapter, "");
  EXPECT_FALSE(ui_.shows("tiny-gpt2 + lora", kModelTextCard)) << all(kModelTextCard);
  ui_.press(Key{'Z'}, true);
  settle();
  EXPECT_EQ(place().adapterStrength, strength);
  EXPECT_TRUE(ui_.shows("tiny-gpt2 + lora", kModelTextCard)) << all(kModelTextCard);
  ui_.press(Key{'Z'}, true);
  ui_.press(Key{'Z'}, true);
  settle();
  EXPECT_EQ(place().adapter, "");
}

TEST_F(ModelAdapterPage, TheMapOfHeadsShowsItsChange) {
  drop(base());
  EXPECT_FALSE(ui_.shows("changed by the adapter", kModelHeadsCard));
  drop(folder_ / "lora");
  ui_.pick("a measure", "changed by the adapter", kModelHeadsCard);
  settle();
  EXPECT_EQ(ui_.view().model.metric, kAdapterMap);
  EXPECT_TRUE(ui_.shows("0.00", kModelHeadsCard)) << all(kModelHeadsCard);  // layer 2
  ui_.click("take off", kModelTextCard);
  settle();
  EXPECT_EQ(ui_.view().model.metric, "");
}

TEST_F(ModelAdapterPage, WithoutItsBaseItAsksForIt) {
  drop(folder_ / "lora");
  EXPECT_TRUE(ui_.shows("is an adapter (LoRA) of openai-community/gpt2", kModelTextCard))
      << all(kModelTextCard);
  writeConfig(base().string());
  drop(folder_ / "lora");
  EXPECT_TRUE(ui_.shows("tiny-gpt2 + lora", kModelTextCard)) << all(kModelTextCard);
}

TEST_F(ModelAdapterPage, ThatDoesNotFitLeavesTheModelAsItIs) {
  drop(std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-llama");
  drop(folder_ / "lora");
  EXPECT_TRUE(ui_.shows("does not have", kModelTextCard)) << all(kModelTextCard);
  EXPECT_EQ(place().adapter, "");
  EXPECT_FALSE(ui_.shows("strength of the adapter", kModelTextCard));
}

}  // namespace
}  // namespace headscope::ui
