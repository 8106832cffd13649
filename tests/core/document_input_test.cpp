// Edits of what a document is made from: its texts and tokens, other inputs, other weights.
#include <gtest/gtest.h>

#include <limits>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

/// Wide enough for all coordinates, so that no note is about their width.
DocumentPtr wide(std::vector<std::string> texts) {
  return fromSource(TextSource{std::move(texts), {}}, sized(104, 4, 1));
}

TEST(Text, BecomesTokensAndTheirX) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const DocumentPtr after = edited(before, SetText{0, false, "a dog, barking."});
  expectConsistent(*after);
  EXPECT_EQ(after->input->tokens[0], (Tokens{"a", "dog", ",", "barking", "."}));
  EXPECT_EQ(after->config.seqLen, 5);
  EXPECT_TRUE(sameWeights(*before, *after));
  EXPECT_EQ(std::get<TextSource>(*after->source).texts, (Tokens{"a dog, barking."}));
}

TEST(Text, OfOneItemOfABatchLeavesTheOthers) {
  const DocumentPtr before = edited(fromTexts({"the cat sat"}), SetBatch{4});
  const DocumentPtr after = edited(before, SetText{1, false, "a dog ran"});
  expectConsistent(*after);
  for (const std::size_t item : {0, 2, 3}) {
    EXPECT_EQ(after->input->tokens[item], (Tokens{"the", "cat", "sat"})) << item;
  }
  EXPECT_EQ(after->input->tokens[1], (Tokens{"a", "dog", "ran"}));
}

TEST(Text, RefusalsLeaveTheDocument) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  expectRefused(before, SetText{0, false, ""}, "", "text");
  expectRefused(before, SetText{0, false, " \t\n"}, "", "text");
  expectRefused(before, SetText{0, false, "\xff"}, "", "UTF-8");
  expectRefused(before, SetText{0, false, std::string(10 << 20, 'a')}, "", "10.0 MB");
  expectRefused(before, SetText{1, false, "run"}, "", "item 1 does not exist");
  expectRefused(before, SetText{-1, false, "run"}, "", "item -1 does not exist");
  EXPECT_EQ(before->input->tokens[0], (Tokens{"the", "cat", "sat"}));
}

TEST(Text, MemoryMakesItCrossAttentionAndWithoutOneSelfAttention) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const DocumentPtr cross = edited(before, SetText{0, true, "die Katze"});
  expectConsistent(*cross);
  EXPECT_EQ(cross->config.memoryLen, 2);
  EXPECT_EQ(cross->input->memoryTokens[0], (Tokens{"die", "Katze"}));
  EXPECT_TRUE(sameWeights(*before, *cross));
  const DocumentPtr back = edited(cross, SetText{0, true, ""});
  expectConsistent(*back);
  EXPECT_EQ(back->config, before->config);
}

TEST(Text, TakesThePlaceOfTensorsAndSeries) {
  for (const DocumentPtr& before :
       {fromTensors(2), fromSource(SeriesSource{{series(5), series(3)}})}) {
    const DocumentPtr after = edited(before, SetText{1, false, "a dog"});
    expectConsistent(*after);
    EXPECT_EQ(after->input->tokens[0], (Tokens{"a", "dog"}));
    EXPECT_EQ(after->config.dModel, before->config.dModel);
  }
}

TEST(MoveToken, TakesTheTokenElsewhere) {
  const DocumentPtr before = fromTexts({"one two three four"}, {"eins zwei drei"});
  const auto moved = [&](Index from, Index to) {
    return edited(before, MoveToken{0, false, from, to})->input->tokens[0];
  };
  EXPECT_EQ(moved(0, 3), (Tokens{"two", "three", "four", "one"}));
  EXPECT_EQ(moved(3, 0), (Tokens{"four", "one", "two", "three"}));
  EXPECT_EQ(moved(1, 2), (Tokens{"one", "three", "two", "four"}));
  EXPECT_EQ(moved(2, 2), (Tokens{"one", "two", "three", "four"}));
  const DocumentPtr memory = edited(before, MoveToken{0, true, 2, 0});
  EXPECT_EQ(memory->input->memoryTokens[0], (Tokens{"drei", "eins", "zwei"}));
  EXPECT_EQ(memory->input->tokens, before->input->tokens);
}

