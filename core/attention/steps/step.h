// Step: the complete description of one step of multi-head attention (Vaswani et al. 2017, section
// 3.2): its words, shapes and cost, its computation, and the arithmetic of each of its cells.
//
// The engine, the command line, the cost ledger and the interface read it from here; none of them
// repeats a formula or a shape. The configuration determines the steps of a pass and their order
// (`stepsOf`). A step's number is its place in that list.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/attention_tensors.h"
#include "core/attention/steps/step_id.h"
#include "core/base/execution.h"

namespace headscope {

class Gradients;

struct StepText {
  std::string_view id;        // "project": in JSON and flags
  std::string_view title;     // "Project"
  std::string_view sentence;  // what it does, one line
  std::string formula;        // with this configuration's numbers; ^ raises, _ lowers: "S / √64"
  std::string flow;           // its part of the line under the dimension flow: "/√64", or ""
  std::vector<std::string> pytorch;  // the lines that do it in PyTorch

  /// The lines of PyTorch on one line.
  std::string pytorchLine() const;
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
  std::vector<CellRef> cells;           // the cells it is made of, which can be explained in turn
  std::string before = {}, after = {};  // around `left`: "0.5 · ", " (pinned: stops here)"

  std::string wholeLeft() const { return before + left + after; }
};

/// How a value follows from the sum of an explanation's terms.
enum class ExplanationForm {
  sum,         // the value itself
  share,       // a weight: factor · own term / sum
  difference,  // a masked score's gradient: share · (factor · its weight's gradient − sum)
  function,    // a function of the sum
};

/// The arithmetic of a cell: `value` is the engine's, `sum` the terms added in double. Softmax has
/// one term per allowed key with exp(score − max) as product, and value = own term / sum. A pinned
/// cell has the pin's value and the terms that it would have without the pin.
struct Explanation {
  CellRef cell;
  double value = 0.0;
  bool pinned = false;
  std::string rule;
  std::vector<Term> terms;
  double sum = 0.0;
  ExplanationForm ending = ExplanationForm::sum;
  double factor = 1.0;    // of a weight: dropout's 1/(1 − rate), or 0 where it is dropped
  double share = 0.0;     // of `difference`: the weight before dropout
  double incoming = 0.0;  // of `difference`: its weight's gradient
  // of `function`: its text around the sum, "50·tanh(" and " / 50)", and its value
  std::string before, after;
  double functionValue = 0.0;

  /// For weights and `difference` only: the term of the cell's own key; null where the softmax
  /// leaves that key out.
  const Term* own() const;
  /// The value that follows from the terms: the engine's up to rounding; for a pinned cell, the
  /// value without its pin.
  double computed() const;
};

/// The tensors of y = x Wᵀ + b (nn.Linear). No bias is added where the configuration has none.
struct LinearLayer {
  TensorId x, weight, bias, y;
};

/// The kind of a step's computation, which determines how a pass splits the work.
enum class StepWork {
  view,    // the results are views of others: there is nothing to compute
  linear,  // linear layers, in panels of their weights
  heads,   // blocks of rows of all heads; all are complete before the next step
  rows,    // rows of single heads, together with the neighbouring steps of this kind
};

class Step {
 public:
  virtual ~Step() = default;

  virtual StepId id() const = 0;
  virtual StepText text(const AttentionConfig& config) const = 0;
  virtual StepCost cost(const AttentionConfig& config) const = 0;

  virtual std::vector<TensorId> outputs() const = 0;
  /// The output that a step is shown by where it is shown by one.
  virtual TensorId mainOutput() const { return outputs().front(); }
  /// The tensors that one output is computed from.
  virtual std::vector<TensorId> operands(TensorId output, const AttentionConfig& config) const = 0;
  /// The tensors that all outputs are computed from, in the order in which a person would list
  /// them.
  virtual std::vector<TensorId> inputs(const AttentionConfig& config) const;
  /// Returns whether two configurations agree in what this step reads apart from its operands,
  /// shapes and switches (sameSwitches).
  virtual bool sameSettings(const AttentionConfig&, const AttentionConfig&) const { return true; }

