// Step 7, weigh: head_i = g_i · A_i V_i, the values mixed by the weights; g_i is the head's gain
// (1; 0 for a head that is off). (B,H,T,M) · (B,H_kv,M,d_k) → (B,H,T,d_k), kept in memory as
// (B,T,H,d_k) so that concat is a view.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "core/finite.h"
#include "core/gemm.h"
#include "core/steps/pinned.h"
#include "core/steps/pytorch.h"
#include "core/steps/steps.h"
#include "core/steps/terms.h"

namespace headscope {
namespace {

bool gained(const AttentionConfig& c) {
  return std::any_of(c.headGains.begin(), c.headGains.end(), [](float g) { return g != 1.0F; });
}

void applyGain(const MatrixView& head, float gain) {
  for (Index i = 0; i < head.rows; ++i) {
    for (float& value : head.row(i)) value = gain == 0.0F ? 0.0F : value * gain;
  }
}

/// At most so many keys are patched one by one, and only where the others weigh enough for their
/// share to be told from rounding.
constexpr Index kFewKeys = 8;
constexpr float kEnoughLeft = 0.1F;

struct Keys {
  Index begin, end;
  Index count() const { return end - begin; }
};

/// The keys whose score or value changed for the rows of a box, leaving aside rows that changed
/// throughout; none where that is not known (there may have been other keys, or values, before).
Keys keysChanged(const Trace& trace, const Box& box) {
  const AttentionConfig& c = trace.config();
  const Change& scores = trace.change(TensorId::maskedScores);
  const Change& values = trace.change(TensorId::v);
  if (scores.isAll() || values.isAll()) return {0, 0};
  Keys keys{c.keys(), 0};
  const auto take = [&keys](Index begin, Index count) {
    keys = {std::min(keys.begin, begin), std::max(keys.end, begin + count)};
  };
  for (const Box& b : scores.boxes()) {
    if (b.item != box.item || b.head != box.head || b.cols == c.keys()) continue;
    if (b.within(box.row, box.row + box.rows).rows > 0) take(b.col, b.cols);
  }
  for (const Box& b : values.boxes()) {
    if (b.item == box.item && b.head == c.kvHead(box.head)) take(b.row, b.rows);
  }
  return keys;
}

/// The scores of a query changed throughout.
bool rowChanged(const Trace& trace, const Box& box, Index row) {
  const auto& boxes = trace.change(TensorId::maskedScores).boxes();
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& b) {
    return b.item == box.item && b.head == box.head && b.cols == trace.config().keys() &&
           b.row <= row && row < b.row + b.rows;
  });
}

class Weigh final : public Step {
 public:
  StepId id() const override { return StepId::weigh; }

  StepText text(const AttentionConfig& c) const override {
    const bool gains = gained(c);
    const std::string formula = gains ? "g A V" : "A V";
    const std::string product = fmt::format("weights @ {}", perQueryHead("v", c));
    return {"weigh",
            "Weigh values",
            "each query takes its share of every value",
            formula,
            formula,
            gains ? fmt::format("heads = gain.view(1, {}, 1, 1) * ({})", c.numHeads, product)
                  : "heads = " + product};
  }

