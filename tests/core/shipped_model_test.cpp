// The model shipped with the program: it opens, predicts what it has learned, and has the heads
// that it is meant to show; and the model files that training writes.
#include "core/formats/shipped_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/document/trace.h"
#include "core/formats/tokenizer_files.h"
#include "core/formats/trained_model.h"
#include "core/model/tokenized.h"
#include "core/training/task_pass.h"
#include "core/training/trainer.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test {
namespace {

using training::Examples;

/// Passes of the shipped model over examples that it was not trained on.
class ShippedInduction : public testing::Test {
 protected:
  static std::vector<Index> idsOf(const Examples& examples, Index example) {
    const auto first = examples.symbols.begin() + example * examples.length;
    return {first, first + examples.length};
  }
  model::ModelTracePtr run(Index example) const {
    return model::runModel(model::makeModelDocument(model_, {idsOf(examples_, example), {}, {}}),
                           nullptr, {}, kBudgetBytes);
  }

  /// A head's mean weight on the declared partners.
  double massOn(std::size_t relation, Index layer, Index head) const {
    double mass = 0.0, rows = 0.0;
    for (Index example = 0; example < kLooked; ++example) {
      const TracePtr trace = run(example)->layer(layer);
      for (Index row = 0; row < examples_.length; ++row) {
        bool any = false;
        for (Index col = 0; col < examples_.length; ++col) {
          const Index at = (example * examples_.length + row) * examples_.length + col;
          if (examples_.partners[relation][static_cast<std::size_t>(at)] == 0) continue;
          any = true;
          mass += static_cast<double>(trace->value({TensorId::weights, 0, head, row, col}));
        }
        rows += any ? 1.0 : 0.0;
      }
    }
    return mass / rows;
  }
  double largestMass(std::size_t relation, Index layer) const {
    double largest = 0.0;
    for (Index head = 0; head < model_->config().heads; ++head) {
      largest = std::max(largest, massOn(relation, layer, head));
    }
    return largest;
  }

  static constexpr Index kLooked = 12;
  const training::Task& task_ = training::taskFromString("induction");
  Examples examples_ = training::evaluationExamples(task_);
  model::ModelPtr model_ = formats::openModel(formats::kInductionModel, kBudgetBytes);
};

TEST_F(ShippedInduction, SaysTheNextLetter) {
  Index asked = 0, right = 0;
  for (Index example = 0; example < examples_.count; ++example) {
    const auto trace = run(example);
    for (Index row = 0; row < examples_.length; ++row) {
      const auto at = static_cast<std::size_t>(example * examples_.length + row);
      const float answer = examples_.answers.front()[at];
      if (std::isnan(answer)) continue;
      ++asked;
      right += trace->predictions(row, 1).front().id == static_cast<Index>(answer) ? 1 : 0;
    }
  }
  EXPECT_GT(asked, 500);
  EXPECT_GE(static_cast<double>(right), 0.99 * static_cast<double>(asked));
}

TEST_F(ShippedInduction, HasAPreviousTokenHeadAndThenAnInductionHead) {
  EXPECT_EQ(model_->config().layers, 2);
  EXPECT_GE(largestMass(0, 0), 0.8);
  EXPECT_GE(largestMass(1, 1), 0.9);
  EXPECT_LE(largestMass(1, 0), 0.3) << "the first layer cannot";
}

TEST_F(ShippedInduction, BeginsWithATextOfItsOwn) {
  const auto tokenizer = formats::openTokenizer(formats::kInductionModel);
  const auto tokens = tokenizer->encode(model_->config().example);
  EXPECT_EQ(std::ssize(tokens), examples_.length * 3 / 4) << "it has room to go on";
  const auto typed = inputOf(tokenizer->encode("The Cat"), *tokenizer, model_->config());
  EXPECT_EQ(typed.tokens, (std::vector<std::string>{"t", "h", "e", "c", "a", "t"}));
}

TEST(ShippedModel, OthersOfTheKindAreRefusedByName) {
  EXPECT_FALSE(formats::shippedModel("headscope"));
  EXPECT_TRUE(formats::shippedModel(formats::kInductionModel));
  EXPECT_THROW(formats::openModel("headscope:nothing", kBudgetBytes), UserError);
}

TEST(TrainedModel, WrittenAndOpenedItSaysWhatItDidInTraining) {
  const training::Task& task = training::taskFromString("induction");
  training::TrainingSettings settings = settingsOf(task);
  settings.model.dModel = 16;
  settings.batch = 4;
  training::Trainer trainer(task, settings, kBudgetBytes);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(trainer.step({}));
  const TempFolder folder;
  formats::saveAsModel(folder.path(), trainer.model());
  const Examples examples = training::evaluationExamples(task);
  training::TaskPass pass(trainer.model(), examples);
  ASSERT_TRUE(pass.forward({}));
  const auto opened = formats::openModel(folder.path(), kBudgetBytes);
  EXPECT_EQ(opened->parameters(), parameterCount(task, settings.model));
  const std::vector<Index> ids(examples.symbols.begin(),
                               examples.symbols.begin() + examples.length);
  const std::vector<float> said = logitsOf(opened, ids);
  ASSERT_EQ(std::ssize(said), examples.length * 26);
  for (std::size_t i = 0; i < said.size(); ++i) {
    ASSERT_NEAR(said[i], pass.logits().data()[i], 1e-5) << i;
  }
}

TEST(TrainedModel, ATaskThatNamesNoNextLetterIsRefused) {
  const training::Task& task = training::taskFromString("cards");
  const training::TaskModel model(task, settingsOf(task).model, 1);
  const TempFolder folder;
  EXPECT_THROW(formats::saveAsModel(folder / "model", model), UserError);
  EXPECT_FALSE(std::filesystem::exists(folder / "model"));
}

TEST(FirstTokens, ATextIsCutWhereATokenEnds) {
  const auto bert = formats::openTokenizer(modelData("tiny-bert"));
  const std::string text = "the cat sat on the mat and the cat sat on it";
  const auto whole = bert->encode(text);
  for (Index most = 3; most < std::ssize(whole); ++most) {
    const std::string_view first = model::firstTokens(text, *bert, most);
    const auto tokens = bert->encode(first);
    ASSERT_EQ(std::ssize(tokens), most) << first;
    EXPECT_EQ(tokens.front(), whole.front());
    EXPECT_EQ(tokens.back().id, whole.back().id) << "what stands around it stays";
  }
  EXPECT_EQ(model::firstTokens(text, *bert, 1000), text);
  EXPECT_EQ(model::firstTokens(text, *bert, 1), "");
  const auto gpt2 = formats::openTokenizer(modelData("tiny-gpt2"));
  const std::string faces = "😀😀😀";
  for (const Index most : {1, 2, 5, 7}) {
    const std::string_view first = model::firstTokens(faces, *gpt2, most);
    EXPECT_LE(std::ssize(gpt2->encode(first)), most);
    EXPECT_EQ(first.size() % 4, 0U) << "no half of a character";
  }
}

}  // namespace
}  // namespace headscope::test
