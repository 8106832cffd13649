// Attention tensors: every operand and result of one attention layer, by TensorId. The steps read
// their operands from here and write their results here. They do not depend on the source of the
// operands: a document, a trainer or a layer of a model.
//
// The tensors q, k and v are views of q_proj, k_proj and v_proj, and concat is a view of heads.
//
// Scores and weights grow as T². Where they would not fit in memory, or are seldom read, they need
// not be stored (ScoreStorage). A pass then keeps only the rows in progress. Readers get other rows
// recomputed, a block of rows at a time, by the same steps on the same rows. The result equals the
// stored one bit for bit.
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
  void dropPacked() { packed_ = {}; }
  void putPacked(TensorId weight, Tensor packed) {
    packed_[packedPlace(weight)] = std::move(packed);
  }

  /// The keys or values of the heads in the layout that the products of a pass read: the dense
  /// copy, in which each head's rows are adjacent, or the tensor itself where there is no copy.
  const Tensor& dense(TensorId id) const {
    const auto& [of, heads] = dense_[id == TensorId::v ? 1 : 0];
    return of == id && !heads.empty() ? heads : tensor(id);
  }
  void putDense(TensorId id, Tensor heads) {
    dense_[id == TensorId::v ? 1 : 0] = {id, std::move(heads)};
  }

  /// Returns whether a result is stored.
  bool holds(TensorId id) const { return headscope::holds(held_, id); }
  /// Sets which results are stored. Must be called before anything is computed.
  void hold(ScoreStorage held);

  /// A box of a result: `cells` for the step that writes it, `cellsOf` for the next step, which
  /// reads it.
  MatrixView cells(TensorId id, const Box& box);
  ConstMatrixView cellsOf(TensorId id, const Box& box) const;

  /// Rows of one head's raw scores and weights, over all keys. A tensor that the pass stores is
  /// empty.
  struct ScoreRows {
    Box box;
    Tensor raw, weights;

    const Tensor& of(TensorId id) const { return id == TensorId::weights ? weights : raw; }
  };
  /// A view of these tensors for one piece of a pass. For results that are not stored, `cells` and
  /// `cellsOf` give only the rows of the box.
  AttentionTensors withRows(const Box& box, const BlockStorePtr& memory) const;
  /// The block that contains a row. The most recent blocks are cached. Safe to call from any
  /// thread. Only where some result is not stored.
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
  // keys, values; after a pass only keys, to recompute results that it does not store
  std::array<std::pair<TensorId, Tensor>, 2> dense_;
  ScoreStorage held_ = ScoreStorage::all;
  std::shared_ptr<RecentRows> recent_;     // null where all is held
  std::shared_ptr<ScoreRows> rowsAtWork_;  // set by withRows
};

/// Reads the rows of one head's raw scores or weights, stored or not. For use by one thread.
class HeadRows {
 public:
  HeadRows(const AttentionTensors& tensors, TensorId id, Index item, Index head);
  HeadRows(const ConstMatrixView& held) : held_(held) {}

  /// Returns a row. It is valid until the next call.
  std::span<const float> row(Index row);

 private:
  ConstMatrixView held_ = {};
  const AttentionTensors* tensors_ = nullptr;
  TensorId id_ = TensorId::weights;
  Index item_ = 0, head_ = 0;
  std::shared_ptr<const AttentionTensors::ScoreRows> block_ = nullptr;
};

}  // namespace headscope
