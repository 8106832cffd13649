// Step: all there is to know of one of the nine steps of multi-head attention (Vaswani et al. 2017,
// section 3.2): its words, shapes and cost, how it is computed, and where a cell of it comes from.
//
// The engine, the command line, the cost ledger and the interface read it from here; none of them
// repeats a formula or a shape.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/threads.h"
#include "core/trace.h"

namespace headscope {

struct StepText {
  std::string_view id;        // "project": in JSON and flags
  std::string_view title;     // "Project"
  std::string_view sentence;  // what it does, one line
  std::string formula;        // with this configuration's numbers; ^ raises, _ lowers: "S / √64"
  std::string flow;           // its piece of what stands under the dimension flow: "/√64", or ""
  std::string pytorch;        // the lines that do it in PyTorch, on one line
};

struct NamedShape {
  TensorId tensor;
  Shape shape;
};

struct StepCost {
  Index flops = 0;  // a multiply-add 2, a bias 1 per element, scale 1, softmax 4 per element
  Index bytes = 0;  // what its outputs hold in F32; views 0
};

struct Term {
  std::string left, right;  // tensor notation, or a number in words ("1")
  double leftValue = 0.0, rightValue = 0.0;
  double product = 0.0;
  std::vector<CellRef> cells;  // the cells it is made of, to go on from
};

/// A cell's arithmetic: `value` is the engine's, `sum` the terms added in double. For softmax one
/// term per allowed key with exp(score − max) as product, and value = own term / sum. A pinned
/// cell's value is the pin's, its terms what they are without it.
struct Explanation {
  CellRef cell;
  double value = 0.0;
  bool pinned = false;
  std::string rule;
  std::vector<Term> terms;
  double sum = 0.0;
  double factor = 1.0;  // of a weight: dropout's 1/(1 − rate), or 0 where it is dropped

  /// Of a weight: the term of its own key; none where that takes no part in the softmax.
  const Term* own() const;
  /// What the terms lead to: the value but for rounding, and what a pinned cell would have.
  double computed() const;
};

/// How a pass runs, and how another thread may watch and stop it.
struct Execution {
  int threads = 0;  // at most, where the work is worth them; 0: one per core
  const std::atomic<bool>* cancelled = nullptr;  // asked between pieces of work; true stops
  std::atomic<int>* stepsDone = nullptr;         // counts up as the pass goes on
  bool whole = false;  // computes everything, whatever the trace before holds
  /// FLOPs of a whole pass from which on it computes only the cells that an edit reaches; below,
  /// all of a step's result is as quick, and exact.
  Index patchFrom = 50'000'000;
  Index flopsPerThread = kFlopsPerThread;

  bool stop() const { return cancelled != nullptr && cancelled->load(std::memory_order_relaxed); }
};

/// What of every tensor differs from the trace before.
using Changes = std::array<Change, kTensorCount>;

/// From the document of the trace before to the one of this pass, and what of the tensors computed
/// so far differs.
struct Transition {
  const Document& before;
  const Document& now;
  const Changes& changes;

  const Change& of(TensorId id) const { return changes[static_cast<std::size_t>(id)]; }
};

class Step {
 public:
  virtual ~Step() = default;

  virtual StepId id() const = 0;
  virtual StepText text(const AttentionConfig& config) const = 0;
  virtual std::vector<TensorId> inputs(const AttentionConfig& config) const = 0;
  virtual std::vector<TensorId> outputs() const = 0;
  virtual StepCost cost(const AttentionConfig& config) const = 0;

  /// What of an output, of the shape it had, has to be computed anew; more is allowed.
  virtual Change affected(TensorId output, const Transition& t) const = 0;

  /// A result that is a view of others, which is all there is to compute; empty for the rest.
  virtual Tensor view(TensorId, const Trace&) const { return {}; }
  /// New memory for an output; empty for views and for what is handed out by tile.
  virtual Tensor memory(TensorId, const AttentionConfig&) const { return {}; }

  /// Computes a box of an output into `trace`, whose inputs are there: from `score` to `weigh` at
  /// least those in the box's rows. False where a value overflowed. Nothing where there is no
  /// memory to fill.
  virtual bool compute(Trace&, TensorId, const Box&) const { return true; }

  /// Computes a box from what it was before, with far less work, where what changed allows it:
  /// equal to rounding, which is relative to the magnitude given out, the largest that its sums
  /// went through. Nothing where it does not; the box is then to be computed.
  virtual std::optional<float> patch(Trace&, const Trace& /*before*/, TensorId, const Box&) const {
    return std::nullopt;
  }

  /// One cell of one of its outputs, as it is computed (see explainCell for pinned ones).
  virtual Explanation explain(const Trace& trace, const CellRef& cell) const = 0;

  std::vector<NamedShape> inputShapes(const AttentionConfig& config) const;
  std::vector<NamedShape> outputShapes(const AttentionConfig& config) const;
};

/// The nine, in order.
std::span<const Step* const> allSteps();
const Step& step(StepId id);
/// The step that gives a result tensor. Not for operands.
const Step& stepGiving(TensorId id);
/// Any cell of any result: the arithmetic of its step; where the cell is pinned, that of the value
/// it would have.
Explanation explainCell(const Trace& trace, const CellRef& cell);
/// Throws UserError that lists the ids.
StepId stepIdFromString(std::string_view name);

}  // namespace headscope