TEST(MoveToken, OfACutSentenceKeepsWhatIsNotShown) {
  const DocumentPtr cut = edited(wide({"one two three four five", "a b c d"}), SetTokens{3});
  const EditResult after = applied(cut, MoveToken{0, false, 0, 2});
  expectConsistent(*after.document);
  EXPECT_EQ(after.document->input->tokens[0], (Tokens{"two", "three", "one"}));
  EXPECT_EQ(after.document->input->tokens[1], cut->input->tokens[1]);
  EXPECT_EQ(after.note, "");
  const DocumentPtr whole = edited(after.document, SetTokens{5});
  EXPECT_EQ(whole->input->tokens[0], (Tokens{"two", "three", "one", "four", "five"}));
  EXPECT_EQ(whole->input->tokens[1], (Tokens{"a", "b", "c", "d", ""}));
}

TEST(MoveToken, OfARepeatedSentenceTakesTheTokensShownAndSaysSo) {
  const DocumentPtr repeated = edited(wide({"one two three", "a b"}), SetTokens{5});
  const EditResult after = applied(repeated, MoveToken{0, false, 4, 0});
  expectConsistent(*after.document);
  EXPECT_EQ(after.document->input->tokens[0], (Tokens{"two", "one", "two", "three", "one"}));
  EXPECT_EQ(after.document->input->tokens[1], repeated->input->tokens[1]);
  EXPECT_EQ(after.note, "the sentence is now the 5 tokens shown");
  EXPECT_EQ(applied(after.document, MoveToken{0, false, 0, 1}).note, "");
}

TEST(MoveToken, OfAShorterSentenceOfTheBatchLeavesThePadding) {
  const DocumentPtr before = wide({"one two three", "a b"});
  const EditResult after = applied(before, MoveToken{1, false, 0, 1});
  EXPECT_EQ(after.document->input->tokens[1], (Tokens{"b", "a", ""}));
  EXPECT_EQ(after.document->input->tokens[0], before->input->tokens[0]);
  EXPECT_EQ(after.note, "");
}

TEST(MoveToken, WithPositionsOffTheRowsOfXFollow) {
  const DocumentPtr before =
      edited(fromTexts({"one two three four"}), SetPositions{Positions::none});
  const DocumentPtr after = edited(before, MoveToken{0, false, 0, 2});
  const auto row = [](const DocumentPtr& d, Index i) {
    return d->input->x.slice(1, i, i + 1).values();
  };
  EXPECT_EQ(row(after, 0), row(before, 1));
  EXPECT_EQ(row(after, 1), row(before, 2));
  EXPECT_EQ(row(after, 2), row(before, 0));
  EXPECT_EQ(row(after, 3), row(before, 3));
}

TEST(MoveToken, OfTensorsMovesRowAndLabel) {
  const DocumentPtr before = fromTensors(1, {"a", "b", "c", "d"});
  const DocumentPtr after = edited(before, MoveToken{0, false, 3, 1});
  expectConsistent(*after);
  EXPECT_EQ(after->input->tokens[0], (Tokens{"a", "d", "b", "c"}));
  const auto row = [](const DocumentPtr& d, Index i) {
    return d->input->x.slice(1, i, i + 1).values();
  };
  EXPECT_EQ(row(after, 0), row(before, 0));
  EXPECT_EQ(row(after, 1), row(before, 3));
  EXPECT_EQ(row(after, 2), row(before, 1));
  EXPECT_EQ(row(after, 3), row(before, 2));
}

