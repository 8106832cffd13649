// The tab Why: a word, or a score of a head, is followed back to the words that were read.
#include "app/ui/model/model_page.h"
#include "app/ui/model/why_tables.h"
#include "app/ui/model/why_words.h"
#include "core/formats/model_directory.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/tokenized.h"
#include "prediction_card.h"

namespace headscope::ui {
namespace {

class ModelWhy : public PredictionCard {
 protected:
  /// Asks why the model of stories says "Leo" and not "Mia".
  void openWhyLeo() {
    open(formats::kStoriesModel,
         "One day Mia and Leo went to the park. When Mia and Leo were at the park, Mia gave the "
         "coin to");
    const auto tokenizer = formats::openTokenizer(formats::kStoriesModel);
    ui.view().model.prediction.word = model::oneToken("Leo", tokenizer.get());
    ui.view().model.prediction.other = model::oneToken("Mia", tokenizer.get());
    tab("Why");
  }
};

/// From the word to the head that says it, why that head looks where it looks, and what an earlier
/// head wrote there.
TEST_F(ModelWhy, AWordIsFollowedBackToTheWordsThatWereRead) {
  openInduction();
  tab("Why");
  EXPECT_TRUE(shows("Written at “d” (12): 11 parts")) << all();
  EXPECT_TRUE(shows("without it")) << "the pass without each part\n" << all();
  tab("follow the largest");
  EXPECT_EQ(ui.view().model.prediction.why.substr(0, 3), "h1.") << all();
  EXPECT_EQ(ui.view().model.layer, 1) << "the followed head is chosen";
  EXPECT_TRUE(shows("Without this part")) << all();
  EXPECT_TRUE(shows("of the logit")) << all();
  tab("follow the largest");
  EXPECT_TRUE(shows("why it looks at “e” (5)")) << all();
  EXPECT_TRUE(shows("content")) << all();
  tab("follow the largest");
  EXPECT_TRUE(shows("of the score")) << all();
  EXPECT_TRUE(shows("% of the logit, then ")) << "the share goes on through the score\n" << all();
  EXPECT_TRUE(shows("the score changes by")) << all();
  EXPECT_TRUE(shows("“d” (4)")) << "the token before\n" << all();
  ui.click("“d” (4)", kModelPredictionCard);
  calm();
  EXPECT_TRUE(shows("why it looks at “d” (4)")) << all();
  tab("logit of “e”");
  EXPECT_EQ(ui.view().model.prediction.why, "") << "back at the first level";
  ui.view().model.prediction.why = "h1.0";
  calm();
  tab("its value");
  ui.click("“e” (5)", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui.view().model.prediction.why, "h1.0 v4");
  EXPECT_TRUE(shows("“e” itself")) << all();
}

/// The runs without a score's pairs begin where the user asks for them, and stop.
TEST_F(ModelWhy, PairsAreLeftOutOnAsking) {
  openInduction();
  tab("Why");
  ui.view().model.prediction.whyScore = "h1.1:11:5";
  calm();
  EXPECT_TRUE(shows("without each")) << all();
  EXPECT_FALSE(shows("without it")) << "none has run\n" << all();
  tab("without each");
  calm();
  EXPECT_TRUE(shows("without it")) << all();
  EXPECT_FALSE(shows("without each")) << all();
  EXPECT_FALSE(shows("stop")) << all();
  EXPECT_FALSE(shows("…")) << "all have run\n" << all();
  ui.view().model.prediction.whyScore = "h1.1:11:4";
  calm();
  EXPECT_TRUE(shows("without each")) << "another score\n" << all();
}

/// Every level of a chain stands next to the others, and a click opens one.
TEST_F(ModelWhy, AWholeChainIsOneFigure) {
  openInduction();
  tab("Why");
  ui.view().model.prediction.why = "h1.0 s4";
  calm();
  tab("all levels");
  for (const char* level :
       {"1  logit of “e”", "2  layer 2, head 1", "3  why it looks at “e” (5)"}) {
    EXPECT_TRUE(shows(level)) << level << '\n' << all();
  }
  EXPECT_TRUE(shows("without it")) << "run again, beside what is held\n" << all();
  EXPECT_TRUE(shows("without layer 2, head 1: ")) << all();
  EXPECT_TRUE(shows(" run again")) << all();
  EXPECT_TRUE(shows("others ")) << "those that do not fit are summed\n" << all();
  EXPECT_FALSE(shows("of a pair")) << all();
  tab("without each pair");
  calm();
  EXPECT_TRUE(shows("of a pair −Δq · Δk")) << all();
  EXPECT_FALSE(shows("…")) << "all have run\n" << all();
  EXPECT_FALSE(shows("without each pair")) << all();
  ui.click("2  layer 2, head 1", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui.view().model.prediction.why, "h1.0");
  EXPECT_FALSE(ui.view().model.prediction.whyWhole);
}

/// The writer that a chain follows from a score has both numbers next to the pairs.
TEST_F(ModelWhy, AFollowedWriterOfAScoreIsLeftOutToo) {
  openInduction();
  tab("Why");
  ui.view().model.prediction.why = "h1.0 s4 k:t:h0.3";
  calm();
  EXPECT_FALSE(shows("held, ")) << all();
  tab("all levels");
  EXPECT_TRUE(shows("without layer 1, head 4 in the key: ")) << all();
}

/// An encoder of images without a classifier says no word; its scores are taken apart.
TEST_F(ModelWhy, AScoreIsTakenApartInAModelThatSaysNoWords) {
  openTiny("image_models/dinov2", "");
  EXPECT_EQ(ui.view().model.prediction.reading, kWhyReading) << "the only one\n" << all();
  EXPECT_TRUE(shows("score of layer 1, head 1")) << all();
  ui.view().model.layer = 1;
  ui.view().model.head = 2;
  calm();
  tab("the chosen head and token");
  EXPECT_FALSE(ui.view().model.prediction.whyScore.empty()) << all();
  EXPECT_TRUE(shows("score of layer 2, head 3")) << all();
  EXPECT_TRUE(shows("Layer 2, head 3 scores")) << all();
  EXPECT_FALSE(shows("explains")) << "there is no word\n" << all();
  tab("query's writers");
  EXPECT_TRUE(shows("without it")) << all();
  EXPECT_TRUE(shows("layer 1, FFN")) << all();
}

/// A masked word's chain holds the activation of its head.
TEST_F(ModelWhy, AMaskedWordIsTakenApart) {
  openTiny("tiny-bert", "the cat sat");
  tab("Why");
  EXPECT_TRUE(shows("Patterns, norms and the masked-word head's activation are held")) << all();
  tab("a score");
  EXPECT_TRUE(shows("score of layer 1, head 1")) << all();
}

/// The pattern of the chosen head leads to its scores; of two heads the user chooses which to
/// follow.
TEST_F(ModelWhy, AScoreOfTheChosenHeadIsTakenApart) {
  openTiny("tiny-gpt2", "The cat sat on");
  ui.view().model.layer = 1;
  ui.view().model.head = 2;
  tab("One head");
  tab("Why this score");
  EXPECT_EQ(ui.view().model.prediction.reading, kWhyReading);
  EXPECT_EQ(ui.view().model.prediction.whyScore.substr(0, 5), "h1.2:") << all();
  EXPECT_TRUE(shows("score of layer 2, head 3")) << all();
  tab("the query's");
  ui.click("1·4 × 1·2", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui.view().model.prediction.why, "q:h0.3:h0.1") << all();
  EXPECT_TRUE(shows("layer 1, head 4 in the query")) << all();
  tab("the word");
  EXPECT_EQ(ui.view().model.prediction.whyScore, "");
  EXPECT_TRUE(shows("Written at")) << all();
  tab("follow the largest");
  EXPECT_EQ(ui.view().model.prediction.why, "f1") << "a network is the largest\n" << all();
  tab("a score");
  EXPECT_EQ(ui.view().model.prediction.whyScore.substr(0, 5), "h1.2:") << "the chosen head's";
}

/// The largest part is followed, be it a network's.
TEST_F(ModelWhy, FollowsTheLargestPart) {
  openWhyLeo();
  EXPECT_FALSE(shows("passes over")) << all();
  tab("follow the largest");
  EXPECT_EQ(ui.view().model.prediction.why, "f1") << all();
  tab("follow the largest");
  EXPECT_EQ(ui.view().model.prediction.why, "f1 n1.693") << all();
}

/// Where the largest part is a network's, the largest head is a step next to it.
TEST_F(ModelWhy, TheLargestHeadIsAStepNextToTheLargestPart) {
  openWhyLeo();
  EXPECT_TRUE(shows("All that networks wrote: ")) << all();
  tab("largest head");
  EXPECT_EQ(ui.view().model.prediction.why.front(), 'h') << all();
  EXPECT_FALSE(shows("largest head")) << "no network looks at tokens\n" << all();
}

TEST(PartLines, ThoseThatAreLeftOverAreSummed) {
  std::vector<PartLine> lines{{"a", 4.0}, {"b", -3.0}, {"c", 2.0}, {"d", -0.5}};
  EXPECT_EQ(restSummed(lines, 4).size(), 4U);
  lines = restSummed(lines, 3);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1].name, "b");
  EXPECT_EQ(lines[2].name, "2 others, summed");
  EXPECT_EQ(lines[2].value, 1.5);
}

