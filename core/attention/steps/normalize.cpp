// Step normalize, between split and rotate where the configuration has it: divides each head's
// query and key by its root mean square and multiplies it by a gain per coordinate (RMSNorm, Zhang
// & Sennrich 2019; for Q and K: Henry et al. 2020). Other models take the root over all heads
// together, or subtract the mean first (HeadNorm). The shapes (B,H,T,d_k) and (B,H_kv,M,d_k) are
// kept.
#include <fmt/format.h>

#include <cmath>
#include <span>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/steps/terms.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

TensorId sourceOfNorm(TensorId normalized) {
  return normalized == TensorId::qNorm ? TensorId::q : TensorId::k;
}

/// The d_k gains of a head; `normalized` is qNorm or kNorm.
const float* gainsOf(TensorId normalized, const AttentionConfig& c, Index head) {
  const std::vector<float>& gains = normalized == TensorId::qNorm ? c.headNorm.q() : c.headNorm.k();
  const bool shared = std::ssize(gains) == c.dK();
  return gains.data() + (shared ? 0 : head * c.dK());
}

/// The heads whose numbers share one root with those of a head: [begin, end).
struct HeadRange {
  Index begin, end;
};
HeadRange normedWith(const AttentionConfig& c, Index head, Index heads) {
  if (c.headNorm.over() == HeadNorm::Over::allHeads) return {0, heads};
  return {head, head + 1};
}

/// x becomes (x − mean) · factor · gain.
struct Normed {
  double mean = 0.0;  // 0 for RMSNorm
  double factor = 1.0;
};
Normed normedRow(const Tensor& from, const AttentionConfig& c, Index item, const HeadRange& heads,
                 Index row) {
  const auto count = static_cast<double>((heads.end - heads.begin) * c.dK());
  const auto sumOver = [&](const auto& of) {
    double sum = 0.0;
    for (Index head = heads.begin; head < heads.end; ++head) {
      for (const float x : from.matrix({item, head}).row(row)) sum += of(static_cast<double>(x));
    }
    return sum / count;
  };
  Normed normed;
  if (c.headNorm.kind() == HeadNorm::Kind::layer) normed.mean = sumOver([](double x) { return x; });
  const double squares = sumOver([&](double x) { return (x - normed.mean) * (x - normed.mean); });
  normed.factor = 1.0 / std::sqrt(squares + c.headNorm.epsilon());
  return normed;
}

/// "q / rms(q) · g" and the like.
std::string formulaOf(const AttentionConfig& c) {
  if (!c.headNorm.on()) return "q / rms(q) · g";
  const bool all = c.headNorm.over() == HeadNorm::Over::allHeads;
  if (c.headNorm.kind() == HeadNorm::Kind::rms) {
    return all ? tr("q / rms(all heads' q) · g") : "q / rms(q) · g";
  }
  return all ? tr("(q − mean) / σ(all heads' q) · g") : "(q − mean) / σ(q) · g";
}

/// The lines of PyTorch.
std::string lineOf(const AttentionConfig& c) {
  const bool all = c.headNorm.on() && c.headNorm.over() == HeadNorm::Over::allHeads;
  const char* axes = all ? "(1, 3)" : "-1";
  const std::string centred = c.headNorm.on() && c.headNorm.kind() == HeadNorm::Kind::layer
                                  ? fmt::format("(t - t.mean({}, keepdim=True))", axes)
                                  : "t";
  return trFormat(
      "q_norm, k_norm = ({0} * ({0}.pow(2).mean({1}, keepdim=True) + {2}).rsqrt() * g for t, g in "
      "((q, g_Q), (k, g_K)))",
      centred, axes, c.headNorm.on() ? c.headNorm.epsilon() : 0.0);
}

class Normalize final : public Step {
 public:
  StepId id() const override { return StepId::normalize; }

