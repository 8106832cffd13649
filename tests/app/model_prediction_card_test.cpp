// From words to prediction: a token is chosen, the model's prediction is shown layer by layer with
// the contributions to it, a head's output is replaced, and the model continues the text.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "../core/test_files.h"
#include "app/live_generation.h"
#include "app/ui/model/prediction_views.h"
#include "app/view_json.h"
#include "core/formats/model_directory.h"
#include "core/formats/numpy_files.h"
#include "core/formats/shipped_model.h"
#include "core/formats/text_templates.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/circuits.h"
#include "core/model/head_output.h"
#include "core/model/path_patching.h"
#include "core/model/steering.h"
#include "core/model/sweep.h"
#include "core/model/tokenized.h"
#include "prediction_card.h"

namespace headscope::ui {
namespace {

TEST_F(PredictionCard, TellsFromWhereOnTheModelKnows) {
  openInduction();
  EXPECT_TRUE(shows("after “d”")) << all();
  EXPECT_TRUE(shows("“e” ranks first")) << all();
  EXPECT_TRUE(shows("layer 2 attention")) << all();
  EXPECT_FALSE(shows("FFN")) << "it has none\n" << all();
  EXPECT_FALSE(shows("final norm")) << all();
  ui.view().model.token = 9;  // the second b
  calm();
  EXPECT_TRUE(shows("“c” ranks first")) << all();
}

TEST_F(PredictionCard, AWordIsChosen) {
  openTiny("tiny-gpt2", "The cat sat on");
  EXPECT_EQ(ui.view().model.prediction.word, -1) << "the most probable";
  EXPECT_TRUE(shows("“T” ranks first")) << all();
  ui.click("ire", kModelPredictionCard);
  calm();
  EXPECT_GE(ui.view().model.prediction.word, 0);
  EXPECT_TRUE(shows("“ire” ends at rank 4")) << all();
}

TEST_F(PredictionCard, AnyWordIsTyped) {
  openTiny("tiny-gpt2", "The cat sat");
  ui.click("another word", kModelPredictionCard);
  ui.type(" the");
  ui.press(Key::enter);
  calm();
  EXPECT_EQ(ui.view().model.prediction.word, 262);
  EXPECT_TRUE(shows("·the")) << all();
  ui.click("another word", kModelPredictionCard);
  ui.type("the cat sat");
  ui.press(Key::enter);
  ui.frame();
  EXPECT_TRUE(ui.shows("give a word of one token")) << ui.screen().all();
  EXPECT_EQ(ui.view().model.prediction.word, 262);
}

TEST_F(PredictionCard, FoldedItLeavesItsRoomToTheHeads) {
  openInduction();
  const float before = ui.heatmaps(kModelHeadsCard).at(0).y1 - ui.heatmaps(kModelHeadsCard)[0].y0;
  ui.click("fold", kModelPredictionCard);
  const float after = ui.heatmaps(kModelHeadsCard).at(0).y1 - ui.heatmaps(kModelHeadsCard)[0].y0;
  EXPECT_GT(after, before);
  EXPECT_FALSE(shows("ranks first")) << all();
  tab("Who says it");
  EXPECT_TRUE(shows("sum of")) << all();
}

TEST_F(PredictionCard, EnlargedItTakesTheRoomOfTheHeads) {
  openInduction();
  const float before = ui.window(kModelPredictionCard)->y0;
  ui.click("enlarge", kModelPredictionCard);
  ui.frame();
  EXPECT_LT(ui.window(kModelPredictionCard)->y0, before);
  EXPECT_FALSE(ui.shows("All layers", kModelHeadsCard)) << ui.screen().all();
  EXPECT_TRUE(shows("ranks first")) << all();
  EXPECT_TRUE(viewFromJson(viewToJson(ui.view()), {}).model.prediction.enlarged);
  ui.view().frame.inSight = kModelHeadsCard;
  ui.frame();
  EXPECT_TRUE(ui.shows("All layers", kModelHeadsCard)) << "what is searched for is shown";
  ui.click("enlarge", kModelPredictionCard);
  ui.click("reduce", kModelPredictionCard);
  ui.frame();
  EXPECT_EQ(ui.window(kModelPredictionCard)->y0, before);
  EXPECT_TRUE(ui.shows("All layers", kModelHeadsCard));
}

TEST_F(PredictionCard, PartsAddUpToTheLogit) {
  openInduction();
  tab("Who says it");
  EXPECT_TRUE(shows("sum of")) << all();
  EXPECT_TRUE(shows("layer 2, head")) << all();
  EXPECT_FALSE(shows("FFN")) << all();
  openTiny("tiny-bert", "the cat sat");
  EXPECT_TRUE(shows("the masked-word head's activation at this token")) << all();
  openTiny("tiny-gpt2", "The cat sat");
  EXPECT_TRUE(shows("FFN")) << all();
  EXPECT_TRUE(shows("final norm's scale")) << all();
}

TEST_F(PredictionCard, AHeadsOutputIsReplaced) {
  openTiny("tiny-gpt2", "The cat sat");
  tab("Another output");
  EXPECT_TRUE(shows("With the output of layer 1, head 1 set to zero")) << all();
  EXPECT_TRUE(shows("total effect")) << all();
  EXPECT_TRUE(shows("Direct effect")) << all();
  const std::string out = all();
  choose("layer 1, head 1 gives", "its mean");
  EXPECT_TRUE(shows("at its mean")) << all();
  EXPECT_NE(all(), out);
  choose("layer 1, head 1 gives", "as on another text");
  EXPECT_FALSE(shows("total effect 0.000")) << "at first it is a template's text\n" << all();
  ui.view().model.prediction.otherText = "The cat sat";
  calm();
  EXPECT_TRUE(shows("total effect 0.000")) << "the same text\n" << all();
  EXPECT_TRUE(shows("This is the page's own text, so that nothing changes")) << all();
  ui.view().model.prediction.otherText = "The";
  calm();
  EXPECT_TRUE(shows("1 tokens and are aligned")) << all();
  EXPECT_FALSE(shows("the page's own text")) << all();
  ui.view().model.prediction.otherText = "The the the the";
  ui.view().model.layer = 1;
  calm();
  EXPECT_TRUE(shows("layer 2, head 1 as on")) << all();
  EXPECT_FALSE(shows("total effect 0.000")) << all();
}

TEST_F(PredictionCard, TheModelContinuesAndItsTokensAreTaken) {
  openInduction();
  tab("Go on");
  EXPECT_TRUE(shows("K and V, (4, 12,")) << all();
  ui.view().model.prediction.generation.tokens = 4;
  ui.click("generate", kModelPredictionCard);
  calm();
  EXPECT_TRUE(shows("…efgh")) << all();
  EXPECT_TRUE(shows("K and V, (4, 16,")) << all();
  EXPECT_TRUE(shows("new 4")) << all();
  EXPECT_TRUE(shows("The newest took")) << all();
  ui.click("take into the text", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui.view().model.place.text, "abcdefgh abcdefgh");
  EXPECT_TRUE(shows("new 0")) << "what was made is in the text now\n" << all();
}

/// The weights of a head alone say which token asks for which, and where it looks by position.
TEST_F(PredictionCard, AHeadsWeightsAreRead) {
  openInduction();
  tab("Its weights");
  EXPECT_TRUE(shows("Layer 1, head 1 by its weights alone")) << all();
  const auto model = formats::openModel(formats::kInductionModel, kTestBudget);
  const auto tokenizer = formats::openTokenizer(formats::kInductionModel);
  const HeadOfLayer head{1, 2};
  ui.view().model.layer = head.layer;
  ui.view().model.head = head.head;
  calm();
  const auto heads = model::headCircuits(*model, {}).value();
  const double copying = *heads[placeOf(head, model->config())].copying;
  EXPECT_TRUE(shows(fmt::format("Copying score {:+.2f}", copying).c_str())) << all();
  const auto directions = headDirections(*model, head, 1, 1, {});
  for (const model::TokenDirection& each : directions.ov) {
    const auto token = static_cast<tokenizer::TokenId>(each.to.front().id);
    EXPECT_TRUE(shows(tokenizer->decode({token}).c_str())) << all();
  }
  EXPECT_TRUE(shows(fmt::format("{:.2f}", directions.qk.front().singularValue).c_str())) << all();
  EXPECT_TRUE(shows("by position alone")) << all();
}

/// A strong direction decides what is said.
TEST_F(PredictionCard, WhatContinuesIsSteered) {
  openTiny("tiny-gpt2", "The cat");
  tab("Go on");
  GenerationView& view = ui.view().model.prediction.generation;
  view.tokens = 4;
  const auto made = [&] {
    ui.click(shows("generate again") ? "generate again" : "generate", kModelPredictionCard);
    calm();
    const std::string said = all();
    const auto from = said.find("…");
    return said.substr(from, said.find("takeinto") - from);
  };
  const std::string plain = made();
  tab("steer");
  EXPECT_TRUE(view.steered);
  EXPECT_TRUE(shows("away from")) << all();
  view.toward = "on the mat";
  view.awayFrom = "The cat sat";
  view.steeredLayer = 1;
  view.strength = 0.0;
  EXPECT_EQ(made(), plain) << "nothing is added";
  view.strength = 40.0;
  const std::string steered = made();
  EXPECT_NE(steered, plain);
  const auto folder = std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2";
  const auto model = formats::openModel(folder, kTestBudget);
  const auto tokenizer = formats::openTokenizer(folder);
  const auto document = [&](const std::string& text) {
    return makeModelDocument(model, inputOf(tokenizer->encode(text), *tokenizer, model->config()));
  };
  const auto end = [&](const std::string& text) {
    const auto trace = runModel(document(text), nullptr, {}, kTestBudget);
    return streamAt(*trace, 1, trace->tokens() - 1);
  };
  const auto steeredDocument = withSteering(
      *document("The cat"), {1, model::Steering::kEveryPlace,
                             model::addition(40.0, end("on the mat"), end("The cat sat"))});
  const auto trace = runModel(steeredDocument, nullptr, {}, kTestBudget);
  const auto first = trace->predictions(trace->tokens() - 1, 1).front();
  EXPECT_TRUE(shows(probabilityInWords(first.probability).c_str())) << all();

  view.awayFrom = view.toward;
  ui.click("generate again", kModelPredictionCard);
  calm();
  EXPECT_TRUE(shows("the direction is 0: where layer 2 begins, both texts are alike")) << all();
  view.awayFrom = "The cat sat";

  // a vector of a file steers alike
  const auto file = std::filesystem::temp_directory_path() / "steering_direction.npy";
  const std::vector<float> vector = model::addition(1.0, end("on the mat"), end("The cat sat"));
  formats::writeNpy(file, Tensor::fromValues({std::ssize(vector)}, vector));
  tab("file");
  EXPECT_EQ(view.steeredBy, SteeredBy::file);
  view.steeredFile = file.string();
  EXPECT_EQ(made(), steered);
  std::filesystem::remove(file);
  ui.click("generate again", kModelPredictionCard);
  calm();
  EXPECT_TRUE(shows("steering_direction.npy")) << "the file is gone\n" << all();
  // what a head adds is another direction
  tab("layer 1, head 1");
  EXPECT_EQ(view.steeredBy, SteeredBy::head);
  const std::string byHead = made();
  EXPECT_NE(byHead, plain);
  EXPECT_NE(byHead, steered);
}

TEST_F(PredictionCard, ATextThatFillsTheModelIsCutToContinue) {
  open(formats::kInductionModel, "abcdefghabcdefghabcdefghabcdefgh");
  tab("Go on");
  EXPECT_FALSE(shows("generate")) << all();
  ui.click("use the first 24 tokens", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui.view().model.place.text, "abcdefghabcdefghabcdefgh");
  EXPECT_TRUE(shows("generate")) << all();
}

TEST_F(PredictionCard, SamplingFollowsItsSeed) {
  openTiny("tiny-gpt2", "The cat");
  tab("Go on");
  GenerationView& view = ui.view().model.prediction.generation;
  view.tokens = 8;
  ui.click("sampled", kModelPredictionCard);
  EXPECT_TRUE(view.sampled);
  EXPECT_TRUE(shows("temperature")) << all();
  const auto made = [&](std::uint64_t seed) {
    view.seed = seed;
    ui.click(shows("generate again") ? "generate again" : "generate", kModelPredictionCard);
    calm();
    const std::string said = all();
    const auto from = said.find("…");
    return said.substr(from, said.find("takeinto") - from);
  };
  const std::string one = made(1);
  const std::string two = made(2);
  EXPECT_NE(one, two);
  EXPECT_EQ(made(1), one);
}

TEST_F(PredictionCard, AModelOfHiddenWordsDoesNotContinue) {
  openTiny("tiny-bert", "the cat sat");
  tab("Go on");
  EXPECT_TRUE(shows("cannot continue a text")) << all();
  EXPECT_FALSE(shows("generate")) << all();
}

TEST_F(PredictionCard, IsKeptBySessions) {
  openInduction();
  PredictionView& view = ui.view().model.prediction;
  view.reading = 5;
  view.why = "h1.0 s4";
  view.whyValues = true;
  view.sweepOver = 2;
  view.sweepShown = 1;
  view.sweepTexts = "template:ioi";
  view.sweepCount = 50;
  view.sweepSeed = 3;
  view.sweepColumn = 1;
  view.sweepListsTexts = true;
  view.word = 5;
  view.otherText = "aaaa";
  view.generation = {7,   true, true,    6, 0.5, 3,    9,  true, SteeredBy::file,
                     "a", "b",  "d.npy", 1, 4,   true, 2.5};
  view.sweepMeanTexts = "template:agreement";
  view.sweepSwapped = true;
  view.sweepAt = 2;
  view.sweptPlace = 3;
  view.sweptThrough = SweptThrough::value;
  view.sweptToLayer = 2;
  const PredictionView kept = viewFromJson(viewToJson(ui.view()), {}).model.prediction;
  EXPECT_EQ(kept.reading, 5);
  EXPECT_EQ(kept.why, "h1.0 s4");
  EXPECT_TRUE(kept.whyValues);
  EXPECT_EQ(kept.sweepOver, 2);
  EXPECT_EQ(kept.sweptPlace, 3);
  EXPECT_EQ(kept.sweptThrough, SweptThrough::value);
  EXPECT_EQ(kept.sweptToLayer, 2);
  EXPECT_EQ(kept.sweepShown, 1);
  EXPECT_EQ(kept.sweepTexts, "template:ioi");
  EXPECT_EQ(kept.sweepCount, 50);
  EXPECT_EQ(kept.sweepSeed, 3U);
  EXPECT_EQ(kept.sweepColumn, 1);
  EXPECT_TRUE(kept.sweepListsTexts);
  EXPECT_EQ(kept.word, 5);
  EXPECT_EQ(kept.otherText, "aaaa");
  EXPECT_EQ(kept.generation.tokens, 7);
  EXPECT_TRUE(kept.generation.sampled);
  EXPECT_TRUE(kept.generation.beams);
  EXPECT_EQ(kept.generation.beamCount, 6);
  EXPECT_TRUE(kept.generation.steeredEncoder);
  EXPECT_EQ(kept.generation.temperature, 0.5);
  EXPECT_EQ(kept.generation.topK, 3);
  EXPECT_EQ(kept.generation.seed, 9U);
  EXPECT_TRUE(kept.generation.steered);
  EXPECT_EQ(kept.generation.steeredBy, SteeredBy::file);
  EXPECT_EQ(kept.generation.steeredFile, "d.npy");
  EXPECT_EQ(kept.generation.toward, "a");
  EXPECT_EQ(kept.generation.awayFrom, "b");
  EXPECT_EQ(kept.generation.steeredLayer, 1);
  EXPECT_EQ(kept.generation.steeredPlace, 4);
  EXPECT_EQ(kept.generation.strength, 2.5);
  EXPECT_EQ(kept.sweepMeanTexts, "template:agreement");
  EXPECT_TRUE(kept.sweepSwapped);
  EXPECT_EQ(kept.sweepAt, 2);
}

class Going : public testing::Test {
 protected:
  static model::ModelTracePtr pass(std::vector<Index> ids) {
    static const auto model = formats::openModel(formats::kInductionModel, kTestBudget);
    return runModel(makeModelDocument(model, {std::move(ids), {}, {}}), nullptr, {}, kTestBudget);
  }

