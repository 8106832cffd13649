// Exports of the page Model: they are of the model's pass that is on the screen, with its text and
// its switched-off heads, and say so.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "../core/test_files.h"
#include "app/live_model.h"
#include "app_driver.h"
#include "core/formats/model_directory.h"
#include "core/formats/tokenizer_files.h"
#include "core/formats/why_json.h"
#include "core/tensor/safetensors.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExport = "export dialog";

class ModelExport : public testing::Test {
 protected:
  ModelExport() {
    ui.view().selection.page = kModelPage;
    ui.view().model.place = {tiny().string(), "The cat sat on the mat"};
    calm();
  }
  static fs::path tiny() { return fs::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2"; }
  void calm() {
    for (int i = 0; i < 3; ++i) {
      ui.frame();
      ui.settle();
    }
  }
  void ask(const char* item, const fs::path& path) {
    ui.click("Export ▾", "top bar");
    ui.click(item, "Popup");
    ui.typeInto("file", path.string(), kExport);
    ui.press(Key::enter);
  }
  std::string all() { return ui.screen().all(kExport); }
  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The pass of the page's text with head 0 of layer 1 switched off.
  static model::ModelTracePtr passWithoutAHead() {
    const auto model = formats::openModel(tiny(), kTestBudget);
    const model::ModelInput input{{283, 271, 84, 396, 278, 262, 298, 273}, {}, {}};
    const auto document = withoutHeads(*makeModelDocument(model, input), {{1, 0}});
    return runModel(document, nullptr, {}, kTestBudget);
  }

  TempFolder folder;
  AppDriver ui;
};

TEST_F(ModelExport, EveryTensorIsTheModelsOnTheScreen) {
  ui.view().model.layer = 1;
  ui.frame();
  ui.click("layer 2, head 1 off", kModelHeadsCard);
  calm();
  ask("Every tensor …", folder / "all");
  EXPECT_TRUE(ui.shows(
      "saved every tensor of tiny-gpt2 (2 layers of 4 heads, 8 tokens, 1 head off)", kExport))
      << all();
  const SafetensorsFile file(folder / "all.safetensors");
  ASSERT_EQ(file.names(), (std::vector<std::string>{"attentions", "hidden_states", "logits"}));
  ASSERT_EQ(file.shape("attentions"), (Shape{2, 4, 8, 8}));
  const auto pass = passWithoutAHead();
  EXPECT_EQ(file.read("logits").values(), pass->logits(0, 8).values());
  const auto second = pass->layer(1)->materialise(TensorId::weights).values();
  const auto found = file.read("attentions").values();
  ASSERT_EQ(found.size(), 2 * second.size());
  EXPECT_TRUE(std::equal(second.begin(), second.end(), found.begin() + std::ssize(second)));
  EXPECT_EQ(file.metadata().at("model"), "tiny-gpt2");
  EXPECT_EQ(file.metadata().at("ids"), "[283,271,84,396,278,262,298,273]");
  EXPECT_EQ(file.metadata().at("heads_off"), "[[1,0]]");
}

TEST_F(ModelExport, CtrlShiftTSavesTheModelsTrace) {
  ui.press(Key{'T'}, true, true);
  const fs::path path = "trace-of-CtrlShiftTSavesTheModelsTrace.safetensors";
  ASSERT_TRUE(fs::exists(path));
  EXPECT_NE(ui.app().message().find("tiny-gpt2 (2 layers of 4 heads, 8 tokens)"), std::string::npos)
      << ui.app().message();
  EXPECT_EQ(SafetensorsFile(path).shape("logits"), (Shape{8, 400}));
  fs::remove(path);
}

TEST_F(ModelExport, ATensorIsChosenAndWrittenInEachFormat) {
  ask("A tensor …", folder / "a.npy");
  EXPECT_EQ(read(folder / "a.npy").substr(1, 5), "NUMPY");
  EXPECT_TRUE(ui.shows("exported attentions (2, 4, 8, 8) of tiny-gpt2", kExport)) << all();
  ui.typeInto("file", (folder / "a.csv").string(), kExport);
  ui.press(Key::enter);
  const std::string csv = read(folder / "a.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "layer,head,row,token,0,1,2,3,4,5,6,7");
  EXPECT_NE(csv.find("\n1,3,0,The,1,0,0,0,0,0,0,0\n"), std::string::npos) << csv;
  ui.click("attentions (2, 4, 8, 8)", kExport);
  ui.click("hidden_states (3, 8, 32)", "Combo");
  ui.click("safetensors", kExport);
  ui.click("Export", kExport);
  EXPECT_EQ(SafetensorsFile(folder / "a.safetensors").shape("hidden_states"), (Shape{3, 8, 32}));
}

TEST_F(ModelExport, AScriptIsOfTheChosenLayer) {
  ui.view().model.layer = 1;
  ui.frame();
  ui.click("Export ▾", "top bar");
  ui.click("A PyTorch script …", "Popup");
  EXPECT_TRUE(ui.shows("layer 2 of tiny-gpt2 (4 heads, 8 tokens)", kExport)) << all();
  ui.typeInto("folder", (folder / "script").string(), kExport);
  ui.press(Key::enter);
  EXPECT_TRUE(ui.shows("exported a PyTorch script of layer 2 of tiny-gpt2", kExport)) << all();
  EXPECT_TRUE(fs::exists(folder / "script" / "tensors" / "weights.npy"));
}

/// The whole chain of the tab Why as JSON, as the command line writes it.
TEST_F(ModelExport, AChainIsWrittenWithAllItsLevels) {
  ui.view().model.prediction.reading = kWhyReading;
  ui.view().model.prediction.why = "h1.1 s2";
  calm();
  ui.click("export", kModelPredictionCard);
  EXPECT_TRUE(ui.shows("The chain of the tab Why with all levels", kExport)) << all();
  ui.typeInto("file", (folder / "chain").string(), kExport);
  ui.press(Key::enter);
  EXPECT_TRUE(ui.shows("exported the chain of 2 steps", kExport)) << all();
  const auto model = formats::openModel(tiny(), kTestBudget);
  const auto trace =
      runModel(makeModelDocument(model, {{283, 271, 84, 396, 278, 262, 298, 273}, {}, {}}), nullptr,
               {}, kTestBudget);
  const model::AskedWord asked{7, trace->predictions(7, 1).front().id, {}};
  const auto chain = whyChain(trace, asked, model::stepsFrom("h1.1 s2"), formats::kMeasuredParts);
  const auto tokenizer = formats::openTokenizer(tiny());
  EXPECT_EQ(read(folder / "chain.json"),
            whyJson(chain, formats::WhyNames{tokenizer, tokenizer}).dump(2) + "\n");
}

/// A picture next to the tab Why has every level of the chain, whichever is on the screen.
TEST_F(ModelExport, APictureOfAChainHasAllItsLevels) {
  ui.view().model.prediction.reading = kWhyReading;
  ui.view().model.prediction.why = "h1.1 s2";
  calm();
  EXPECT_FALSE(ui.shows("1  logit of", kModelPredictionCard)) << "one level alone";
  ui.click("export", kModelPredictionCard);
  ui.click("Picture", kExport);
  EXPECT_TRUE(ui.shows("chain", kExport)) << all();
  ui.click("SVG", kExport);
  ui.click("Export", kExport);
  auto asked = ui.app().takePictureRequest();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->subject, "chain of tiny-gpt2 (2 layers of 4 heads, 8 tokens)");
  EXPECT_EQ(asked->path.filename(), "headscope-chain.svg");
  App picture(std::move(asked->program));
  for (int i = 0; i < 3; ++i) {
    picture.finish();
    ui.host().frames(picture, 2);
  }
  for (const char* part : {"Why: logit of", "1  logit of", "2  layer 2, head 2", "3  why it looks",
                           "without layer 2, head 2: "}) {
    EXPECT_TRUE(ui.shows(part)) << part << '\n' << ui.screen().all();
  }
  EXPECT_FALSE(ui.shows("follow the largest")) << "a picture has no buttons";
}

TEST_F(ModelExport, APictureShowsTheModelAndWhatIsOff) {
  ui.click("layer 1, head 1 off", kModelHeadsCard);
  calm();
  ui.click("Export ▾", "top bar");
  ui.click("A picture …", "Popup");
  EXPECT_FALSE(ui.shows("step", kExport)) << "it is another page's\n" << all();
  ui.click("all layers", kExport);
  ui.click("Export", kExport);
  auto asked = ui.app().takePictureRequest();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->subject, "all layers of tiny-gpt2 (2 layers of 4 heads, 8 tokens, 1 head off)");
  App picture(std::move(asked->program));
  for (int i = 0; i < 3; ++i) {
    picture.finish();
    ui.host().frames(picture, 2);
  }
  EXPECT_TRUE(ui.shows("layer 2")) << ui.screen().all();
  EXPECT_TRUE(ui.shows("off")) << ui.screen().all();
  EXPECT_FALSE(ui.shows("layer 1, head 1 on")) << "a picture has no buttons";
  EXPECT_FALSE(ui.shows("open layer")) << ui.screen().all();
}

TEST_F(ModelExport, WithoutAModelItIsSaid) {
  const fs::path trace = "trace-of-WithoutAModelItIsSaid.safetensors";
  fs::remove(trace);  // a failed run may have left it
  ui.restart(presetDocument("original-transformer"));
  ui.view().selection.page = kModelPage;
  ui.frame();
  ui.press(Key{'E'}, true, true);
  EXPECT_TRUE(ui.shows("No model is open", kExport)) << all();
  ui.press(Key::escape);
  ui.press(Key{'T'}, true, true);
  EXPECT_NE(ui.app().message().find("no model is open"), std::string::npos) << ui.app().message();
  EXPECT_FALSE(fs::exists(trace));
}

}  // namespace
}  // namespace headscope::ui