  std::vector<TensorId> inputs(const AttentionConfig&) const override {
    return {TensorId::weights, TensorId::v};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::heads}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::heads, c));
    return {cells * 2 * c.keys(), cells * 4};
  }

  Change affected(TensorId output, const Transition& t) const override {
    const AttentionConfig& c = t.now.config;
    if (t.of(TensorId::weights).isAll() || t.of(TensorId::v).isAll()) return Change::all();
    Change heads = pinChanges(t.before, t.now, output);
    const auto addAllOf = [&](Index item, Index head, Index col, Index cols) {
      heads.add(Box{item, head, 0, c.seqLen, col, cols});
    };
    for (Index head = 0; head < c.numHeads; ++head) {
      if (t.before.config.gain(head) == c.gain(head)) continue;
      for (Index item = 0; item < c.batch; ++item) addAllOf(item, head, 0, c.dK());
    }
    for (const Box& v : t.of(TensorId::v).boxes()) {
      for (Index i = 0; i < c.headsPerGroup(); ++i) {
        addAllOf(v.item, v.head * c.headsPerGroup() + i, v.col, v.cols);
      }
    }
    for (const Box& a : t.of(TensorId::weights).boxes()) {
      heads.add(Box{a.item, a.head, a.row, a.rows, 0, c.dK()});
    }
    return heads;
  }

  Tensor memory(TensorId, const AttentionConfig& c) const override {
    return Tensor::uninitialised({c.batch, c.seqLen, c.numHeads, c.dK()}).transposed(1, 2);
  }

  bool compute(Trace& trace, TensorId output, const Box& box) const override {
    const AttentionConfig& c = trace.config();
    const MatrixView out = trace.cells(output, box);
    const Box rows{box.item, box.head, box.row, box.rows, 0, c.keys()};
    const Box columns{box.item, c.kvHead(box.head), 0, c.keys(), box.col, box.cols};
    gemm(trace.tensor(TensorId::weights).matrixOf(rows),
         trace.tensor(TensorId::v).matrixOf(columns), out);
    if (c.gain(box.head) != 1.0F) applyGain(out, c.gain(box.head));
    applyPins(trace.document(), output, box, out);
    return allFinite(out);
  }

  /// Where few keys j changed, every other weight of a row was multiplied by the same
  /// ρ = (1 − Σ w'_j) / (1 − Σ w_j), so that head' = ρ (head − g Σ w_j v_j) + g Σ w'_j v'_j.
  std::optional<float> patch(Trace& trace, const Trace& before, TensorId output,
                             const Box& box) const override {
    const Document& d = trace.document();
    const AttentionConfig& c = d.config;
    const float gain = c.gain(box.head);
    const Keys keys = keysChanged(trace, box);
    if (keys.count() <= 0 || keys.count() > kFewKeys || c.dropout.on() ||
        c.mistakes != Mistakes{} || before.config().mistakes != Mistakes{} ||
        gain != before.config().gain(box.head) || !d.pins.empty() ||
        !before.document().pins.empty() || before.config().dropout.on()) {
      return std::nullopt;
    }
    const Box rows{box.item, box.head, box.row, box.rows, keys.begin, keys.count()};
    const Box values{box.item, c.kvHead(box.head), keys.begin, keys.count(), box.col, box.cols};
    const ConstMatrixView w = before.tensor(TensorId::weights).matrixOf(rows);
    const ConstMatrixView v = before.tensor(TensorId::v).matrixOf(values);
    const ConstMatrixView nextW = trace.tensor(TensorId::weights).matrixOf(rows);
    const ConstMatrixView nextV = trace.tensor(TensorId::v).matrixOf(values);
    const ConstMatrixView old = before.tensor(output).matrixOf(box);
    const MatrixView out = trace.cells(output, box);
    const float largestOld = largestMagnitude(old);
    const float largestV = largestMagnitude(v);
    const float largestNextV = largestMagnitude(nextV);
    float through = 0.0F;
    for (Index i = 0; i < out.rows; ++i) {
      float left = 1.0F;
      float nextLeft = 1.0F;
      for (Index k = 0; k < keys.count(); ++k) {
        left -= w(i, k);
        nextLeft -= nextW(i, k);
      }
      if (left < kEnoughLeft || rowChanged(trace, box, box.row + i)) {
        const Box row{box.item, box.head, box.row + i, 1, box.col, box.cols};
        if (!compute(trace, output, row)) return std::nullopt;
        continue;
      }
      const float rho = nextLeft / left;
      const std::span<float> row = out.row(i);
      std::transform(old.row(i).begin(), old.row(i).end(), row.begin(),
                     [rho](float value) { return rho * value; });
      through = std::max(through, rho * largestOld);
      for (Index k = 0; k < keys.count(); ++k) {
        const float minus = gain * rho * w(i, k);
        const float plus = gain * nextW(i, k);
        through = std::max({through, std::abs(minus) * largestV, std::abs(plus) * largestNextV});
        for (Index col = 0; col < out.cols; ++col) {
          row[static_cast<std::size_t>(col)] += plus * nextV(k, col) - minus * v(k, col);
        }
      }
    }
    return through;
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    const AttentionConfig& c = trace.config();
    const float gain = c.gain(cell.head);
    const std::string factor = gain == 1.0F ? "" : fmt::format("{:g} · ", gain);
    Explanation e = startExplanation(
        trace, cell,
        fmt::format("heads[b, h, i, d] = {}Σ_j weights[b, h, i, j] · v[b, h, j, d]", factor));
    for (Index j = 0; j < c.keys(); ++j) {
      Term term = productTerm(trace, {TensorId::weights, cell.item, cell.head, cell.row, j},
                              {TensorId::v, cell.item, c.kvHead(cell.head), j, cell.col});
      term.left = factor + term.left;
      term.leftValue *= gain;
      term.product *= gain;
      e.terms.push_back(std::move(term));
    }
    sumTerms(e);
    return e;
  }
};

}  // namespace

const Step& weighStep() {
  static const Weigh step;
  return step;
}

}  // namespace headscope
