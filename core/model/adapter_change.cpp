#include "core/model/adapter_change.h"

#include <cmath>

namespace headscope::model {
namespace {

/// Sums of squares: of the base's cells, and of their changes.
struct Squares {
  double own = 0.0, change = 0.0;

  void add(const ConstMatrixView& base, const ConstMatrixView& adapted) {
    for (Index row = 0; row < base.rows; ++row) {
      for (Index col = 0; col < base.cols; ++col) {
        const double before = base(row, col);
        const double by = double{adapted(row, col)} - before;
        own += before * before;
        change += by * by;
      }
    }
  }
};

}  // namespace

std::vector<double> adapterChange(const Weights& base, const Weights& adapted,
                                  const ModelConfig& config) {
  std::vector<double> changes;
  const Index each = config.headDim;
  for (Index head = 0; head < config.heads; ++head) {
    Squares squares;
    const auto addRows = [&](const Tensor& before, const Tensor& after, Index of) {
      const Box rows{0, 0, of * each, each, 0, before.dim(1)};
      squares.add(before.matrixOf(rows), after.matrixOf(rows));
    };
    const Index keyHead = head / (config.heads / config.kvHeads);
    addRows(base.wQ, adapted.wQ, head);
    addRows(base.wK, adapted.wK, keyHead);
    addRows(base.wV, adapted.wV, keyHead);
    const Box columns{0, 0, 0, base.wO.dim(0), head * each, each};
    squares.add(base.wO.matrixOf(columns), adapted.wO.matrixOf(columns));
    changes.push_back(squares.own > 0.0 ? std::sqrt(squares.change / squares.own) : 0.0);
  }
  return changes;
}

std::vector<double> adapterChanges(const Model& model, const ExecutionContext& execution) {
  std::vector<double> all;
  for (Index layer = 0; layer < model.config().layers && !execution.stop(); ++layer) {
    const auto each = adapterChange(model.adapter()->base->layer(layer)->attention,
                                    model.layer(layer)->attention, model.config());
    all.insert(all.end(), each.begin(), each.end());
  }
  return all;
}

}  // namespace headscope::model
