// Every part: a sweep over heads, layers and places of a model on the page, on one text or many.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "../core/test_files.h"
#include "app/ui/model/prediction_views.h"
#include "core/formats/model_directory.h"
#include "core/formats/text_templates.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/head_output.h"
#include "core/model/path_patching.h"
#include "core/model/sweep.h"
#include "core/model/tokenized.h"
#include "prediction_card.h"

namespace headscope::ui {
namespace {

class EveryPart : public PredictionCard {};

TEST_F(EveryPart, EveryPartIsReplacedInTurn) {
  openTiny("tiny-gpt2", "The cat sat");
  tab("Every part");
  EXPECT_TRUE(shows("replaced by zero")) << all();
  EXPECT_TRUE(shows("layer 1, head 2")) << all();
  EXPECT_TRUE(shows("layer 2, head 4")) << all();
  // one head of the sweep is that head alone
  const auto folder = std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2";
  const auto model = formats::openModel(folder, kTestBudget);
  const auto tokenizer = formats::openTokenizer(folder);
  const auto tokens = tokenizer->encode("The cat sat", true);
  const model::ModelTracePtr trace =
      runModel(makeModelDocument(model, inputOf(tokens, *tokenizer, model->config())), nullptr, {},
               kTestBudget);
  const Index row = trace->tokens() - 1, word = trace->predictions(row, 1).front().id;
  const HeadOfLayer head{1, 1};
  const Tensor none = Tensor::zeros({trace->tokens(), trace->config().headDim});
  const auto alone = replaceHead(trace, head, none, row, word, std::nullopt, {}).value();
  EXPECT_TRUE(shows(changeInWords(alone.total()).c_str())) << alone.total() << '\n' << all();
  EXPECT_TRUE(shows(changeInWords(*alone.direct).c_str())) << *alone.direct << '\n' << all();
  ui.click("layer 2, head 4", kModelPredictionCard);
  EXPECT_EQ(ui.view().model.layer, 1);
  EXPECT_EQ(ui.view().model.head, 3);
  choose("replace each", "layer's halves");
  EXPECT_TRUE(shows("layer 2, FFN")) << all();
  choose("replace each", "place");
  EXPECT_TRUE(shows("layer 1, “·ca”")) << all();
  ui.view().model.prediction.sweepOver = 4;
  calm();
  EXPECT_TRUE(shows("layer 2, keys 3")) << all();
  choose("by", "as on another text");
  ui.view().model.prediction.otherText = "The";
  calm();
  EXPECT_TRUE(shows("1 tokens and are aligned. Without a partner, ")) << all();
  EXPECT_TRUE(shows("keep their own values")) << all();
}

/// Another picture has the place of another text, at first a drawing of another shape.
TEST_F(EveryPart, AnotherPictureGivesItsValues) {
  open(formats::kShapesModel, "headscope:shapes/circle");
  tab("Every part");
  choose("by", "as on another picture");
  EXPECT_EQ(ui.view().model.prediction.otherText, "headscope:shapes/square");
  EXPECT_TRUE(shows("replaced by its value on the other picture")) << all();
  EXPECT_TRUE(shows("on the other picture. Each number")) << all();
  ui.click("triangle", kModelPredictionCard);
  EXPECT_EQ(ui.view().model.prediction.otherText, "headscope:shapes/triangle");
  ui.view().model.prediction.otherText = "headscope:shapes/circle";
  calm();
  EXPECT_TRUE(shows("the page's own picture")) << all();
  ui.view().model.prediction.otherText = "nowhere.png";
  calm();
  EXPECT_TRUE(shows("nowhere.png")) << all();
  ui.view().model.prediction.otherText = "headscope:shapes/square";
  tab("Another output");
  EXPECT_TRUE(shows("as on “square”")) << all();
}

/// The effect of a head through one head's key alone, and of a part at one token alone.
TEST_F(EveryPart, PartsActAtOnePlaceOrThroughOneHead) {
  openInduction();
  tab("Every part");
  EXPECT_TRUE(shows("paths: choose a head above layer 1")) << all();
  ui.view().model.layer = 1;
  ui.view().model.head = 2;
  calm();
  choose("through", "the key of layer 2, head 3");
  EXPECT_FALSE(shows("choose a head above layer 1")) << all();
  EXPECT_TRUE(shows("the key of layer 2, head 3")) << all();
  EXPECT_TRUE(shows("through the key of layer 2, key/value head 3 alone")) << all();
  EXPECT_FALSE(shows("layer 2, head 1")) << "only earlier heads send\n" << all();
  const auto model = formats::openModel(formats::kInductionModel, kTestBudget);
  const auto tokenizer = formats::openTokenizer(formats::kInductionModel);
  const auto base =
      runModel(makeModelDocument(model, inputOf(tokenizer->encode(ui.view().model.place.text, true),
                                                *tokenizer, model->config())),
               nullptr, {}, kTestBudget);
  const Index last = base->tokens() - 1, word = base->predictions(last, 1).front().id;
  const auto effectOf = [&](const std::vector<model::Patch>& patches) {
    model::PatchedRuns runs(base, patches, {last, word, {}}, {});
    while (!runs.runUnit()) continue;
    return runs.effects().front().metric - runs.base().metric;
  };
  auto senders = patchesOver(model::SweepOver::heads, *base, model::zeros());
  senders.resize(1);
  const double through = effectOf(patchesThrough(*base, senders, {model::Site::k, 1, 2}, {}));
  EXPECT_TRUE(shows(changeInWords(through).c_str())) << through << all();
  choose("through", "all that follows");
  choose("at", "2 “b”");
  EXPECT_EQ(ui.view().model.prediction.sweptPlace, 1);
  const double atToken = effectOf(patchesOver(model::SweepOver::heads, *base, model::zeros(), 1));
  EXPECT_TRUE(shows(changeInWords(atToken).c_str())) << atToken << all();
}

/// A template's texts give means, spreads and the texts in which a part matters most, which open.
TEST_F(EveryPart, ASweepRunsOverTextsOfATemplate) {
  openInduction();
  tab("Every part");
  choose("over", "Induction");
  EXPECT_TRUE(shows("the mean over 20 texts (Induction)")) << all();
  EXPECT_TRUE(shows("logit of the right word − logit of the wrong one")) << all();
  EXPECT_TRUE(shows("each text asks for its own answer")) << all();
  EXPECT_FALSE(shows("against")) << "the page's words are not read\n" << all();
  tab("10");
  choose("by", "as corrupted");
  EXPECT_TRUE(shows("the mean over 10 texts (Induction)")) << all();
  EXPECT_TRUE(shows("its value on the corrupted text")) << all();
  const auto model = formats::openModel(formats::kInductionModel, kTestBudget);
  const auto tokenizer = formats::openTokenizer(formats::kInductionModel);
  const auto texts = textsOf(formats::textTemplate("template:induction"), *tokenizer, 10, 1);
  model::EffectsOverTexts effects;
  for (const formats::TextOfSet& text : texts) {
    const auto pass = [&](const std::string& of) {
      return runModel(makeModelDocument(
                          model, inputOf(tokenizer->encode(of, true), *tokenizer, model->config())),
                      nullptr, {}, kTestBudget);
    };
    const auto base = pass(text.text.text);
    model::PatchedRuns runs(
        base, patchesOver(model::SweepOver::heads, *base, model::valuesFrom(pass(text.other.text))),
        {base->tokens() - 1, std::stoi(text.answers[0]), std::stoi(text.answers[1])}, {});
    while (!runs.runUnit()) continue;
    effects.add(runs.base(), runs.effects());
  }
  constexpr std::size_t kPart = 6;  // layer 2, head 3
  EXPECT_TRUE(shows(changeInWords(effects.mean(kPart).metric - effects.base().metric).c_str()))
      << all();
  const double spread = effects.spread(kPart);
  EXPECT_TRUE(shows(fmt::format("{:.3f}", spread).c_str())) << spread << all();
  ui.click("layer 2, head 3", kModelPredictionCard);
  tab("texts");
  const std::size_t first = effects.strongest(kPart).front();
  EXPECT_TRUE(shows(changeInWords(effects.change(first, kPart)).c_str())) << all();
  const std::string text = texts[first].text.text;
  ui.click(text, kModelPredictionCard);
  calm();
  EXPECT_EQ(ui.view().model.place.text, text);
  EXPECT_EQ(ui.view().model.prediction.word, std::stoi(texts[first].answers[0]));
  EXPECT_EQ(ui.view().model.prediction.other, std::stoi(texts[first].answers[1]));
  EXPECT_TRUE(shows("the mean over 10 texts")) << "the sweep stands\n" << all();
  // the model's vocabulary of letters has words for one template alone
  ui.clickAt(ui.after("over", kModelPredictionCard));
  EXPECT_TRUE(ui.shows("Induction", "Combo")) << ui.screen().all();
  EXPECT_FALSE(ui.shows("Indirect objects", "Combo")) << ui.screen().all();
  EXPECT_FALSE(ui.shows("Greater than", "Combo")) << ui.screen().all();
  ui.press(Key::escape);
  ui.view().model.prediction.sweepTexts = "template:ioi";
  calm();
  EXPECT_TRUE(shows("“Indirect objects” (template:ioi): too few words")) << all();
  choose("over", "this text");
  EXPECT_TRUE(shows("logit of “")) << all();
}

TEST_F(EveryPart, AFileOfTextsIsSwept) {
  const TempFolder folder;
  folder.file("some.txt", "abcabca\nqwertyqwert\n");
  folder.file("some.jsonl", "{\"text\": \"abcabca\"}\n");
  ui.app().dropFiles({folder / "some.jsonl"});
  calm();
  EXPECT_TRUE(ui.shows("open one on the page Model first"));
  openInduction();
  ui.app().dropFiles({folder / "some.txt"});
  calm();
  EXPECT_EQ(ui.view().model.prediction.reading, kEveryPartReading);
  EXPECT_TRUE(shows("the mean over 2 texts (some.txt)")) << all();
  EXPECT_TRUE(shows("logit of each text's word")) << all();
  EXPECT_TRUE(shows("against")) << "a chosen word is read in each text\n" << all();
  choose("by", "as corrupted");
  EXPECT_TRUE(shows("some.txt, line 1 has no")) << all();
}

TEST_F(EveryPart, ASweepWithoutDirectEffectsSaysSo) {
  openTiny("tiny-bert", "the cat sat");
  tab("Every part");
  EXPECT_TRUE(shows("replaced by zero")) << all();
  EXPECT_TRUE(shows("–")) << all();
  choose("show", "probability");
  EXPECT_EQ(ui.view().model.prediction.sweepShown, 2);
}

/// A map of parts and tokens: at each token the effect is that of the part at that token alone.
TEST_F(EveryPart, IsReplacedAtEachTokenInTurn) {
  openInduction();
  tab("Every part");
  choose("replace each", "layer's halves");
  choose("at", "each token in turn");
  EXPECT_EQ(ui.view().model.prediction.sweptPlace, model::kEachPlace);
  EXPECT_TRUE(shows("at one token at a time")) << all();
  ui.click("layer 2, attention, “d”", kModelPredictionCard);
  EXPECT_EQ(ui.view().model.layer, 1);
  EXPECT_EQ(ui.view().model.prediction.sweepAt, 11);
  choose("at", "the token that is read");
  EXPECT_TRUE(shows("at the token whose prediction is read")) << all();
}

/// The other text is run with values of the page's own, and its logit is the one shown.
TEST_F(EveryPart, PutsTheTextsValuesIntoTheOtherText) {
  openTiny("tiny-gpt2", "The cat sat");
  tab("Every part");
  choose("by", "as on another text");
  ui.view().model.prediction.otherText = "The mat sat";
  calm();
  const model::ModelPtr model =
      formats::openModel(std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2", kTestBudget);
  const auto tokenizer =
      formats::openTokenizer(std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2");
  const auto logitOn = [&](const char* text, Index word) {
    const auto trace = runModel(makeModelDocument(model, inputOf(tokenizer->encode(text, true),
                                                                 *tokenizer, model->config())),
                                nullptr, {}, kTestBudget);
    const Index row = trace->tokens() - 1;
    if (word < 0) word = trace->predictions(row, 1).front().id;
    return std::pair(word, static_cast<double>(trace->logits(row, 1).data()[word]));
  };
  const auto [word, own] = logitOn("The cat sat", -1);
  const double there = logitOn("The mat sat", word).second;
  EXPECT_TRUE(shows(fmt::format("is {:.3f}", own).c_str())) << own << all();
  choose("in", "the other text");
  EXPECT_TRUE(ui.view().model.prediction.sweepSwapped);
  EXPECT_TRUE(shows(fmt::format("is {:.3f}", there).c_str())) << there << all();
  EXPECT_TRUE(shows(fmt::format("{:.3f} on the page's text", own).c_str())) << own << all();
}

TEST_F(EveryPart, IsReplacedByAMeanOverOtherTexts) {
  open(formats::kStoriesModel, "Mia gave the coin to Leo . Leo thanked");
  tab("Every part");
  choose("by", "its mean");
  EXPECT_TRUE(shows("replaced by its mean over this text")) << all();
  choose("of", "Indirect objects");
  EXPECT_EQ(ui.view().model.prediction.sweepMeanTexts, "template:ioi");
  EXPECT_TRUE(shows("replaced by its mean over other texts (Indirect objects)")) << all();
}

}  // namespace
}  // namespace headscope::ui