/// Bars of both signs have one zero; a sum of others that is larger than every line only fills
/// them.
TEST(PartLines, BarsLeadToBothSidesOfOneZero) {
  const BarRange range =
      barRange({{"a", 4.0}, {"b", -1.0}, {"c", 0.5}, {"2 others, summed", 40.0}});
  EXPECT_FLOAT_EQ(range.shareOf(0.0), 0.2F);
  EXPECT_FLOAT_EQ(range.shareOf(-1.0), 0.0F);
  EXPECT_FLOAT_EQ(range.shareOf(4.0), 1.0F);
  EXPECT_FLOAT_EQ(range.shareOf(40.0), 1.0F);
  EXPECT_FLOAT_EQ(barRange({{"a", -4.0}, {"b", -1.0}}).shareOf(0.0), 1.0F);
  EXPECT_FLOAT_EQ(barRange({}).shareOf(0.0), 0.0F);
}

/// A network's part of a word, and of a pair of two networks, neuron by neuron.
TEST_F(ModelWhy, NetworksAreFollowedToTheirNeurons) {
  openTiny("tiny-gpt2", "The cat sat on");
  tab("Why");
  ui.click("layer 1, FFN", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui.view().model.prediction.why, "f0") << all();
  EXPECT_TRUE(shows("what each of 128 neurons writes")) << all();
  EXPECT_TRUE(shows("activation")) << all();
  EXPECT_TRUE(shows("Without everything that the network gives here")) << all();
  ui.view().model.prediction.whyScore = "h1.2:4:1";
  ui.view().model.prediction.why.clear();
  calm();
  ui.click("FFN 1 × FFN 1", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui.view().model.prediction.why, "k:f0:f0") << all();
  EXPECT_TRUE(shows("layer 1, FFN in the key")) << all();
}

