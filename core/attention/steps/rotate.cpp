// Step rotate, between split and score where the configuration has RoPE (Su et al. 2021): pairs of
// coordinates of each query and key are turned by their position times a frequency, so that q · k
// depends on their distance alone. (B,H,T,d_k) and (B,H_kv,M,d_k), shapes as they were.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/rotary_row.h"
#include "core/attention/steps/terms.h"
#include "core/base/translation.h"
#include "core/tensor/finite.h"

namespace headscope {
namespace {

struct Turned {
  TensorId to, from;
};

Turned turnedTo(TensorId to, const AttentionConfig& c) {
  const bool normalized = c.headNorm.on();
  if (to == TensorId::qRot) return {to, normalized ? TensorId::qNorm : TensorId::q};
  return {to, normalized ? TensorId::kNorm : TensorId::k};
}

/// The pair of a coordinate that turns. The rotation gives first · cos − second · sin for the first
/// of a pair and second · cos + first · sin for the second.
struct PairOf {
  Index pair;     // its frequency's number
  Index partner;  // the other coordinate
  double sign;    // of the partner's term
};
PairOf pairOf(Index j, const AttentionConfig& c) {
  const bool neighbours = c.rotary.pairing == Rotary::Pairing::neighbours;
  const Index pair = neighbours ? j / 2 : j % (c.rotary.turning(c.dK()) / 2);
  const RotatedPair both = coordinatesOf(pair, c.rotary, c.dK());
  return j == both.first ? PairOf{pair, both.second, -1.0} : PairOf{pair, both.first, 1.0};
}

/// Rotates rows of all heads; in reverse where `direction` is −1.
void turnRows(const Tensor& from, Tensor& to, const AttentionConfig& c, Index item, Index row,
              Index rows, double direction) {
  const std::vector<double> frequencies = rotaryFrequencies(c.rotary, c.dK());
  for (Index i = row; i < row + rows; ++i) {
    const RotaryRow turn(c.rotary, c.dK(), frequencies, i, direction);
    for (Index head = 0; head < from.dim(1); ++head) {
      turn.apply(from.matrix({item, head}).row(i).data(),
                 to.mutableMatrix({item, head}).row(i).data());
    }
  }
}

std::string scalingInWords(const Rotary& r) {
  switch (r.scaling) {
    case Rotary::Scaling::linear:
      return fmt::format(", positions / {:g}", r.factor);
    case Rotary::Scaling::llama3:
      return trFormat(", slow ones / {:g}", r.factor);
    case Rotary::Scaling::perPair:
      return tr(", each / its divisor");
    case Rotary::Scaling::none:
      break;
  }
  return "";
}

/// "θ = 10000, 4 pairs of neighbours, positions / 2, × 1.14"
std::string settingsInWords(const AttentionConfig& c) {
  const Rotary& r = c.rotary;
  return trFormat(
      "θ = {:g}, {} pairs{}{}{}{}", r.theta, r.turning(c.dK()) / 2,
      r.pairing == Rotary::Pairing::neighbours ? tr(" of neighbours") : "",
      r.turning(c.dK()) < c.dK() ? trFormat(" in the first {} of {}", r.turning(c.dK()), c.dK())
                                 : "",
      scalingInWords(r), r.amplitude == 1.0 ? "" : fmt::format(", × {:.4g}", r.amplitude));
}

/// The lines of PyTorch that rotate `from` by the tensor `angle`.
std::string rotatingLine(const AttentionConfig& c, std::string_view to, std::string_view from) {
  const Rotary& r = c.rotary;
  const Index turning = r.turning(c.dK());
  const bool all = turning == c.dK();
  const std::string x = all ? std::string(from) : fmt::format("{}[..., :{}]", from, turning);
  const std::string other =
      r.pairing == Rotary::Pairing::neighbours
          ? fmt::format("torch.stack((-{0}[..., 1:{1}:2], {0}[..., 0:{1}:2]), -1).flatten(-2)",
                        from, turning)
          : fmt::format("torch.cat((-{0}[..., {1}:{2}], {0}[..., :{1}]), -1)", from, turning / 2,
                        turning);
  std::string turned = fmt::format("{} * angle.cos() + {} * angle.sin()", x, other);
  if (r.amplitude != 1.0) turned = fmt::format("{} * ({})", r.amplitude, turned);
  return all ? fmt::format("{} = ({}).to({}.dtype)", to, turned, from)
             : fmt::format("{0} = torch.cat((({1}).to({2}.dtype), {2}[..., {3}:]), -1)", to, turned,
                           from, turning);
}

class Rotate final : public Step {
 public:
  StepId id() const override { return StepId::rotate; }

  StepText text(const AttentionConfig& c) const override {
    const Index turning = c.rotary.turning(c.dK());
    std::vector<std::string> lines{
        c.rotary.scaling == Rotary::Scaling::none
            ? fmt::format("omega = {} ** (-torch.arange(0, {}, 2, dtype=torch.float64) / {})",
                          c.rotary.theta, turning, turning)
            : fmt::format("omega = torch.tensor([{}], dtype=torch.float64)",
                          fmt::join(rotaryFrequencies(c.rotary, c.dK()), ", "))};
    for (const TensorId to : {TensorId::qRot, TensorId::kRot}) {
      const auto from = info(turnedTo(to, c).from).name;
      const char* length = to == TensorId::kRot && c.crossAttention() ? "M" : "T";
      lines.push_back(fmt::format(
          "angle = torch.outer(torch.arange({}, dtype=torch.float64), omega).{}", length,
          c.rotary.pairing == Rotary::Pairing::neighbours ? "repeat_interleave(2, 1)"
                                                          : "repeat(1, 2)"));
      lines.push_back(rotatingLine(c, info(to).name, from));
    }
    return {"rotate",           tr("Rotate"), tr("pairs of coordinates turn with the position"),
            settingsInWords(c), "RoPE",       std::move(lines)};
  }

