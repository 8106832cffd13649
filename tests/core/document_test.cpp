// Edits: the document that each one makes, with its side effects, and that a refusal changes
// nothing.
#include "core/document/document.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/attention/switches.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

TEST(Document, EveryCaseFitsTogether) {
  for (const Case& c : allCases()) expectConsistent(*randomDocument(c.config));
}

TEST(Dimensions, WidthDrawsWeightsAndEmbedsAgain) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const DocumentPtr after = edited(before, SetDimensions{64, 8, 8});
  expectConsistent(*after);
  EXPECT_EQ(after->config.dModel, 64);
  EXPECT_EQ(after->config.numHeads, 8);
  EXPECT_EQ(after->weights.wQ.shape(), (Shape{64, 64}));
  EXPECT_EQ(after->weightSource, before->weightSource);
  EXPECT_EQ(after->source, before->source);
}

TEST(Dimensions, HeadsAloneKeepInputAndWeights) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const EditResult after = applied(before, SetDimensions{48, 6, 6});
  EXPECT_TRUE(sameWeights(*before, *after.document));
  EXPECT_EQ(after.document->input, before->input);
  EXPECT_EQ(after.note, "");
}

TEST(Dimensions, WhatDoesNotDivideIsRefusedWithSuggestions) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  expectRefused(before, SetDimensions{48, 5, 5}, "heads", "48", "5 heads", "4, 6");
  expectRefused(before, SetDimensions{48, 0, 0}, "heads", "heads is 0");
  expectRefused(before, SetDimensions{-4, 4, 4}, "d_model", "d_model is -4");
  expectRefused(before, SetDimensions{1'000'000'000, 4, 4}, "d_model", "the maximum is 65536");
  expectRefused(before, SetDimensions{48, 4, 3}, "kv_heads", "cannot share 3");
}

/// With d_k set separately, d_model need not be divisible by the number of heads, and the weights
/// are drawn for that d_k.
TEST(Dimensions, HeadWidthOfItsOwn) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const DocumentPtr own = edited(before, SetDimensions{48, 5, 5, 20});
  expectConsistent(*own);
  EXPECT_EQ(own->config.dK(), 20);
  EXPECT_EQ(own->weights.wQ.shape(), (Shape{100, 48}));
  EXPECT_EQ(own->weights.wO.shape(), (Shape{48, 100}));
  EXPECT_EQ(nameOf(SetDimensions{48, 4, 4, 20}, *before), "d_k 12 → 20");
  EXPECT_EQ(nameOf(SetDimensions{48, 5, 5}, *own), "d_k = d_model / heads");
  expectRefused(own, SetDimensions{48, 5, 5}, "heads", "48", "5 heads", "head_dim");
  expectRefused(before, SetDimensions{48, 4, 4, -1}, "head_dim", "head_dim is -1");
  expectRefused(before, SetDimensions{48, 4, 4, 20000}, "head_dim", "80000");
  // an input of another width keeps it
  const DocumentPtr other =
      edited(own, SetInput{std::make_shared<const InputSource>(
                      TensorSource{"x", randomTensor({1, 3, 11}, 1, "x", 1.0F), {}, {}, {}})});
  expectConsistent(*other);
  EXPECT_EQ(other->config.dModel, 11);
  EXPECT_EQ(other->config.numHeads, 5);
  EXPECT_EQ(other->config.dK(), 20);
}

TEST(Dimensions, AbsurdHeadCountsAreRefusedWithAHeadOffToo) {
  const DocumentPtr before = edited(fromTexts({"the cat sat"}), SetHeadGain{1, 0.0F});
  for (const Index heads : {std::numeric_limits<Index>::max(), Index{1} << 40, Index{-1}}) {
    expectRefused(before, SetDimensions{48, heads, heads}, "heads", "heads is");
  }
}

TEST(Dimensions, HeadsThatAreOffStayOffWhileTheyAreThere) {
  const DocumentPtr off = edited(fromTexts({"the cat sat"}), SetHeadGain{1, 0.0F});
  const DocumentPtr more = edited(off, SetDimensions{48, 8, 8});
  expectConsistent(*more);
  EXPECT_EQ(more->config.gain(1), 0.0F);
  EXPECT_EQ(more->config.gain(7), 1.0F);
  const DocumentPtr one = edited(off, SetDimensions{48, 1, 1});
  expectConsistent(*one);
  EXPECT_EQ(one->config.gain(0), 1.0F);
}

TEST(Dimensions, BudgetIsHeldWithTheFigure) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  expectUserError(
      [&] {
        apply(*before, SetDimensions{4096, 4, 4}, 1'000'000);
      },
      "even without scores and weights, more than the memory budget of 1.00 MB",
      "this size needs 53");
}

