#include "core/attention/attention_tensors.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>
#include <stdexcept>

#include "core/attention/config.h"
#include "core/attention/run_steps.h"
#include "core/attention/steps/score_rows.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"

namespace headscope {

/// A cache of recently requested blocks of rows, the latest last.
class AttentionTensors::RecentRows {
 public:
  struct Block {
    Index item, head, row;
    std::once_flag once = {};
    std::shared_ptr<const ScoreRows> rows = nullptr;
  };

  explicit RecentRows(Index most) : most_(static_cast<std::size_t>(most)) {}

  /// Returns the block of a row. Its first caller computes it once; other callers wait for that.
  std::shared_ptr<Block> at(Index item, Index head, Index row) {
    const std::lock_guard lock(mutex_);
    for (const auto& b : blocks_) {
      if (b->item == item && b->head == head && b->row == row) return b;
    }
    blocks_.push_back(std::shared_ptr<Block>(new Block{item, head, row}));
    if (blocks_.size() > most_) blocks_.pop_front();
    return blocks_.back();
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Block>> blocks_;
};

namespace {

Box within(const Box& whole, Box box) {
  box.item = box.head = 0;
  box.row -= whole.row;
  return box;
}

}  // namespace

void AttentionTensors::hold(ScoreStorage held) {
  held_ = held;
  if (held != ScoreStorage::all)
    recent_ = std::make_shared<RecentRows>(recentBlocks(config(), held));
}

MatrixView AttentionTensors::cells(TensorId id, const Box& box) {
  if (rowsAtWork_ == nullptr || holds(id)) return mutableTensor(id).mutableMatrixOf(box);
  Tensor& rows = id == TensorId::weights ? rowsAtWork_->weights : rowsAtWork_->raw;
  return rows.mutableMatrixOf(within(rowsAtWork_->box, box));
}

ConstMatrixView AttentionTensors::cellsOf(TensorId id, const Box& box) const {
  if (rowsAtWork_ == nullptr || holds(id)) return tensor(id).matrixOf(box);
  return rowsAtWork_->of(id).matrixOf(within(rowsAtWork_->box, box));
}

AttentionTensors AttentionTensors::withRows(const Box& box, const BlockStorePtr& memory) const {
  AttentionTensors tensors(*this);
  const Shape shape{1, 1, box.rows, config().keys()};
  const auto rows = [&](TensorId id) {
    return holds(id) ? Tensor() : Tensor::uninitialised(shape, memory);
  };
  tensors.rowsAtWork_ = std::make_shared<ScoreRows>(
      ScoreRows{box, rows(TensorId::rawScores), rows(TensorId::weights)});
  return tensors;
}

std::shared_ptr<const AttentionTensors::ScoreRows> AttentionTensors::rowsAround(Index item,
                                                                                Index head,
                                                                                Index row) const {
  if (!exists({TensorId::rawScores, item, head, row, 0}, config())) {
    throw std::out_of_range(tr("AttentionTensors: no such row of scores"));
  }
  const RowsLoop loop = rowsLoops(config()).front();
  Box box{item, head, row / loop.rows * loop.rows, 0, 0, config().keys()};
  box.rows = std::min(loop.rows, config().seqLen - box.row);
  const auto block = recent_->at(item, head, box.row);
  std::call_once(block->once, [&] {
    AttentionTensors tensors = withRows(box, nullptr);
    scoreStep().compute(tensors, TensorId::rawScores, box);
    if (!holds(TensorId::weights)) softmaxStep().compute(tensors, TensorId::weights, box);
    block->rows = tensors.rowsAtWork_;
  });
  return block->rows;
}

void AttentionTensors::tile(TensorId id, Index item, Index head, Index row, Index rows, Index col,
                            Index cols, float* out) const {
  const bool onDemand = isComputedOnDemand(id);
  const TensorId from = onDemand ? TensorId::rawScores : id;
  if (holds(from)) {
    LayerTensors::tile(from, item, head, row, rows, col, cols, out);
  } else {
    if (col < 0 || cols < 0 || col > config().keys() - cols) {
      throw std::out_of_range(tr("AttentionTensors: no such columns of scores"));
    }
    HeadRows read(*this, from, item, head);
    for (Index r = 0; r < rows; ++r) {
      std::copy_n(read.row(row + r).data() + col, cols, out + r * cols);
    }
  }
  if (!onDemand) return;
  for (Index r = 0; r < rows; ++r) {
    const std::span<float> part(out + r * cols, static_cast<std::size_t>(cols));
    const RowPart place{item, head, row + r, col};
    scaleScores(part, part, config(), pins(), place);
    if (id == TensorId::maskedScores) maskScores(part, config(), place);
  }
}

HeadRows::HeadRows(const AttentionTensors& tensors, TensorId id, Index item, Index head)
    : tensors_(&tensors), id_(id), item_(item), head_(head) {
  if (tensors.holds(id)) held_ = tensors.tensor(id).matrix({item, head});
}

std::span<const float> HeadRows::row(Index row) {
  if (held_.data != nullptr) return held_.row(row);
  if (block_ == nullptr || row < block_->box.row || row >= block_->box.row + block_->box.rows) {
    block_ = tensors_->rowsAround(item_, head_, row);
  }
  return block_->of(id_).matrix({0, 0}).row(row - block_->box.row);
}

}  // namespace headscope
