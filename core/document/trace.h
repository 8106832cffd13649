// Trace: the results of every step of one pass, with the document and, if requested, the gradients.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention/attention_tensors.h"
#include "core/attention/steps/step_id.h"
#include "core/document/fwd.h"

namespace headscope {

struct FullyMaskedRow {
  Index item, head, row;
  bool operator==(const FullyMaskedRow&) const = default;
};

class Gradients;

/// Pictures of scores that a pass does not store: each matrix as `rows` × `cols` blocks of cells.
/// Each block is represented by its largest-magnitude cell.
struct SmallScores {
  struct Head {
    std::array<std::vector<float>, 4> cells;  // of rawScores, scores, maskedScores, weights
  };

  Index item = 0;
  Index rows = 0, cols = 0;
  std::vector<std::shared_ptr<const Head>> heads;  // null: not computed yet

  /// Returns whether a tensor can have pictures, and its index in Head::cells.
  static constexpr bool has(TensorId id) { return isStoredScores(id) || isComputedOnDemand(id); }
  static constexpr std::size_t place(TensorId id) {
    return static_cast<std::size_t>(id) - static_cast<std::size_t>(TensorId::rawScores);
  }
  const Head* of(Index batchItem, Index head) const {
    return batchItem == item ? heads[static_cast<std::size_t>(head)].get() : nullptr;
  }
};

class Trace : public AttentionTensors {
 public:
  /// Has the document's operands; a pass fills in the results.
  explicit Trace(DocumentPtr document);

  const Document& document() const { return *document_; }
  const DocumentPtr& documentPtr() const { return document_; }

  /// The number of this pass. A tensor's revision is the number of the pass that computed its
  /// present values: two traces of one session with the same revision have the same values.
  std::uint64_t pass() const { return pass_; }
  void setPass(std::uint64_t pass) { pass_ = pass; }
  std::uint64_t revision(TensorId id) const { return revisions_[static_cast<std::size_t>(id)]; }
  void setRevision(TensorId id, std::uint64_t r) { revisions_[static_cast<std::size_t>(id)] = r; }

  /// Gradients of the same pass; null unless requested (withGradients).
  const Gradients* gradients() const { return gradients_.get(); }
  /// Pictures of scores that the pass does not store; null unless requested (withSmallScores).
  const SmallScores* smallScores() const { return smallScores_.get(); }
  /// The values of the pass, or its gradients, which must exist.
  const LayerTensors& side(bool gradient) const;
  /// A cell's value; a gradient cell's gradient where the trace has gradients.
  float value(const CellRef& cell) const override;

  std::vector<StepRun> steps;  // in order
  std::vector<FullyMaskedRow> fullyMaskedRows;
  double ms = 0.0;

  const StepRun& run(StepId id) const;
  int stepsRun() const;

 private:
  friend std::shared_ptr<const Trace> withGradients(const Trace& trace,
                                                    std::shared_ptr<const Gradients> gradients);
  friend std::shared_ptr<const Trace> withSmallScores(const Trace& trace,
                                                      std::shared_ptr<const SmallScores> small);

  DocumentPtr document_;
  std::shared_ptr<const Gradients> gradients_;
  std::shared_ptr<const SmallScores> smallScores_;
  std::array<std::uint64_t, kEveryTensorCount> revisions_{};
  std::uint64_t pass_ = 0;
};

/// A copy of the trace that has gradients.
TracePtr withGradients(const Trace& trace, std::shared_ptr<const Gradients> gradients);
/// A copy of the trace that has pictures of the scores it does not store.
TracePtr withSmallScores(const Trace& trace, std::shared_ptr<const SmallScores> small);

}  // namespace headscope
