// Attention tensors: every operand and result of one attention layer, by TensorId. The steps read
// their operands from here and write their results here; who fills in the operands (a document, a
// trainer, a layer of a model) is not theirs to know.
//
// `q k v concat` are views of `q_proj … heads`.
//
// Scores and weights grow as T². They need not be held (ScoreStorage), where they would not fit in
// memory or are seldom looked at: a pass then has those of the rows at work alone, and who asks for
// others gets them computed again a block of rows at a time, by the same steps on the same rows, so
// bit for bit what holding them would have kept.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <utility>

#include "core/attention/layer_tensors.h"
#include "core/attention/pins.h"

namespace headscope {

class AttentionTensors : public LayerTensors {
 public:
  /// Both must live as long as this does.
  AttentionTensors(const AttentionConfig& config, const Pins& pins)
      : LayerTensors(config), pins_(&pins) {}

  const Pins& pins() const { return *pins_; }

  /// A weight matrix packed for products (see packPanel in steps/linear.h); empty where no product
  /// needed all of it.
  const Tensor& packed(TensorId weight) const { return packed_[packedPlace(weight)]; }
  void putPacked(TensorId weight, Tensor packed) {
    packed_[packedPlace(weight)] = std::move(packed);
  }

  /// Keys or values of the heads as the products of a pass read them: each head's rows next to each
  /// other where they were put so, else as they lie.
  const Tensor& dense(TensorId id) const {
    const auto& [of, heads] = dense_[id == TensorId::v ? 1 : 0];
    return of == id && !heads.empty() ? heads : tensor(id);
  }
  void putDense(TensorId id, Tensor heads) {
    dense_[id == TensorId::v ? 1 : 0] = {id, std::move(heads)};
  }

  /// Whether a result is stored.
  bool holds(TensorId id) const { return headscope::holds(held_, id); }
  /// Before anything is computed.
  void hold(ScoreStorage held);

  /// A box of a result, for the step that fills it in, and for the next one, which reads it.
  MatrixView cells(TensorId id, const Box& box);
  ConstMatrixView cellsOf(TensorId id, const Box& box) const;

  /// Rows of one head's raw scores and weights, whole rows of keys; empty: held.
  struct ScoreRows {
    Box box;
    Tensor raw, weights;

    const Tensor& of(TensorId id) const { return id == TensorId::weights ? weights : raw; }
  };
  /// The same tensors, in which `cells` and `cellsOf` give of what is not held these rows alone:
  /// for a piece of a pass.
  AttentionTensors withRows(const Box& box, const BlockStorePtr& memory) const;
  /// The block that a row lies in; of what was asked for last, some blocks are kept. Safe on any
  /// thread. Only where not all is held.
  std::shared_ptr<const ScoreRows> rowsAround(Index item, Index head, Index row) const;

  void tile(TensorId id, Index item, Index head, Index row, Index rows, Index col, Index cols,
            float* out) const override;

 private:
  class RecentRows;
  static std::size_t packedPlace(TensorId weight) {
    return static_cast<std::size_t>(weight) - static_cast<std::size_t>(TensorId::wQ);
  }

  const Pins* pins_;
  std::array<Tensor, 4> packed_;  // W_Q, W_K, W_V, W_O
  // of keys, of values; after a pass only keys, to compute from them what it does not hold
  std::array<std::pair<TensorId, Tensor>, 2> dense_;
  ScoreStorage held_ = ScoreStorage::all;
  std::shared_ptr<RecentRows> recent_;     // null where all is held
  std::shared_ptr<ScoreRows> rowsAtWork_;  // of `withRows`
};

/// The rows of one head's raw scores or weights, held or not. To be read by one thread.
class HeadRows {
 public:
  HeadRows(const AttentionTensors& tensors, TensorId id, Index item, Index head);
  HeadRows(const ConstMatrixView& held) : held_(held) {}

  /// There until the next one is asked for.
  std::span<const float> row(Index row);

 private:
  ConstMatrixView held_ = {};
  const AttentionTensors* tensors_ = nullptr;
  TensorId id_ = TensorId::weights;
  Index item_ = 0, head_ = 0;
  std::shared_ptr<const AttentionTensors::ScoreRows> block_ = nullptr;
};

}  // namespace headscope
