// Edits of cells, rows, columns, heads and matrices of the operands.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

const Tensor& operand(const Document& d, TensorId id) {
  switch (id) {
    case TensorId::x:
      return d.input->x;
    case TensorId::memory:
      return d.input->memory;
    case TensorId::wQ:
      return d.weights.wQ;
    case TensorId::wK:
      return d.weights.wK;
    case TensorId::wV:
      return d.weights.wV;
    case TensorId::wO:
      return d.weights.wO;
    case TensorId::bQ:
      return d.weights.bQ;
    case TensorId::bK:
      return d.weights.bK;
    case TensorId::bV:
      return d.weights.bV;
    default:
      return d.weights.bO;
  }
}

DocumentPtr grouped() {
  return randomDocument(with(sized(24, 6, 5, 2), [](auto& c) {
    c.batch = 2;
    c.memoryLen = 4;
  }));
}

DocumentPtr plain() { return randomDocument(sized(16, 4, 6)); }

class CellEdit : public testing::TestWithParam<TensorId> {};

INSTANTIATE_TEST_SUITE_P(Operands, CellEdit,
                         testing::Values(TensorId::x, TensorId::memory, TensorId::wQ, TensorId::wK,
                                         TensorId::wV, TensorId::wO, TensorId::bQ, TensorId::bK,
                                         TensorId::bV, TensorId::bO),
                         [](const auto& test) {
                           return std::string(headscope::info(test.param).name);
                         });

TEST_P(CellEdit, ChangesThatCellAloneAndSharesAllElse) {
  const DocumentPtr before = grouped();
  const TensorId id = GetParam();
  const Region all = wholeRegion(id, 1, before->config);
  const CellRef cell{id, all.item, -1, all.rows - 1, all.cols / 2};
  const DocumentPtr after = edited(before, SetCell{cell, 4.5F});
  expectConsistent(*after);
  for (std::size_t i = 0; i < kFirstResult; ++i) {
    const auto other = static_cast<TensorId>(i);
    EXPECT_EQ(operand(*after, other).sameAs(operand(*before, other)), other != id);
  }
  auto expected = operand(*before, id).values();
  const auto values = operand(*after, id).values();
  std::size_t differing = 0;
  for (std::size_t n = 0; n < values.size(); ++n) differing += values[n] != expected[n] ? 1 : 0;
  EXPECT_EQ(differing, 1U);
  EXPECT_EQ(runAttention(after)->value(cell), 4.5F);
  const std::string name = nameOf(SetCell{cell, 4.5F}, *before);
  EXPECT_TRUE(name.ends_with(" = 4.5")) << name;
  EXPECT_EQ(name.find("“") != std::string::npos,
            info(id).rows == Axis::query || info(id).rows == Axis::key)
      << name;
  EXPECT_EQ(info(id).perItem ? after->inputEdited : after->weightsEdited, true);
}

TEST_P(CellEdit, RefusesWhatIsNoNumberOrNoCell) {
  const TensorId id = GetParam();
  const Index item = info(id).perItem ? 0 : -1;
  const std::string name(info(id).name);
  const DocumentPtr d = grouped();
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    expectRefused(d, SetCell{{id, item, -1, 0, 0}, bad}, "", name);
  }
  expectRefused(d, SetCell{{id, item, -1, 0, 1000}, 1.0F}, "", name, "1000");
  expectRefused(d, SetCell{{id, item, -1, -1, 0}, 1.0F}, "", name);
  if (info(id).perItem) expectRefused(d, SetCell{{id, 2, -1, 0, 0}, 1.0F}, "", name);
}

TEST_P(CellEdit, FillsRowsColumnsAndAll) {
  const DocumentPtr before = grouped();
  const TensorId id = GetParam();
  const Region all = wholeRegion(id, 1, before->config);
  Region row = all;
  row.row = all.rows - 1;
  row.rows = 1;
  Region column = all;
  column.col = 1;
  column.cols = 1;
  for (const Region& region : {all, row, column}) {
    const auto inside = [&](Index r, Index c) {
      return r >= region.row && r < region.row + region.rows && c >= region.col &&
             c < region.col + region.cols;
    };
    const auto expectEach = [&](const Fill& fill, auto&& expected) {
      const TracePtr from = runAttention(before);
      const TracePtr to = runAttention(edited(before, FillRegion{region, fill}));
      for (Index r = 0; r < all.rows; ++r) {
        for (Index c = 0; c < all.cols; ++c) {
          const CellRef cell{id, region.item, -1, r, c};
          const float old = from->value(cell);
          ASSERT_EQ(to->value(cell),
                    inside(r, c) ? expected(r - region.row, c - region.col, old) : old)
              << toString(cell);
        }
      }
    };
    expectEach(FillZero{}, [](Index, Index, float) { return 0.0F; });
    expectEach(FillIdentity{}, [](Index r, Index c, float) { return r == c ? 1.0F : 0.0F; });
    expectEach(FillScaled{-2.0}, [](Index, Index, float old) { return old * -2.0F; });
    Tensor values = randomTensor({region.rows, region.cols}, 5, "pasted", 1.0F);
    expectEach(FillValues{values}, [&](Index r, Index c, float) { return values.at({r, c}); });
  }
}

