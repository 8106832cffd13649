// The unpinned value of a pinned cell equals the value that the engine computes without the pin.
#include <gtest/gtest.h>

#include "core/document/attention.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/passes.h"

namespace headscope::test {
namespace {

class Unpinned : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutDropout, Unpinned, testing::Bool());

TEST_P(Unpinned, IsWhatThePassWithoutThePinGives) {
  DocumentPtr document = fromTexts({"the cat sat on it"});
  if (GetParam()) document = edited(document, SetDropout{{0.4, 7}});
  const TracePtr plain = runAttention(document, nullptr, {});
  for (const TensorId tensor :
       {TensorId::rawScores, TensorId::scores, TensorId::weights, TensorId::heads}) {
    for (Index col = 0; col < 5; ++col) {
      const CellRef cell{tensor, 0, 1, 2, col};
      const TracePtr pinned = runAttention(edited(document, SetPin{{cell, 9.0F}}), nullptr, {});
      ASSERT_EQ(pinned->value(cell), 9.0F);
      EXPECT_NEAR(explainCell(*pinned, cell).computed(), plain->value(cell), 1e-5)
          << toString(cell);
    }
  }
}

TEST(Pins, ThoseOfOneMatrixAreRemovedAlone) {
  DocumentPtr document = fromTexts({"the cat sat on it"});
  const CellRef a{TensorId::scores, 0, 1, 2, 3};
  const CellRef sameMatrix{TensorId::scores, 0, 1, 0, 0};
  const CellRef otherHead{TensorId::scores, 0, 2, 2, 3};
  const CellRef otherTensor{TensorId::weights, 0, 1, 2, 3};
  for (const CellRef& cell : {a, sameMatrix, otherHead, otherTensor}) {
    document = edited(document, SetPin{{cell, 1.0F}});
  }
  const RemoveAllPins edit{a};
  EXPECT_EQ(nameOf(edit, *document), "unpin all of scores, head 2");
  const DocumentPtr left = edited(document, edit);
  EXPECT_FALSE(left->pins.at(a));
  EXPECT_FALSE(left->pins.at(sameMatrix));
  EXPECT_TRUE(left->pins.at(otherHead));
  EXPECT_TRUE(left->pins.at(otherTensor));
  EXPECT_TRUE(edited(document, RemoveAllPins{})->pins.empty());
}

}  // namespace
}  // namespace headscope::test
