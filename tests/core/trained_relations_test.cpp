// The relations that learned heads were trained for, compared with where the heads look.
#include "core/training/trained_relations.h"

#include <gtest/gtest.h>

#include "core/analysis/head_report.h"
#include "core/document/attention.h"
#include "core/editing/make_document.h"
#include "core/presets/presets.h"
#include "core/training/relations.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

using training::WordQuestion;

const std::string kSentence = "The cat, which was very fluffy, sat on the mat.";

DocumentPtr learned(const std::string& text, Mask mask = {}) {
  AttentionConfig c = sized(512, 8, 1);
  c.mask = std::move(mask);
  return makeDocument("", c, TextSource{{text}, {}}, Positions::named, {WeightInit::learned, 1, {}},
                      kBudget);
}

/// Each head looks at the right partner in most of its rows, and is labelled accordingly.
TEST(TrainedRelations, AreWhatLearnedHeadsDo) {
  const TracePtr trace = runAttention(learned(kSentence));
  const DeclaredRelations relations = declaredRelations(trace->document());
  ASSERT_EQ(relations.size(), 8U);
  const HeadReport report = headReport(*trace, 0, relations).value();
  for (std::size_t head = 0; head < 8; ++head) {
    const auto question = static_cast<WordQuestion>(head);
    ASSERT_TRUE(report.designedPurposes[head]);
    EXPECT_EQ(report.designedPurposes[head]->name, training::info(question).title);
    EXPECT_EQ(report.designedPurposes[head]->origin, DeclaredRelation::Origin::trained);
    ASSERT_TRUE(report.designedPurposes[head]->score) << report.designedPurposes[head]->score.why;
    EXPECT_GT(*report.designedPurposes[head]->score, 0.4) << head;
    EXPECT_LT(*report.designedPurposes[head]->score, 1.0) << head;
    EXPECT_NE(report.labels[head].key, "uniform");
  }
  EXPECT_EQ(report.labels[1].key, training::info(WordQuestion::subject).title);
}

TEST(TrainedRelations, LeaveOutWhatTheMaskHides) {
  Mask causal;
  causal.causal = true;
  const DeclaredRelations relations = declaredRelations(*learned(kSentence, causal));
  EXPECT_EQ(relations[1]->partners[0][8], std::vector<Index>{1});  // sat: cat, before it
  EXPECT_TRUE(relations[5]->partners[0][9].empty());               // on: mat, after it
}

TEST(TrainedRelations, SayWhyThereAreNone) {
  const TracePtr trace = runAttention(learned("Green ideas of the about sleep furiously"));
  const HeadReport report = headReport(*trace, 0, declaredRelations(trace->document())).value();
  EXPECT_TRUE(report.designedPurposes[0]->score);  // the word before is known in any text
  EXPECT_FALSE(report.designedPurposes[1]->score);
  EXPECT_NE(report.designedPurposes[1]->score.why.find("built in a way"), std::string::npos);
}

/// The relation of a head with several questions has the answers of all of them; the head may be
/// labelled by any one.
TEST(TrainedRelations, OfFewerHeadsAreOfSeveralQuestions) {
  Document document = *learned(kSentence);
  document.config.numHeads = document.config.numKvHeads = 4;
  const DeclaredRelations relations = declaredRelations(document);
  ASSERT_EQ(relations.size(), 4U);
  EXPECT_EQ(relations[0]->name, "Previous word + Verb → its subject");
  ASSERT_EQ(relations[0]->parts.size(), 2U);
  EXPECT_EQ(relations[0]->partners[0][8], (std::vector<Index>{1, 7}));
  const auto all = training::questionsOf({});
  EXPECT_EQ(training::titleOf({all[0], all[1], all[7]}), "3 questions: prev, subj, verb");
}

/// A series has all of its answers; a repeated or cut series has those that still hold.
TEST(TrainedRelations, OfASeriesAreItsAnswers) {
  AttentionConfig config;
  config.dModel = 128;
  config.numHeads = config.numKvHeads = 8;
  const auto source = exampleByName("sensor").source;
  Document document =
      *makeDocument("", config, source, Positions::named, {WeightInit::xavier, 1, {}}, kBudget);
  document.weightSource.init = WeightInit::learned;
  const DeclaredRelations relations = declaredRelations(document);
  ASSERT_EQ(relations.size(), 8U);
  EXPECT_EQ(relations[4]->name, "Latest spike");
  EXPECT_EQ(relations[4]->partners[0][20], (std::vector<Index>{7}));
  EXPECT_EQ(relations[5]->partners[0][29], (std::vector<Index>{18}));
  config.seqLen = 40;
  document = *makeDocument("", config, source, Positions::named, {WeightInit::xavier, 1, {}},
                           kBudget, true);
  document.weightSource.init = WeightInit::learned;
  EXPECT_FALSE(declaredRelations(document)[4]->whyNone.empty());
  config.seqLen = 10;
  document = *makeDocument("", config, source, Positions::named, {WeightInit::xavier, 1, {}},
                           kBudget, true);
  document.weightSource.init = WeightInit::learned;
  EXPECT_EQ(declaredRelations(document)[4]->partners[0][9], (std::vector<Index>{7}));
  EXPECT_TRUE(declaredRelations(document)[5]->partners[0][9].empty());
}

TEST(TrainedRelations, AreOfLearnedWeightsAlone) {
  Document document = *learned(kSentence);
  document.weightSource.init = WeightInit::xavier;
  EXPECT_TRUE(declaredRelations(document).empty());
  document.weightSource = {WeightInit::learned, 1, "a file"};
  EXPECT_TRUE(declaredRelations(document).empty());
}

}  // namespace
}  // namespace headscope::test
