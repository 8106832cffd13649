// The map of gradients: how strongly the chosen word depends on each head of a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "app_driver.h"
#include "core/attention/tensor_id.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/formats/model_directory.h"
#include "core/formats/shipped_model.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/model_gradients.h"
#include "core/model/position_patterns.h"
#include "core/model/tokenized.h"

namespace headscope::ui {
namespace {

constexpr const char* kText = "The cat sat on";

class GradientMap : public testing::Test {
 protected:
  void open(const std::string& name, const std::string& text) {
    ui.view().selection.page = kModelPage;
    ui.view().model.place = {folder(name), text};
    calm();
    ui.click("fold", kModelPredictionCard);  // leaves room for the numbers
  }
  void calm() {
    for (int i = 0; i < 3; ++i) {
      ui.frame();
      ui.settle();
    }
    ui.frame();
  }
  static std::string folder(const std::string& name) {
    return (std::filesystem::path(HEADSCOPE_TEST_DATA) / name).string();
  }
  bool shows(const std::string& text) { return ui.shows(text.c_str(), kModelHeadsCard); }
  std::string all() { return ui.screen().all(kModelHeadsCard); }

  static model::ModelTracePtr traceOfText() {
    const auto model = formats::openModel(folder("tiny-gpt2"), defaultMemoryBudget() / 8);
    const auto tokenizer = formats::openTokenizer(folder("tiny-gpt2"));
    return runModel(makeModelDocument(model, inputOf(tokenizer->encode(kText, true, "text"),
                                                     *tokenizer, model->config())),
                    nullptr, {}, defaultMemoryBudget() / 8);
  }
  /// The lengths of all heads' gradients for the word that the model predicts last, in words.
  static std::vector<std::string> lengths(std::optional<Index> other) {
    const auto trace = traceOfText();
    const Index row = trace->tokens() - 1;
    const Index word = trace->predictions(row, 1).front().id;
    const Tensor heads = gradientsOfLogit(trace, row, word, other, {}).value().heads;
    const Index each = heads.dim(2) * heads.dim(3);
    std::vector<double> found;
    for (Index head = 0; head < heads.dim(0) * heads.dim(1); ++head) {
      double squares = 0.0;
      for (Index i = 0; i < each; ++i) {
        const auto d = static_cast<double>(heads.data()[head * each + i]);
        squares += d * d;
      }
      found.push_back(std::sqrt(squares));
    }
    std::ranges::sort(found, std::greater<>());
    std::vector<std::string> words;
    for (const double length : found) words.push_back(fmt::format("{:.3g}", length));
    return words;
  }