  StepText text(const AttentionConfig& c) const override {
    return {"normalize",  tr("Normalize"), tr("each head's queries and keys get one length"),
            formulaOf(c), "norm",          {lineOf(c)}};
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
    return {tr("queries and keys are normalised")};
  }

  StepWork work() const override { return StepWork::heads; }
  bool compute(AttentionTensors& tensors, TensorId output, const Box& box) const override {
    const AttentionConfig& c = tensors.config();
    const Tensor& from = tensors.tensor(sourceOfNorm(output));
    Tensor& to = tensors.mutableTensor(output);
    for (Index i = box.row; i < box.row + box.rows; ++i) {
      Normed normed;
      for (Index head = 0; head < to.dim(1); ++head) {
        const HeadRange heads = normedWith(c, head, to.dim(1));
        if (head == heads.begin) normed = normedRow(from, c, box.item, heads, i);
        const auto mean = static_cast<float>(normed.mean);
        const auto factor = static_cast<float>(normed.factor);
        const float* x = from.matrix({box.item, head}).row(i).data();
        float* y = to.mutableMatrix({box.item, head}).row(i).data();
        const float* gains = gainsOf(output, c, head);
        const Index count = c.dK();
        for (Index j = 0; j < count; ++j) y[j] = (x[j] - mean) * factor * gains[j];
      }
    }
    return true;
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    const TensorId from = sourceOfNorm(cell.tensor);
    const Tensor& source = tensors.tensor(from);
    const HeadRange heads = normedWith(c, cell.head, source.dim(1));
    const Normed normed = normedRow(source, c, cell.item, heads, cell.row);
    const auto gain = static_cast<double>(gainsOf(cell.tensor, c, cell.head)[cell.col]);
    const bool centred = c.headNorm.kind() == HeadNorm::Kind::layer;
    const bool all = c.headNorm.over() == HeadNorm::Over::allHeads;
    const std::string x = fmt::format("{}[b, h, t, d]", info(from).name);
    Explanation e = startExplanation(
        tensors, cell,
        trFormat("{0}[b, h, t, j] = {1}{2}[b, h, t, j]{3} / √(Σ_{4}d {5}²/{6} + {7:g}) · g[j]: "
                 "the root is {8:.6g} here, the gain {9:.6g}",
                 info(cell.tensor).name, centred ? "(" : "", info(from).name,
                 centred ? " − mean)" : "", all ? "h," : "",
                 centred ? fmt::format("({} − mean)", x) : x, (heads.end - heads.begin) * c.dK(),
                 c.headNorm.epsilon(), 1.0 / normed.factor, gain));
    CellRef own = cell;
    own.tensor = from;
    const std::string factor = fmt::format("{:.6g} / {:.6g}", gain, 1.0 / normed.factor);
    e.terms.push_back(scaledTerm(tensors, own, factor, gain * normed.factor));
    if (centred) {
      e.terms.push_back({"−mean",
                         factor,
                         -normed.mean,
                         gain * normed.factor,
                         -normed.mean * gain * normed.factor,
                         {}});
    }
    sumTerms(e);
    return e;
  }

