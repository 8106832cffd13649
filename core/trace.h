// Trace: what every step of one pass gave, and the document it was computed from; with its
// gradients where somebody asked for them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention_tensors.h"
#include "core/document.h"
#include "core/steps/step.h"

namespace headscope {

struct FullyMaskedRow {
  Index item, head, row;
  bool operator==(const FullyMaskedRow&) const = default;
};

class Gradients;

class Trace : public AttentionTensors {
 public:
  /// With the document's operands; the results are for a pass to fill in.
  explicit Trace(DocumentPtr document);

  const Document& document() const { return *document_; }
  const DocumentPtr& documentPtr() const { return document_; }

  /// The number of the pass that gave a tensor its present values: where two traces of one session
  /// agree in it, the values are the same.
  std::uint64_t pass() const { return pass_; }
  void setPass(std::uint64_t pass) { pass_ = pass; }
  std::uint64_t revision(TensorId id) const { return revisions_[static_cast<std::size_t>(id)]; }
  void setRevision(TensorId id, std::uint64_t r) { revisions_[static_cast<std::size_t>(id)] = r; }

  /// Those of the same pass; null where nobody asked for them (withGradients).
  const Gradients* gradients() const { return gradients_.get(); }
  /// Its values; or its gradients, where it has them.
  const LayerTensors& side(bool gradient) const;
  /// Of a cell that is a gradient that, where it has them.
  float value(const CellRef& cell) const override;

  std::vector<StepRun> steps;  // in order
  std::vector<FullyMaskedRow> fullyMaskedRows;
  double ms = 0.0;

  const StepRun& run(StepId id) const { return steps[stepPlace(id, config())]; }
  int stepsRun() const;

 private:
  friend std::shared_ptr<const Trace> withGradients(const Trace& trace,
                                                    std::shared_ptr<const Gradients> gradients);

  DocumentPtr document_;
  std::shared_ptr<const Gradients> gradients_;
  std::array<std::uint64_t, kEveryTensorCount> revisions_{};
  std::uint64_t pass_ = 0;
};

using TracePtr = std::shared_ptr<const Trace>;

/// The same pass with its gradients.
TracePtr withGradients(const Trace& trace, std::shared_ptr<const Gradients> gradients);

}  // namespace headscope