TEST_P(CellEdit, DrawnAgainIsWhatDrawingTheWholeGives) {
  const DocumentPtr d = grouped();
  const TensorId id = GetParam();
  Region all = wholeRegion(id, 0, d->config);
  const FillDrawn how{WeightInit::normal, 9};
  const TracePtr whole = runAttention(edited(d, FillRegion{all, how}));
  if (!info(id).perItem) {
    const DocumentPtr drawn = edited(d, DrawWeights{WeightInit::normal, 9});
    EXPECT_TRUE(sameBits(whole->tensor(id), operand(*drawn, id)));
  }
  Region part = all;
  part.col = 2;
  part.cols = 1;
  const TracePtr one = runAttention(edited(d, FillRegion{part, how}));
  for (Index r = 0; r < all.rows; ++r) {
    const CellRef cell{id, all.item, -1, r, 2};
    EXPECT_EQ(one->value(cell), whole->value(cell));
  }
}

TEST(Regions, AHeadsPartIsItsOwnRowsOrColumns) {
  const AttentionConfig c = sized(24, 6, 5, 2);
  EXPECT_EQ(headRegion(TensorId::wQ, 5, c), (Region{TensorId::wQ, -1, 20, 4, 0, 24}));
  EXPECT_EQ(headRegion(TensorId::wK, 1, c), (Region{TensorId::wK, -1, 4, 4, 0, 24}));
  EXPECT_EQ(headRegion(TensorId::wO, 5, c), (Region{TensorId::wO, -1, 0, 24, 20, 4}));
  EXPECT_EQ(headRegion(TensorId::bV, 1, c), (Region{TensorId::bV, -1, 0, 1, 4, 4}));
  expectUserError([&] { headRegion(TensorId::wK, 2, c); }, "W_K", "head 3");
  expectUserError([&] { headRegion(TensorId::bO, 0, c); }, "b_O");
  expectUserError([&] { headRegion(TensorId::x, 0, c); }, "x");
}

TEST(Regions, HaveNames) {
  const AttentionConfig c = sized(24, 6, 5, 2);
  EXPECT_EQ(nameOf(wholeRegion(TensorId::wQ, -1, c), c), "W_Q");
  EXPECT_EQ(nameOf(headRegion(TensorId::wQ, 5, c), c), "W_Q head 6");
  EXPECT_EQ(nameOf(headRegion(TensorId::wO, 0, c), c), "W_O head 1");
  EXPECT_EQ(nameOf(Region{TensorId::wQ, -1, 3, 1, 0, 24}, c), "W_Q[3, :]");
  EXPECT_EQ(nameOf(Region{TensorId::x, 0, 0, 5, 7, 1}, c), "x column 7");
  EXPECT_EQ(nameOf(Region{TensorId::wQ, -1, 3, 2, 4, 5}, c), "W_Q[3 … 4, 4 … 8]");
  EXPECT_EQ(nameOf(Region{TensorId::bO, -1, 0, 1, 4, 5}, c), "b_O[4 … 8]");
}

TEST(Regions, WhatIsDrawnIsNamedByHow) {
  const auto named = [](TensorId tensor, Index item) {
    const DocumentPtr before = plain();
    const Region whole = wholeRegion(tensor, item, before->config);
    return nameOf(FillRegion{whole, FillDrawn{WeightInit::xavier, 2}}, *before);
  };
  EXPECT_EQ(named(TensorId::wQ, -1), "W_Q drawn: xavier, seed 2");
  EXPECT_EQ(named(TensorId::x, 0), "x drawn: normal, variance 1, seed 2");
}

TEST(Regions, WhatDoesNotFitIsRefusedWithBothShapes) {
  const Tensor values = Tensor::zeros({3, 20});
  expectRefused(plain(), FillRegion{{TensorId::wQ, -1, 14, 3, 0, 20}, FillValues{values}}, "",
                "3 × 20", "W_Q", "16 × 16");
  expectRefused(plain(), FillRegion{{TensorId::wQ, -1, 0, 2, 0, 2}, FillValues{values}}, "",
                "2 × 2", "(3, 20)");
  constexpr Index kEnd = std::numeric_limits<Index>::max();
  expectRefused(plain(), FillRegion{{TensorId::wQ, -1, 11, kEnd, 0, 2}, FillZero{}}, "",
                "do not fit W_Q");
  expectRefused(plain(), FillRegion{{TensorId::wQ, -1, kEnd, 2, 0, 2}, FillDrawn{}}, "",
                "do not fit W_Q");
  for (const Fill& fill : {Fill(FillValues{values}), Fill(FillScaled{2.0})}) {
    expectRefused(plain(), FillRegion{{TensorId::wQ, -1, 1, kEnd, 0, 20}, fill}, "",
                  "do not fit W_Q");
  }
  expectRefused(plain(), FillRegion{{TensorId::rawScores, 0, 0, 1, 0, 1}, FillZero{}}, "",
                "raw_scores", "pin");
  expectRefused(plain(), FillRegion{{TensorId::memory, 0, 0, 1, 0, 1}, FillZero{}}, "", "memory");
  expectRefused(plain(),
                FillRegion{wholeRegion(TensorId::wQ, -1, plain()->config), FillScaled{1e39}}, "",
                "W_Q");
}