/// A neuron is followed to what drives it: the writers of the stream that its network reads.
TEST_F(ModelWhy, ANeuronIsFollowedToWhatDrivesIt) {
  openTiny("tiny-gpt2", "The cat sat on");
  tab("Why");
  ui.view().model.prediction.why = "f1";
  calm();
  tab("follow the largest");
  EXPECT_EQ(ui.view().model.prediction.why.substr(0, 6), "f1 n1.") << all();
  EXPECT_TRUE(shows("The pre-activation of neuron ")) << all();
  EXPECT_TRUE(shows("This neuron gives ")) << all();
  EXPECT_TRUE(shows("what drives neuron ")) << all();
  EXPECT_FALSE(shows("takes apart")) << "it has no gate\n" << all();
  ui.view().model.prediction.why = "f0 n0.12";
  calm();
  EXPECT_TRUE(
      shows("passes over a larger part that no head or network wrote, or of the other sign: "
            "layer 1, head 3 +0.497"))
      << all();
  ui.view().model.prediction.why = "f1 n1.0";
  calm();
  ui.click("layer 2, head 3", kModelPredictionCard);
  calm();
  EXPECT_TRUE(shows("% of the pre-activation")) << all();
  EXPECT_TRUE(shows("the pre-activation changes by")) << all();
  tab("all levels");
  EXPECT_TRUE(shows("3  what drives neuron ")) << all();
}

