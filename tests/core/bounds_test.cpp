// Bounds: numbers of files and users that lead beyond a tensor are refused, in release builds too.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "core/document/trace.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/passes.h"

namespace headscope::test {
namespace {

constexpr Index kHuge = std::numeric_limits<Index>::max() / 2;

TEST(Bounds, ViewsOfATensorStayWithinIt) {
  Tensor t = randomTensor({2, 3, 4, 5}, 1, "t", 1.0F);
  EXPECT_THROW(t.at({0, 0, 4, 0}), std::out_of_range);
  EXPECT_THROW(t.at({0, 0, 0, -1}), std::out_of_range);
  EXPECT_THROW(t.at({0, 0, 0}), std::out_of_range);
  EXPECT_THROW(t.matrix({2, 0}), std::out_of_range);
  EXPECT_THROW(t.matrix({0, -1}), std::out_of_range);
  EXPECT_THROW(t.matrix({0}), std::out_of_range);
  EXPECT_THROW(t.mutableMatrix({0, 3}), std::out_of_range);
  EXPECT_THROW(t.slice(0, 1, 3), std::out_of_range);
  EXPECT_THROW(t.split(3, 2), std::out_of_range);
  EXPECT_THROW(t.reshaped({2, 3, 4, 6}), std::out_of_range);
  EXPECT_THROW(t.matrixOf(Box{0, 0, 2, 3, 0, 1}), std::out_of_range);
  EXPECT_THROW(t.matrixOf(Box{0, 0, 0, 1, kHuge, kHuge}), std::out_of_range);
  EXPECT_THROW(t.mutableMatrixOf(Box{0, 0, -1, 1, 0, 1}), std::out_of_range);
}

/// The document with any, or with none, of its scores and weights stored.
DocumentPtr storing(ScoreStorage storage) {
  return changed(randomDocument(sized(8, 2, 3)), [&](Document& d) { d.scoreStorage = storage; });
}

TEST(Bounds, CellsOfAPassThatDoNotExistAreNoValues) {
  for (const ScoreStorage storage : {ScoreStorage::all, ScoreStorage::none}) {
    const TracePtr trace = runAttention(storing(storage));
    for (std::size_t i = 0; i < kTensorCount; ++i) {
      const auto id = static_cast<TensorId>(i);
      if (!has(trace->config(), id)) continue;
      const TensorInfo& t = info(id);
      const CellRef first{id, t.perItem ? 0 : -1, t.perHead ? 0 : -1, 0, 0};
      EXPECT_NO_THROW(trace->value(first)) << t.name;
      CellRef cell = first;
      cell.col = kHuge;
      EXPECT_THROW(trace->value(cell), std::out_of_range) << t.name;
      cell.col = -1;
      EXPECT_THROW(trace->value(cell), std::out_of_range) << t.name;
      cell = first;
      cell.row = kHuge;
      EXPECT_THROW(trace->value(cell), std::out_of_range) << t.name;
      cell = first;
      cell.head = 2;
      if (t.perHead) {
        EXPECT_THROW(trace->value(cell), std::out_of_range) << t.name;
      }
      cell = first;
      cell.item = 1;
      if (t.perItem) {
        EXPECT_THROW(trace->value(cell), std::out_of_range) << t.name;
      }
    }
  }
}

TEST(Bounds, EveryEditOfAPlaceThatDoesNotExistIsRefused) {
  const DocumentPtr document = fromTexts({"The cat sat", "A dog."}, {"Die Katze"});
  const AttentionConfig& c = document->config;
  std::vector<Edit> edits;
  for (const Index item : {Index{-1}, c.batch, kHuge}) {
    edits.push_back(SetText{item, false, "x"});
    edits.push_back(SetText{item, true, "x"});
    edits.push_back(MoveToken{item, false, 0, 1});
    edits.push_back(SetCell{{TensorId::x, item, -1, 0, 0}, 1.0F});
    edits.push_back(SetCell{{TensorId::memory, item, -1, 0, 0}, 1.0F});
    edits.push_back(SetPin{{{TensorId::rawScores, item, 0, 0, 0}, 1.0F}});
    edits.push_back(FillRegion{{TensorId::x, item, 0, 1, 0, 1}, {}});
  }
  for (const Index head : {Index{-1}, c.numHeads, kHuge}) {
    edits.push_back(SetHeadGain{head, 0.5F});
    edits.push_back(CopyHead{TensorId::wQ, head, 0});
    edits.push_back(CopyHead{TensorId::wQ, 0, head});
    edits.push_back(CopyHead{TensorId::bV, head, 0});
    edits.push_back(SetPin{{{TensorId::weights, 0, head, 0, 0}, 1.0F}});
  }
  for (const Index row : {Index{-1}, c.dModel, kHuge}) {
    edits.push_back(MoveToken{0, false, row, 0});
    edits.push_back(MoveToken{0, true, 0, row});
    edits.push_back(SetCell{{TensorId::wK, -1, -1, row, 0}, 1.0F});
    edits.push_back(SetCell{{TensorId::wK, -1, -1, 0, row}, 1.0F});
    edits.push_back(SetCell{{TensorId::bO, -1, -1, 0, row}, 1.0F});
    edits.push_back(SetPin{{{TensorId::heads, 0, 0, row, 0}, 1.0F}});
    edits.push_back(SetPin{{{TensorId::scores, 0, 0, 0, row}, 1.0F}});
    edits.push_back(RemovePin{{TensorId::scores, 0, 0, 0, row}});
    edits.push_back(FillRegion{{TensorId::wO, -1, row, 1, 0, 1}, {}});
    edits.push_back(FillRegion{{TensorId::wO, -1, 0, kHuge, 0, row}, {}});
    edits.push_back(CopyHead{static_cast<TensorId>(row == -1 ? 0 : 9), 0, 1});
  }
  for (const Edit& edit : edits) {
    EXPECT_THROW(edited(document, edit), UserError) << nameOf(edit, *document);
  }
}

}  // namespace
}  // namespace headscope::test
