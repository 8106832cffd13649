// Cells by name, and pins of many cells in one edit.
#include <gtest/gtest.h>

#include "core/attention/pins.h"
#include "core/attention/tensor_id.h"

namespace headscope::test {
namespace {

TEST(Cells, AreReadAsTheyAreWritten) {
  const CellRef cell{TensorId::rawScores, 0, 5, 2, 1};
  EXPECT_EQ(cellFromString(toString(cell)), cell);
  EXPECT_EQ(cellFromString(" W_Q[3,17] "), (CellRef{TensorId::wQ, -1, -1, 3, 17}));
  EXPECT_EQ(cellFromString("b_O[ 4 ]"), (CellRef{TensorId::bO, -1, -1, 0, 4}));
  for (const char* text : {"", "W_Q", "W_Q[3]", "W_Q[3,17", "W_Q[3,,1]", "W_Q[3,x]", "W_X[3,1]",
                           "W_Q[3,1]]", "W_Q[]", "W_Q[3,1,2]"}) {
    EXPECT_FALSE(cellFromString(text)) << text;
  }
}

TEST(PinsOfALot, KeepTheLastOfEachCellInOrder) {
  const CellRef a{TensorId::rawScores, 0, 0, 0, 1};
  const CellRef b{TensorId::weights, 0, 0, 0, 0};
  EXPECT_EQ(Pins::from({{b, 1.0F}, {a, 2.0F}, {b, 3.0F}}), Pins().with({a, 2.0F}).with({b, 3.0F}));
}

}  // namespace
}  // namespace headscope::test