TEST(Heads, OneCopiedOverAnotherComputesTheSame) {
  DocumentPtr d = plain();
  for (const TensorId id :
       {TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::bQ, TensorId::bK, TensorId::bV}) {
    d = edited(d, CopyHead{id, 3, 1});
  }
  const TracePtr trace = runAttention(d);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 4; ++j) {
      EXPECT_EQ(trace->value({TensorId::heads, 0, 1, i, j}),
                trace->value({TensorId::heads, 0, 3, i, j}));
    }
  }
  EXPECT_EQ(nameOf(CopyHead{TensorId::wQ, 3, 1}, *d), "W_Q head 2 = head 4");
  expectRefused(d, CopyHead{TensorId::wQ, 4, 1}, "", "W_Q", "head 5");
}

TEST(Heads, KeysTiedToQueriesGiveSymmetricScores) {
  const TracePtr trace = runAttention(edited(plain(), TieKeysToQueries{}));
  for (Index h = 0; h < 4; ++h) {
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < i; ++j) {
        EXPECT_NEAR(trace->value({TensorId::rawScores, 0, h, i, j}),
                    trace->value({TensorId::rawScores, 0, h, j, i}), 1e-5);
      }
    }
  }
  const DocumentPtr shared = edited(grouped(), TieKeysToQueries{});
  for (Index j = 0; j < 24; ++j) {  // key head 1 is query head 3's
    EXPECT_EQ(shared->weights.wK.at({4, j}), shared->weights.wQ.at({12, j}));
  }
  const DocumentPtr own = randomDocument(with(sized(16, 4, 5), [](auto& c) {
    c.memoryLen = 3;
    c.memoryWidth = 10;
  }));
  expectRefused(own, TieKeysToQueries{}, "", "10 features", "16");
}

TEST(EditedCells, StayWhereTheSizesStayAndGoWithANoteOtherwise) {
  const DocumentPtr text = fromTexts({"the cat sat on the mat"});
  DocumentPtr d = edited(text, SetCell{{TensorId::x, 0, -1, 1, 2}, 9.0F});
  d = edited(d, SetCell{{TensorId::wV, -1, -1, 1, 2}, 8.0F});
  d = edited(edited(d, SetSwitch{&Switches::bias, false}), SetHeadGain{1, 0.0F});
  EXPECT_EQ(d->input->x.at({0, 1, 2}), 9.0F);
  EXPECT_EQ(d->weights.wV.at({1, 2}), 8.0F);
  const EditResult other = applied(d, SetText{0, false, "a dog barked"});
  EXPECT_NE(other.document->input->x.at({0, 1, 2}), 9.0F);
  EXPECT_EQ(other.document->weights.wV.at({1, 2}), 8.0F);
  EXPECT_NE(other.note.find("edited cells"), std::string::npos) << other.note;
  EXPECT_FALSE(other.document->inputEdited);
  const EditResult wider = applied(d, SetDimensions{96, 4, 4});
  EXPECT_NE(wider.note.find("weights were drawn again"), std::string::npos) << wider.note;
  EXPECT_FALSE(wider.document->weightsEdited);
  // a loaded X needs no positions, and what moves is what is shown
  const CellRef typed{TensorId::x, 0, -1, 1, 2};
  const DocumentPtr file = edited(fromTensors(), SetCell{typed, 9.0F});
  EXPECT_TRUE(file->inputEdited);
  EXPECT_EQ(edited(file, SetPositions{Positions::none})->input, file->input);
  const EditResult moved = applied(file, MoveToken{0, false, 1, 3});
  EXPECT_EQ(moved.note, "");
  EXPECT_EQ(moved.document->input->x.at({0, 3, 2}), 9.0F);
  // another file is another X
  EXPECT_NE(applied(file, SetInput{fromTensors(2)->source}).note.find("edited cells"),
            std::string::npos);
  // drawing the same seed again brings back what was drawn
  const DocumentPtr again = edited(d, DrawWeights{WeightInit::xavier, 1});
  EXPECT_TRUE(sameBits(again->weights.wV, text->weights.wV));
}

TEST(EditedCells, OfLoadedTensorsMoveWithTheirTokens) {
  const DocumentPtr d = edited(fromTensors(), SetCell{{TensorId::x, 0, -1, 1, 2}, 9.0F});
  const DocumentPtr moved = edited(d, MoveToken{0, false, 1, 3});
  EXPECT_EQ(moved->input->x.at({0, 3, 2}), 9.0F);
}

}  // namespace
}  // namespace headscope::test