TEST(Tokens, AreRepeatedOrCut) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const DocumentPtr more = edited(before, SetTokens{5});
  expectConsistent(*more);
  EXPECT_EQ(more->input->tokens[0], (Tokens{"the", "cat", "sat", "the", "cat"}));
  const DocumentPtr fewer = edited(more, SetTokens{1});
  EXPECT_EQ(fewer->input->tokens[0], (Tokens{"the"}));
  EXPECT_TRUE(sameWeights(*before, *fewer));
  expectRefused(before, SetTokens{0}, "tokens", "tokens is 0");
  expectRefused(before, SetTokens{1'000'000'000}, "tokens", "the maximum is");
}

TEST(Tokens, APaintedMaskIsFittedToTheNewLength) {
  const DocumentPtr plain = fromTexts({"the cat sat"});
  const DocumentPtr before = edited(plain, masked(plain, [](Mask& m) {
                                      m.painted = painted(3, 3, {1, 0, 1, 1, 1, 0, 1, 1, 1});
                                    }));
  const EditResult after = applied(before, SetTokens{4});
  EXPECT_NE(after.note.find("the painted mask was fitted to the new length"), std::string::npos);
  EXPECT_EQ(*after.document->config.mask.painted,
            (PaintedMask{4, 4, {1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}}));
  const DocumentPtr cut = edited(before, SetText{0, false, "a dog"});
  EXPECT_EQ(*cut->config.mask.painted, (PaintedMask{2, 2, {1, 0, 1, 1}}));
  expectConsistent(*edited(before, SetText{0, true, "ein Hund schläft"}));
  expectRefused(before, SetTokens{1'000'000'000}, "tokens", "the maximum is");
}

TEST(Tokens, LengthsOfTheUserAreFittedToo) {
  const DocumentPtr plain = fromTexts({"the cat sat on"});
  const DocumentPtr before = edited(plain, masked(plain, [](Mask& m) { m.lengths = {3}; }));
  EXPECT_EQ(edited(before, SetTokens{2})->config.mask.lengths, (std::vector<Index>{2}));
  EXPECT_EQ(edited(before, SetTokens{6})->config.mask.lengths, (std::vector<Index>{3}));
  EXPECT_EQ(edited(before, SetBatch{2})->config.mask.lengths, (std::vector<Index>{3, 4}));
}

TEST(Batch, ShorterSentencesArePadded) {
  const DocumentPtr before = fromTexts({"the cat sat", "run"});
  EXPECT_EQ(before->config.batch, 2);
  EXPECT_EQ(before->config.mask.lengths, (std::vector<Index>{3, 1}));
  EXPECT_EQ(before->input->tokens[1], (Tokens{"run", "", ""}));
  for (const Index batch : {1, 2, 3, 5}) {
    const DocumentPtr after = edited(before, SetBatch{batch});
    expectConsistent(*after);
    EXPECT_EQ(after->config.batch, batch);
    EXPECT_EQ(after->config.mask.lengths, after->input->lengths);
  }
  EXPECT_EQ(edited(before, SetBatch{3})->config.mask.lengths, (std::vector<Index>{3, 1, 3}));
  expectRefused(before, SetBatch{0}, "batch", "batch is 0");
}

TEST(Batch, LengthsFollowTheTextsUntilTheUserSetsThem) {
  const DocumentPtr before = fromTexts({"the cat sat", "run"});
  const DocumentPtr longer = edited(before, SetText{1, false, "run far"});
  expectConsistent(*longer);
  EXPECT_EQ(longer->config.mask.lengths, (std::vector<Index>{3, 2}));
  const DocumentPtr off = edited(before, masked(before, [](Mask& m) { m.lengths.clear(); }));
  EXPECT_TRUE(off->config.mask.lengths.empty());
  EXPECT_TRUE(edited(off, SetText{1, false, "run far"})->config.mask.lengths.empty());
  EXPECT_TRUE(edited(longer, SetText{1, false, "a dog ran"})->config.mask.lengths.empty());
}

TEST(Switches, EachSetsItsFieldAndNothingElse) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const auto check = [&](const Edit& edit, const std::function<void(AttentionConfig&)>& change) {
    const EditResult after = applied(before, edit);
    AttentionConfig expected = before->config;
    change(expected);
    EXPECT_EQ(after.document->config, expected);
    EXPECT_NE(after.document->config, before->config);
    EXPECT_EQ(after.document->input, before->input);
    EXPECT_TRUE(sameWeights(*before, *after.document));
    EXPECT_EQ(after.note, "");
  };
  check(SetSwitch{&Switches::bias, false}, [](auto& c) { c.switches->bias = false; });
  check(SetSwitch{&Switches::scale, false}, [](auto& c) { c.switches->scale = false; });
  check(SetSwitch{&Switches::temperature, 0.5}, [](auto& c) { c.switches->temperature = 0.5; });
  check(masked(before, [](Mask& m) { m.causal = true; }), [](auto& c) { c.mask.causal = true; });
  check(masked(before, [](Mask& m) { m.window = 2; }), [](auto& c) { c.mask.window = 2; });
  check(SetHeadGain{2, 0.0F}, [](auto& c) { c.headGains = {1.0F, 1.0F, 0.0F, 1.0F}; });
  check(SetSinks{{0.5F, 0.0F, -1.0F, 2.0F}}, [](auto& c) { c.sinks = {0.5F, 0.0F, -1.0F, 2.0F}; });
  expectRefused(before, SetSinks{{0.0F, 0.0F, std::numeric_limits<float>::quiet_NaN(), 0.0F}},
                "sinks", "finite");
  expectRefused(before, SetSwitch{&Switches::temperature, 0.0}, "temperature", "above 0");
  expectRefused(before, masked(before, [](Mask& m) { m.window = -1; }), "window", "window is -1");
  expectRefused(before,
                masked(before,
                       [](Mask& m) {
                         m.lengths = {1, 2};
                       }),
                "lengths", "batch of 1");
  expectRefused(before, masked(before, [](Mask& m) { m.painted = painted(1, 1, {1}); }), "mask",
                "1 × 1", "3 × 3");
  expectRefused(before, SetHeadGain{4, 0.0F}, "", "head 4 does not exist", "0 to 3");
  expectRefused(before, SetHeadGain{-1, 0.0F}, "", "head -1 does not exist");
  expectRefused(before, SetHeadGain{1, std::numeric_limits<float>::quiet_NaN()}, "gains", "finite");
}

TEST(Switches, AllGainsBackToOneAreNoGains) {
  const DocumentPtr before = fromTexts({"the cat sat"});
  const DocumentPtr after = edited(edited(before, SetHeadGain{2, 0.0F}), SetHeadGain{2, 1.0F});
  EXPECT_EQ(after->config, before->config);
}

TEST(Switches, PositionsChangeXAlone) {
  const DocumentPtr before = fromTexts({"the the the"});
  const DocumentPtr after = edited(before, SetPositions{Positions::none});
  EXPECT_TRUE(sameWeights(*before, *after));
  const Tensor& x = after->input->x;
  EXPECT_EQ(x.slice(1, 0, 1).values(), x.slice(1, 2, 3).values());
  EXPECT_NE(before->input->x.slice(1, 0, 1).values(), before->input->x.slice(1, 2, 3).values());
}

TEST(Open, GivesThatVeryDocument) {
  const DocumentPtr other = fromTensors();
  EXPECT_EQ(edited(fromTexts({"the cat sat"}), Open{other, "other"}), other);
}

TEST(EditNames, AreWhatTheUndoListShows) {
  const DocumentPtr d = fromTexts({"the cat sat"});
  EXPECT_EQ(nameOf(SetDimensions{64, 4, 4}, *d), "d_model 48 → 64");
  EXPECT_EQ(nameOf(SetDimensions{64, 8, 8}, *d), "d_model 48 → 64, heads 4 → 8");
  EXPECT_EQ(nameOf(SetDimensions{48, 8, 8}, *d), "heads 4 → 8");
  EXPECT_EQ(nameOf(SetDimensions{48, 4, 2}, *d), "key/value heads 4 → 2");
  EXPECT_EQ(nameOf(SetTokens{7}, *d), "tokens 3 → 7");
  EXPECT_EQ(nameOf(SetBatch{2}, *d), "batch 1 → 2");
  EXPECT_EQ(nameOf(SetSwitch{&Switches::bias, false}, *d), "bias off");
  EXPECT_EQ(nameOf(SetSwitch{&Switches::temperature, 0.5}, *d), "temperature 1 → 0.5");
  EXPECT_EQ(nameOf(masked(d, [](Mask& m) { m.causal = true; }), *d), "causal on");
  EXPECT_EQ(nameOf(masked(d, [](Mask& m) { m.window = 3; }), *d), "window 3");
  EXPECT_EQ(nameOf(SetPositions{Positions::none}, *d), "positions off");
  EXPECT_EQ(nameOf(SetText{0, true, "x"}, *d), "memory “x”");
  EXPECT_EQ(nameOf(MoveToken{0, false, 1, 0}, *d), "move “cat” from place 2 to 1");
  EXPECT_EQ(nameOf(DrawWeights{WeightInit::normal, 3}, *d), "weights normal, seed 3");
  EXPECT_EQ(nameOf(SetHeadGain{2, 0.0F}, *d), "head 3 off");
  const DocumentPtr sinking =
      edited(d, SetSinks{std::vector<float>(static_cast<std::size_t>(d->config.numHeads), 0.0F)});
  EXPECT_EQ(nameOf(SetSinks{sinking->config.sinks}, *d), "sinks on");
  EXPECT_EQ(nameOf(SetSinks{}, *sinking), "sinks off");
  std::vector<float> next = sinking->config.sinks;
  next[1] = 0.5F;
  EXPECT_EQ(nameOf(SetSinks{next}, *sinking), "head 2 sink 0 → 0.5");
}

}  // namespace
}  // namespace headscope::test