/// The larger product of a gated neuron is taken apart at first.
TEST_F(ModelWhy, AGatedNeuronHasTwoProducts) {
  openTiny("tiny-llama", "5, 17, 3, 40");
  tab("Why");
  ui.view().model.prediction.why = "f1 n1.13";
  calm();
  EXPECT_TRUE(shows("larger product")) << all();
  const bool ofGate = shows("neuron 14, gate");
  tab(ofGate ? "up" : "gate");
  EXPECT_EQ(ui.view().model.prediction.why, ofGate ? "f1 n1.13u" : "f1 n1.13g") << all();
  EXPECT_TRUE(shows("read as chosen")) << all();
}

/// A score that is chosen in Flow's layer of the model.
TEST_F(ModelWhy, AScoreInFlowIsTakenApartByItsWriters) {
  openTiny("tiny-gpt2", "The cat sat on");
  ui.view().model.layer = 1;
  calm();
  ui.click("open layer 2 in Flow", kModelHeadsCard);
  calm();
  ui.view().selection.head = 3;
  ui.view().selection.cell = CellRef{TensorId::scores, 0, 3, 4, 2};
  ui.frame();
  ui.click("Why this score", kLayerStripCard);
  calm();
  EXPECT_EQ(ui.view().selection.page, kModelPage);
  EXPECT_EQ(ui.view().model.prediction.whyScore, "h1.3:4:2");
  EXPECT_TRUE(shows("score of layer 2, head 4")) << all();
}

/// Flow's own tool sees one layer alone; it says where a score with norms of q and k is a sum.
TEST_F(ModelWhy, FlowNamesTheWayWhereQueriesAreNormalised) {
  openTiny("families/qwen3_moe", "5, 17, 3, 40");
  ui.view().model.layer = 1;
  calm();
  ui.click("open layer 2 in Flow", kModelHeadsCard);
  ui.view().selection.tool = kWhyTool;
  calm();
  EXPECT_TRUE(ui.shows("normalises queries and keys", kToolsCard)) << ui.screen().all();
  EXPECT_TRUE(ui.shows("“Why this score” above takes it apart", kToolsCard)) << ui.screen().all();
  ui.click("Why this score", kLayerStripCard);
  calm();
  EXPECT_TRUE(shows("score of layer 2, head 1")) << all();
  EXPECT_TRUE(shows("the sum over what wrote into the query")) << all();
  EXPECT_FALSE(shows("content ")) << "no position writes into this model's stream";
}

TEST_F(ModelWhy, AChainOfAnotherTextStartsOver) {
  openInduction();
  tab("Why");
  ui.view().model.prediction.why = "h1.0 s99";
  calm();
  EXPECT_TRUE(shows("no token 99")) << all();
  tab("start over");
  EXPECT_TRUE(shows("Written at")) << all();
}

}  // namespace
}  // namespace headscope::ui