  /// With u = g · dy and n = (x − μ)·r, r = 1/root: dx = r · (u − n · mean(u · n)), and for
  /// LayerNorm dx = r · (u − mean(u) − n · mean(u · n)).
  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const AttentionConfig& c = gradients.config();
    for (const TensorId id : outputs()) {
      const TensorId from = sourceOfNorm(id);
      const Tensor& x = gradients.values().tensor(from);
      const Tensor& dy = gradients.tensor(id);
      Tensor d = headsMemory(from, c, execution.memory);
      parallelForRowBlocks(d, execution, [&](const Box& box) {
        for (Index i = box.row; i < box.row + box.rows; ++i) {
          Shared shared;
          for (Index head = 0; head < d.dim(1); ++head) {
            const HeadRange heads = normedWith(c, head, d.dim(1));
            if (head == heads.begin) shared = sharedParts(gradients, id, box.item, heads, i);
            const float* gains = gainsOf(id, c, head);
            for (Index j = 0; j < c.dK(); ++j) {
              const double own = shared.r * static_cast<double>(gains[j]) *
                                 static_cast<double>(dy.at({box.item, head, i, j}));
              const double length =
                  shared.ofX * static_cast<double>(x.at({box.item, head, i, j})) + shared.constant;
              d.mutableMatrix({box.item, head})(i, j) = static_cast<float>(own + length);
            }
          }
        }
      });
      gradients.put(from, std::move(d));
    }
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const AttentionConfig& c = gradients.config();
    CellRef to = cell;
    to.tensor = cell.tensor == TensorId::q ? TensorId::qNorm : TensorId::kNorm;
    to.gradient = false;
    const Index heads = gradients.tensor(to.tensor).dim(1);
    const Shared shared =
        sharedParts(gradients, to.tensor, cell.item, normedWith(c, cell.head, heads), cell.row);
    const bool centred = c.headNorm.kind() == HeadNorm::Kind::layer;
    const auto name = info(to.tensor).name;
    Explanation e = startExplanation(
        gradients, cell,
        centred
            ? trFormat("grad.{0}[b, h, t, j] = (g[j] · grad.{1}[b, h, t, j] − mean(g · grad.{1})"
                       " − n_j · mean(g · grad.{1} · n)) / σ, with n = ({0} − mean) / σ",
                       info(cell.tensor).name, name)
            : trFormat("grad.{0}[b, h, t, j] = (g[j] · grad.{1}[b, h, t, j] − n_j · mean(g · "
                       "grad.{1} · n)) / rms, with n = {0} / rms",
                       info(cell.tensor).name, name));
    const double gain = static_cast<double>(gainsOf(to.tensor, c, cell.head)[cell.col]);
    e.terms.push_back(scaledTerm(gradients, gradientOf(to), "g / rms", shared.r * gain));
    CellRef source = cell;
    source.gradient = false;
    e.terms.push_back(scaledTerm(gradients, source, "−mean / rms²", shared.ofX));
    if (centred) e.terms.push_back({"means", "1", shared.constant, 1.0, shared.constant, {}});
    sumTerms(e);
    return e;
  }

 private:
  static std::size_t at(Index j) { return static_cast<std::size_t>(j); }

  /// dx_j = r · g_j · dy_j + ofX · x_j + constant, for the numbers that share one root.
  struct Shared {
    double r = 1.0, ofX = 0.0, constant = 0.0;
  };
  static Shared sharedParts(const Gradients& gradients, TensorId normalized, Index item,
                            const HeadRange& heads, Index row) {
    const AttentionConfig& c = gradients.config();
    const Tensor& from = gradients.values().tensor(sourceOfNorm(normalized));
    const Normed normed = normedRow(from, c, item, heads, row);
    const auto count = static_cast<double>((heads.end - heads.begin) * c.dK());
    double meanU = 0.0, meanUn = 0.0;
    for (Index head = heads.begin; head < heads.end; ++head) {
      const auto x = from.matrix({item, head}).row(row);
      const auto dy = gradients.tensor(normalized).matrix({item, head}).row(row);
      const float* gains = gainsOf(normalized, c, head);
      for (Index j = 0; j < c.dK(); ++j) {
        const double u = static_cast<double>(gains[j]) * static_cast<double>(dy[at(j)]);
        meanU += u / count;
        meanUn += u * (static_cast<double>(x[at(j)]) - normed.mean) * normed.factor / count;
      }
    }
    const double r = normed.factor;
    Shared shared{r, -r * r * meanUn, 0.0};
    if (c.headNorm.kind() == HeadNorm::Kind::layer) {
      shared.constant = r * (r * meanUn * normed.mean - meanU);
    }
    return shared;
  }
};

}  // namespace

const Step& normalizeStep() {
  static const Normalize step;
  return step;
}

}  // namespace headscope