  /// The sign of the operation between operand and result, for one head: "× 0.125"; empty where it
  /// is the same for all configurations, or where the configuration has none.
  virtual std::string sign(const AttentionConfig&, Index /*head*/) const { return {}; }
  /// Why nn.MultiheadAttention cannot do this step as it is configured; empty where it can.
  virtual std::vector<std::string> beyondModule(const AttentionConfig&) const { return {}; }

  virtual StepWork work() const = 0;
  /// For `view` steps only: returns the output as a view of its operands.
  virtual Tensor view(TensorId, const AttentionTensors&) const { return {}; }
  /// For `linear` steps only: the layers.
  virtual std::vector<LinearLayer> layers(const AttentionConfig&) const { return {}; }
  /// For all other steps: new memory for an output; empty for outputs that are computed on demand.
  virtual Tensor memory(TensorId output, const AttentionConfig& config,
                        const BlockStorePtr& store) const {
    return Tensor::uninitialised(shapeOf(output, config), store);
  }
  /// For `rows` steps and, with boxes of rows of all heads, `heads` steps: computes a box of an
  /// output. The operands must be computed at least in the box's rows. False where a value
  /// overflowed.
  virtual bool compute(AttentionTensors&, TensorId, const Box&) const { return true; }

  /// Explains one cell of an output as it is computed (see explainCell for pinned cells).
  virtual Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const = 0;

  /// Computes the gradients of the operands from those of the outputs. Outputs that are computed on
  /// demand need no work here.
  virtual void backward(Gradients& gradients, const ExecutionContext& execution) const = 0;
  /// Explains one cell of the gradient of an operand as it is computed.
  virtual Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const = 0;

  std::vector<NamedShape> inputShapes(const AttentionConfig& config) const;
  std::vector<NamedShape> outputShapes(const AttentionConfig& config) const;
};

/// Returns whether a step computes the cell, forward or backward. Other cells are given.
bool hasArithmetic(const CellRef& cell);

/// The steps of a pass, in order.
std::span<const Step* const> stepsOf(const AttentionConfig& config);
/// A step's place in stepsOf, from 0. Throws std::logic_error where the pass has no such step.
std::size_t stepPlace(StepId id, const AttentionConfig& config);
/// The step `places` after a step (negative: before it), clamped to the first and the last.
StepId neighbouringStep(StepId id, int places, const AttentionConfig& config);

/// Every step there is, whether a configuration has it or not.
std::span<const Step* const> allSteps();
const Step& step(StepId id);
/// The step that computes a result tensor. Not for operands of the document.
const Step& producerOf(TensorId id);
/// The steps that read a tensor: its gradient is the sum of the parts that they compute. None for
/// the output.
std::vector<const Step*> consumersOf(TensorId id, const AttentionConfig& config);
/// Throws UserError that lists the ids.
StepId stepIdFromString(std::string_view name);

/// Explains any cell of any result by the arithmetic of its step. For a pinned cell: the arithmetic
/// of the value without the pin.
Explanation explainCell(const AttentionTensors& tensors, const CellRef& cell);
/// Explains any cell of any gradient by the arithmetic of the step that reads the tensor. The
/// output's gradient is given and has no arithmetic.
Explanation explainGradientCell(const Gradients& gradients, const CellRef& cell);

/// PyTorch's name of k or v with one head per query head: repeated where a group shares one (GQA).
std::string pytorchPerQueryHead(std::string_view name, const AttentionConfig& config);

// Each is defined in the file of its name.
const Step& projectStep();
const Step& splitStep();
const Step& normalizeStep();
const Step& rotateStep();
const Step& scoreStep();
const Step& scaleStep();
const Step& maskStep();
const Step& softmaxStep();
const Step& weighStep();
const Step& gateStep();
const Step& concatStep();
const Step& outputStep();

}  // namespace headscope
