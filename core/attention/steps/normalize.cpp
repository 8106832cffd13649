// Step normalize, between split and rotate where the configuration has it: divides each head's
// query and key by its root mean square and multiplies it by a gain per coordinate (RMSNorm, Zhang
// & Sennrich 2019; for Q and K: Henry et al. 2020). The shapes (B,H,T,d_k) and (B,H_kv,M,d_k) are
// kept.
#include <fmt/format.h>

#include <cmath>
#include <span>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/steps/terms.h"

namespace headscope {
namespace {

const std::vector<float>& gainsOf(TensorId normalized, const AttentionConfig& c) {
  return normalized == TensorId::qNorm ? c.headNorm.q() : c.headNorm.k();
}

TensorId sourceOfNorm(TensorId normalized) {
  return normalized == TensorId::qNorm ? TensorId::q : TensorId::k;
}

double overRootMeanSquare(std::span<const float> row, double epsilon) {
  double squares = 0.0;
  for (const float x : row) squares += static_cast<double>(x) * static_cast<double>(x);
  return 1.0 / std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
}

class Normalize final : public Step {
 public:
  StepId id() const override { return StepId::normalize; }

  StepText text(const AttentionConfig& c) const override {
    return {"normalize",
            "Normalize",
            "each head's queries and keys get one length",
            "q / rms(q) · g",
            "norm",
            {fmt::format("q_norm, k_norm = (t * (t.pow(2).mean(-1, keepdim=True) + {}).rsqrt() * g "
                         "for t, g in ((q, g_Q), (k, g_K)))",
                         c.headNorm.on() ? c.headNorm.epsilon() : 0.0)}};
  }

  std::vector<TensorId> operands(TensorId output, const AttentionConfig&) const override {
    return {sourceOfNorm(output)};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::qNorm, TensorId::kNorm}; }

  /// Per coordinate: a multiply and an add for the squares, two multiplies for the result.
  StepCost cost(const AttentionConfig& c) const override {
    const Index cells =
        elementCount(shapeOf(TensorId::qNorm, c)) + elementCount(shapeOf(TensorId::kNorm, c));
    return {4 * cells, 4 * cells};
  }

  bool sameSettings(const AttentionConfig& a, const AttentionConfig& b) const override {
    return a.headNorm == b.headNorm;
  }

  std::vector<std::string> beyondModule(const AttentionConfig&) const override {
    return {"queries and keys are normalised"};
  }

  StepWork work() const override { return StepWork::heads; }
  bool compute(AttentionTensors& tensors, TensorId output, const Box& box) const override {
    const AttentionConfig& c = tensors.config();
    const std::vector<float>& gains = gainsOf(output, c);
    const Tensor& from = tensors.tensor(sourceOfNorm(output));
    Tensor& to = tensors.mutableTensor(output);
    for (Index head = 0; head < to.dim(1); ++head) {
      const ConstMatrixView x = from.matrix({box.item, head});
      const MatrixView y = to.mutableMatrix({box.item, head});
      for (Index i = box.row; i < box.row + box.rows; ++i) {
        const auto factor = static_cast<float>(overRootMeanSquare(x.row(i), c.headNorm.epsilon()));
        for (Index j = 0; j < y.cols; ++j) y(i, j) = x(i, j) * factor * gains[at(j)];
      }
    }
    return true;
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    const TensorId from = sourceOfNorm(cell.tensor);
    const ConstMatrixView x = tensors.tensor(from).matrix({cell.item, cell.head});
    const double factor = overRootMeanSquare(x.row(cell.row), c.headNorm.epsilon());
    const double gain = static_cast<double>(gainsOf(cell.tensor, c)[at(cell.col)]);
    CellRef source = cell;
    source.tensor = from;
    Explanation e = startExplanation(
        tensors, cell,
        fmt::format(
            "{}[b, h, t, j] = {}[b, h, t, j] / √(Σ_d {}[b, h, t, d]²/{} + {:g}) · g[j]: the "
            "root is {:.6g} here, the gain {:.6g}",
            info(cell.tensor).name, info(from).name, info(from).name, c.dK(), c.headNorm.epsilon(),
            1.0 / factor, gain));
    e.terms.push_back(scaledTerm(
        tensors, source, fmt::format("{:.6g} / {:.6g}", gain, 1.0 / factor), gain * factor));
    sumTerms(e);
    return e;
  }

  /// With u = g · dy and n = x·r, r = 1/rms: dx = r · (u − n · mean(u · n)).
  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const AttentionConfig& c = gradients.config();
    for (const TensorId id : outputs()) {
      const TensorId from = sourceOfNorm(id);
      Tensor d = headsMemory(from, c, execution.memory);
      parallelForRowBlocks(d, execution, [&](const Box& box) {
        for (Index head = 0; head < d.dim(1); ++head) {
          const MatrixView out = d.mutableMatrix({box.item, head});
          for (Index i = box.row; i < box.row + box.rows; ++i) {
            for (Index j = 0; j < out.cols; ++j) {
              out(i, j) =
                  static_cast<float>(gradientCell(gradients, {id, box.item, head, i, j}).total());
            }
          }
        }
      });
      gradients.put(from, std::move(d));
    }
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    CellRef to = cell;
    to.tensor = cell.tensor == TensorId::q ? TensorId::qNorm : TensorId::kNorm;
    to.gradient = false;
    const Parts parts = gradientCell(gradients, to);
    const auto name = info(to.tensor).name;
    Explanation e = startExplanation(
        gradients, cell,
        fmt::format(
            "grad.{0}[b, h, t, j] = (g[j] · grad.{1}[b, h, t, j] − n_j · mean(g · grad.{1} · "
            "n)) / rms, with n = {0} / rms",
            info(cell.tensor).name, name));
    e.terms.push_back(scaledTerm(gradients, gradientOf(to), "g / rms", parts.ownFactor));
    CellRef source = cell;
    source.gradient = false;
    e.terms.push_back(scaledTerm(gradients, source, "−mean / rms²", parts.lengthFactor));
    sumTerms(e);
    return e;
  }

 private:
  static std::size_t at(Index j) { return static_cast<std::size_t>(j); }

  /// dx_j = ownFactor · dy_j + lengthFactor · x_j.
  struct Parts {
    double ownFactor, lengthFactor, dy, x;
    double total() const { return ownFactor * dy + lengthFactor * x; }
  };
  static Parts gradientCell(const Gradients& gradients, const CellRef& to) {
    const AttentionConfig& c = gradients.config();
    const std::vector<float>& gains = gainsOf(to.tensor, c);
    const auto x =
        gradients.values().tensor(sourceOfNorm(to.tensor)).matrix({to.item, to.head}).row(to.row);
    const auto dy = gradients.tensor(to.tensor).matrix({to.item, to.head}).row(to.row);
    const double r = overRootMeanSquare(x, c.headNorm.epsilon());
    double mean = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      mean += static_cast<double>(gains[j]) * static_cast<double>(dy[j]) *
              static_cast<double>(x[j]) * r / static_cast<double>(c.dK());
    }
    const std::size_t j = at(to.col);
    return {r * static_cast<double>(gains[j]), -r * r * mean, static_cast<double>(dy[j]),
            static_cast<double>(x[j])};
  }
};

}  // namespace

const Step& normalizeStep() {
  static const Normalize step;
  return step;
}

}  // namespace headscope