TEST(MoveToken, OfASeriesMovesItsRow) {
  const auto values = [](const DocumentPtr& d) {
    return std::get<SeriesSource>(*d->source).items[0]->values.values();
  };
  const DocumentPtr before = fromSource(SeriesSource{{series(3)}});
  const DocumentPtr after = edited(before, MoveToken{0, false, 0, 2});
  expectConsistent(*after);
  EXPECT_EQ(values(before), (std::vector<float>{0, 0, 1, 1, 2, 4}));
  EXPECT_EQ(values(after), (std::vector<float>{1, 1, 2, 4, 0, 0}));
  // places past the end repeat the series from its start
  const DocumentPtr repeated = edited(before, SetTokens{7});
  EXPECT_EQ(values(edited(repeated, MoveToken{0, false, 3, 5})), values(after));
}

TEST(MoveToken, OfNoSuchTokenIsRefused) {
  for (const DocumentPtr& before :
       {fromTexts({"one two three"}), fromTensors(), fromSource(SeriesSource{{series(3)}})}) {
    const Index count = before->config.seqLen;
    for (const auto& [item, from, to] : {std::tuple<Index, Index, Index>{1, 0, 0},
                                         {-1, 0, 0},
                                         {0, count, 0},
                                         {0, -1, 0},
                                         {0, 0, count},
                                         {0, 0, -1}}) {
      expectRefused(before, MoveToken{item, false, from, to}, "", "does not exist");
    }
    expectRefused(before, MoveToken{0, true, 0, 0}, "", "does not exist");
  }
}

TEST(Input, TensorsGiveDimensionsAndHeadsFollow) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const auto source = std::make_shared<const InputSource>(
      TensorSource{"x.safetensors", randomTensor({2, 5, 50}, 1, "x", 1.0F), {}, {}, {}});
  const EditResult after = applied(before, SetInput{source});
  expectConsistent(*after.document);
  EXPECT_EQ(after.document->config.dModel, 50);
  EXPECT_EQ(after.document->config.batch, 2);
  EXPECT_EQ(after.document->config.numHeads, 5);
  EXPECT_NE(after.note.find("d_model is 50 now, so heads became 5"), std::string::npos);
  EXPECT_TRUE(after.document->input->x.sameAs(std::get<TensorSource>(*source).x));
  for (const Edit& edit : {Edit(SetDimensions{64, 4, 4}), Edit(SetTokens{3}), Edit(SetBatch{1})}) {
    expectUserError([&] { applied(after.document, edit); }, "given by the tensors of x.safetensors",
                    "choose an example or type a text");
  }
  expectConsistent(*edited(after.document, SetDimensions{50, 10, 10}));
}

TEST(Input, NotANumberIsNamedAndRefused) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  Tensor x = randomTensor({1, 3, 48}, 1, "x", 1.0F);
  x.mutableData()[48 + 7] = std::numeric_limits<float>::quiet_NaN();
  const auto source =
      std::make_shared<const InputSource>(TensorSource{"x.safetensors", x, {}, {}, {}});
  expectRefused(before, SetInput{source}, "", "x[0, 1, 7] is NaN in x.safetensors");
}

TEST(Input, SeriesTakeTheirLength) {
  const DocumentPtr before = fromTexts({"the cat sat"}, {"die Katze"});
  const DocumentPtr after =
      edited(before, SetInput{std::make_shared<const InputSource>(SeriesSource{{series(9)}})});
  expectConsistent(*after);
  EXPECT_EQ(after->config.seqLen, 9);
  EXPECT_FALSE(after->config.crossAttention());
}