  std::vector<TensorId> operands(TensorId output, const AttentionConfig& c) const override {
    return {turnedTo(output, c).from};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::qRot, TensorId::kRot}; }

  /// Per coordinate: two multiplies and an add.
  StepCost cost(const AttentionConfig& c) const override {
    const Index cells =
        elementCount(shapeOf(TensorId::qRot, c)) + elementCount(shapeOf(TensorId::kRot, c));
    return {3 * cells, 4 * cells};
  }

  bool sameSettings(const AttentionConfig& a, const AttentionConfig& b) const override {
    return a.rotary == b.rotary;
  }

  std::vector<std::string> beyondModule(const AttentionConfig&) const override {
    return {tr("queries and keys are rotated (RoPE)")};
  }

  StepWork work() const override { return StepWork::heads; }
  bool compute(AttentionTensors& tensors, TensorId output, const Box& box) const override {
    const AttentionConfig& c = tensors.config();
    Tensor& to = tensors.mutableTensor(output);
    turnRows(tensors.tensor(turnedTo(output, c).from), to, c, box.item, box.row, box.rows, 1.0);
    return true;  // finite operands give finite results, except near the largest float32
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    return turned(tensors, cell, turnedTo(cell.tensor, tensors.config()).from, 1.0);
  }

  /// The gradient is rotated by the opposite angle, since the rotation is orthogonal.
  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const AttentionConfig& c = gradients.config();
    for (const TensorId id : outputs()) {
      const Turned turned = turnedTo(id, c);
      Tensor d = headsMemory(turned.from, c, execution.memory);
      parallelForRowBlocks(d, execution, [&](const Box& box) {
        turnRows(gradients.tensor(turned.to), d, c, box.item, box.row, box.rows, -1.0);
      });
      gradients.put(turned.from, std::move(d));
    }
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const bool query = cell.tensor == TensorId::q || cell.tensor == TensorId::qNorm;
    return turned(gradients, cell, query ? TensorId::qRot : TensorId::kRot, -1.0);
  }

 private:
  static Explanation turned(const LayerTensors& tensors, const CellRef& cell, TensorId from,
                            double direction) {
    const AttentionConfig& c = tensors.config();
    if (cell.col >= c.rotary.turning(c.dK())) return unturned(tensors, cell, from);
    const PairOf pair = pairOf(cell.col, c);
    const double frequency =
        rotaryFrequencies(c.rotary, c.dK())[static_cast<std::size_t>(pair.pair)];
    const Turn turn = rotationAt(frequency, cell.row);
    const bool first = pair.sign < 0.0;
    const double amplitude = c.rotary.amplitude;
    const std::string factor = amplitude == 1.0 ? "" : fmt::format("{:.6g}", amplitude);
    Explanation e = startExplanation(
        tensors, cell,
        trFormat("pair {} turns by {}{:.6g} per position: {}[t, j] = {}{}[t, j] · cos {} {}[t, j "
                 "{} {}] · sin{}, at t = {}",
                 pair.pair, direction < 0.0 ? "−" : "", frequency, tensorName(cell),
                 factor.empty() ? "" : factor + " · (", info(from).name,
                 (first == (direction > 0.0)) ? "−" : "+", info(from).name, first ? "+" : "−",
                 std::abs(pair.partner - cell.col), factor.empty() ? "" : ")", cell.row));
    CellRef own = cell;
    own.tensor = from;
    CellRef other = own;
    other.col = pair.partner;
    const std::string angle = fmt::format("{}·{:.6g}", cell.row, frequency);
    const std::string times = factor.empty() ? "" : factor + " · ";
    e.terms.push_back(
        scaledTerm(tensors, own, trFormat("{}cos {}", times, angle), amplitude * turn.cosine));
    const double sine = pair.sign * direction * turn.sine;
    e.terms.push_back(
        scaledTerm(tensors, other,
                   trFormat("{}{}sin {}", pair.sign * direction < 0.0 ? "−" : "", times, angle),
                   amplitude * sine));
    sumTerms(e);
    return e;
  }

  static Explanation unturned(const LayerTensors& tensors, const CellRef& cell, TensorId from) {
    const AttentionConfig& c = tensors.config();
    Explanation e = startExplanation(
        tensors, cell,
        trFormat("only the first {} of {} coordinates turn: {}[t, j] = {}[t, j]",
                 c.rotary.turning(c.dK()), c.dK(), tensorName(cell), info(from).name));
    CellRef own = cell;
    own.tensor = from;
    e.terms.push_back(sourceTerm(tensors, own));
    sumTerms(e);
    return e;
  }
};

}  // namespace

const Step& rotateStep() {
  static const Rotate step;
  return step;
}

}  // namespace headscope