  model::ModelTracePtr from = pass({1, 2, 3, 1, 2});
  Scheduler scheduler;
  LiveGeneration going{scheduler};
};

TEST_F(Going, IsPausedAndResumed) {
  constexpr Index kMany = 20;
  going.begin(from, {}, kMany);
  going.play(false);
  going.finish();
  going.follow(from);
  ASSERT_NE(going.moment(), nullptr);
  const std::vector<Index> first = going.moment()->ids();
  EXPECT_GE(first.size(), 1U);
  EXPECT_FALSE(going.due());
  going.play(true);
  while (going.playing()) {
    going.finish();
    going.follow(from);
  }
  EXPECT_TRUE(going.moment()->finished);
  const std::vector<Index> whole = going.moment()->ids();
  ASSERT_EQ(std::ssize(whole), kMany);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), whole.begin()));
  EXPECT_EQ(going.moment()->tokens, 5 + kMany);
}

TEST_F(Going, WhatIsOfAnotherTextIsDropped) {
  going.begin(from, {}, 4);
  going.finish();
  going.follow(from);
  ASSERT_NE(going.moment(), nullptr);
  going.follow(pass({4, 5}));
  EXPECT_EQ(going.moment(), nullptr);
  EXPECT_FALSE(going.playing());
}

TEST_F(Going, SaysWhyItCannot) {
  const Index most = mostTokens(from->config());
  const auto full = pass(std::vector<Index>(static_cast<std::size_t>(most), 1));
  going.begin(full, {}, 4);
  going.finish();
  going.follow(full);
  EXPECT_NE(going.problem().find("at most"), std::string::npos) << going.problem();
  EXPECT_FALSE(going.playing());
}

}  // namespace
}  // namespace headscope::ui