TEST(Drawn, TheSameSeedGivesTheSameWeights) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const DocumentPtr two = edited(before, DrawWeights{WeightInit::xavier, 2});
  EXPECT_FALSE(sameBits(two->weights.wQ, before->weights.wQ));
  const DocumentPtr one = edited(two, DrawWeights{WeightInit::xavier, 1});
  EXPECT_TRUE(sameBits(one->weights.wQ, before->weights.wQ));
  EXPECT_TRUE(sameWeights(*before, *edited(before, DrawWeights{WeightInit::xavier, 1})));
  const DocumentPtr loaded =
      edited(before, SetWeights{"w.safetensors", randomWeights(before->config, 1), true, 4, 4});
  const DocumentPtr again = edited(loaded, DrawWeights{WeightInit::xavier, 1});
  EXPECT_TRUE(sameBits(again->weights.wQ, before->weights.wQ));
  EXPECT_TRUE(again->weightSource.drawn());
}

TEST(Loaded, WeightsBringTheirWidth) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const Weights weights = randomWeights(sized(64, 8, 1, 2), 1);
  const DocumentPtr after = edited(before, SetWeights{"w.safetensors", weights, false, 8, 2});
  expectConsistent(*after);
  EXPECT_EQ(after->config.dModel, 64);
  EXPECT_EQ(after->config.numKvHeads, 2);
  EXPECT_FALSE(after->config.switches->bias);
  EXPECT_TRUE(after->weights.wQ.sameAs(weights.wQ));
  EXPECT_EQ(after->weightSource.loadedFrom, "w.safetensors");
}

TEST(Loaded, OtherSizesDrawNewOnesAndSaySo) {
  const DocumentPtr before =
      edited(fromTexts({"the cat sat"}),
             SetWeights{"w.safetensors", randomWeights(sized(48, 4, 1), 1), true, 4, 4});
  EXPECT_TRUE(sameWeights(*before, *edited(before, SetTokens{5})));
  const EditResult after = applied(before, SetDimensions{64, 4, 4});
  expectConsistent(*after.document);
  EXPECT_TRUE(after.document->weightSource.drawn());
  for (const char* part : {"the weights of w.safetensors do not fit", "xavier, seed 1", "undo"}) {
    EXPECT_NE(after.note.find(part), std::string::npos) << after.note;
  }
}

TEST(Loaded, WhatDoesNotFitIsRefused) {
  const DocumentPtr tensors = fromTensors();  // d_model 8
  expectRefused(tensors, SetWeights{"w", randomWeights(sized(16, 4, 1), 1), true, 4, 4}, "d_model",
                "given by the tensors of layer.safetensors");
  const DocumentPtr text = fromTexts({"the cat sat"});
  expectRefused(text, SetWeights{"w", randomWeights(sized(16, 4, 1), 1), true, 3, 3}, "heads",
                "16 does not divide into 3 heads");
  Weights wrong = randomWeights(sized(16, 4, 1), 1);
  wrong.wO = Tensor::zeros({16, 15});
  expectRefused(text, SetWeights{"w", wrong, true, 4, 4}, "", "W_O: expected (16, 16)",
                "found (16, 15)");
  Weights bad = randomWeights(sized(16, 4, 1), 1);
  bad.bO.mutableData()[3] = std::numeric_limits<float>::infinity();
  expectRefused(text, SetWeights{"w", bad, true, 4, 4}, "", "b_O[3] is ∞ in w");
}

TEST(Loaded, WeightsForAMemoryOfItsOwnWidthNeedOne) {
  AttentionConfig config = sized(16, 4, 1);
  config.memoryLen = 1;
  config.memoryWidth = 10;
  const SetWeights edit{"w.safetensors", randomWeights(config, 1), true, 4, 4};
  expectRefused(fromTexts({"the cat sat"}), edit, "memory", "10 features");
  const DocumentPtr cross = edited(fromTexts({"the cat sat"}, {"die Katze"}), edit);
  expectConsistent(*cross);
  EXPECT_EQ(cross->input->memory.shape(), (Shape{1, 2, 10}));
  const EditResult back = applied(cross, SetText{0, true, ""});
  expectConsistent(*back.document);
  EXPECT_TRUE(back.document->weightSource.drawn());
  EXPECT_NE(back.note.find("do not fit"), std::string::npos);
}

}  // namespace
}  // namespace headscope::test