  AppDriver ui;
};

TEST_F(GradientMap, ShowsTheLengthOfEachHeadsGradient) {
  open("tiny-gpt2", kText);
  ui.pick("a measure", "gradient of the word", kModelHeadsCard);
  calm();
  EXPECT_EQ(ui.heatmaps(kModelHeadsCard).size(), 0U);
  EXPECT_TRUE(shows("gradient of the logit of “T” with respect to")) << all();
  for (const std::string& length : lengths(std::nullopt)) EXPECT_TRUE(shows(length)) << all();

  constexpr Index kOther = 262;
  ui.view().model.prediction.other = kOther;
  calm();
  EXPECT_TRUE(shows("“T” − logit of “")) << all();
  for (const std::string& length : lengths(kOther)) EXPECT_TRUE(shows(length)) << all();
}

/// Flow shows gradients of one layer, the page Model those of all heads; each keeps its own.
TEST_F(GradientMap, StandsNextToTheGradientsOfALayer) {
  open("tiny-gpt2", kText);
  ui.pick("a measure", "gradient of the word", kModelHeadsCard);
  calm();
  ui.click("open layer 1 in Flow", kModelHeadsCard);
  ui.view().selection.gradients = true;
  calm();
  EXPECT_TRUE(ui.shows("gradient of the logit of “T”")) << ui.screen().all();
  ui.view().selection.page = kModelPage;
  calm();
  for (const std::string& length : lengths(std::nullopt)) EXPECT_TRUE(shows(length)) << all();
}

TEST_F(GradientMap, SortsTheHeads) {
  open("tiny-gpt2", kText);
  ui.view().model.metric = ui.view().model.heads.order = "gradient";
  calm();
  EXPECT_TRUE(shows("sorted by gradient")) << all();
  const std::string text = all();
  std::size_t last = 0;
  for (const std::string& length : lengths(std::nullopt)) {  // the largest first
    const std::size_t at = text.find(length, last);
    ASSERT_NE(at, std::string::npos) << length << " in " << text;
    last = at;
  }
}

TEST_F(GradientMap, NeedsAWordThatIsPredicted) {
  open("tiny-gpt2", kText);
  ui.view().model.metric = "gradient";
  ui.view().model.heads.on = MeasuredOn::probe;
  calm();
  EXPECT_TRUE(shows("no word is predicted here")) << all();
  open("families/clip_text_model", "1 2 3");
  ui.click("a measure", kModelHeadsCard);
  EXPECT_TRUE(ui.shows("tokens you choose", "Combo"));
  EXPECT_FALSE(ui.shows("gradient of the word", "Combo"));
}

/// A layer of the model in Flow shows the gradients of the word's logit; with another text on the
/// page, those of the output's sum.
TEST_F(GradientMap, IsOfTheWordInAModelsLayerInFlow) {
  open("tiny-gpt2", kText);
  ui.click("open layer 1 in Flow", kModelHeadsCard);
  calm();
  ui.press(Key{'G'}, false, true);
  calm();
  ASSERT_TRUE(ui.view().frame.gradientsThere);
  const auto trace = traceOfText();
  const Index row = trace->tokens() - 1;
  const Index word = trace->predictions(row, 1).front().id;
  const CellRef cell{TensorId::heads, 0, 2, row, 1, -1, true};
  const auto shown = [&](std::optional<Index> other) {
    const Tensor heads = gradientsOfLogit(trace, row, word, other, {}).value().heads;
    return number(static_cast<double>(heads.at({0, 2, row, 1})), 5);
  };
  ui.view().selection.step = StepId::weigh;
  ui.view().selection.head = 2;
  ui.view().selection.cell = cell;
  calm();
  EXPECT_TRUE(ui.shows("the gradient of the logit of “T” with respect to each number"));
  EXPECT_TRUE(ui.shows(shown(std::nullopt)));
  constexpr Index kOther = 262;
  ui.view().model.prediction.other = kOther;
  calm();
  EXPECT_TRUE(ui.shows(shown(kOther)));
  ui.view().model.place.text = "The dog sat on";
  calm();
  EXPECT_TRUE(ui.shows("the gradient of the output's sum with respect to each number"));
}

class LettersMap : public GradientMap {
 protected:
  /// Shows a map of the model of repeated letters.
  void showOfLetters(const char* map) {
    ui.view().selection.page = kModelPage;
    ui.view().model.place = {formats::kInductionModel, "abcdefgh abcd"};
    ui.settle();
    ui.frame();
    ui.pick("a measure", map, kModelHeadsCard);
    for (int i = 0; i < 3; ++i) {
      ui.settle();
      ui.frame();
    }
  }
};

class CopyingMap : public LettersMap {};

TEST_F(CopyingMap, TellsWhichHeadsCopyByTheirWeightsAlone) {
  showOfLetters("copying");
  EXPECT_EQ(ui.view().model.metric, kCopyingMap);
  EXPECT_TRUE(ui.shows("+1.00", kModelHeadsCard)) << ui.screen().all(kModelHeadsCard);
}

class PositionMap : public LettersMap {};

TEST_F(PositionMap, TellsWhichHeadsGoByPosition) {
  showOfLetters("by position alone");
  EXPECT_EQ(ui.view().model.metric, kPositionMap);
  const auto tokenizer = formats::openTokenizer(formats::kInductionModel);
  const auto model = formats::openModel(formats::kInductionModel, kTestBudget);
  const auto trace = runModel(
      makeModelDocument(
          model, inputOf(tokenizer->encode("abcdefgh abcd", true), *tokenizer, model->config())),
      nullptr, {}, kTestBudget);
  const auto shares = model::sharesByPosition(*trace, {}).value();
  for (const double share : shares) {
    const std::string shown = fmt::format("{:.2f}", share);
    EXPECT_TRUE(ui.shows(shown, kModelHeadsCard)) << shown << ui.screen().all(kModelHeadsCard);
  }
}

}  // namespace
}  // namespace headscope::ui
