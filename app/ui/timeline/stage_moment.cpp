#include "app/ui/timeline/stage_moment.h"

#include <algorithm>
#include <cmath>

#include "app/ui/step_looks.h"
#include "core/steps/step.h"
#include "core/trace.h"
#include "core/words/narration.h"

namespace headscope::ui {
namespace {

class StageMomentBuilder {
 public:
  StageMomentBuilder(const Trace& trace, const Subject& subject, const Moment& moment, double share)
      : trace_(trace), c_(trace.config()), subject_(subject), moment_(moment) {
    const double count = static_cast<double>(moment.to - moment.from);
    reached_ = static_cast<double>(moment.from) + count * (isSweep(moment.beat) ? share : 1.0);
    current_ =
        std::clamp<Index>(static_cast<Index>(std::floor(reached_)), moment.from, moment.to - 1);
    if (!isSweep(moment.beat)) current_ = moment.from;
    const Shape shape = shapeOf(result(), c_);
    rows_ = static_cast<double>(shape[shape.size() - 2]);
    cols_ = static_cast<double>(moment.step == StepId::project ? c_.dK() : shape.back());
  }

  StageMoment build() {
    result_.moment = moment_;
    result_.head = subject_.head;
    result_.headsReached = c_.numHeads;
    result_.lit.fill(-1);
    const auto query = static_cast<double>(subject_.query);
    switch (moment_.beat) {
      case Beat::cell:
      case Beat::restOfCells:
        light(Lane::query, subject_.query);
        light(result() == TensorId::qProj ? Lane::column : Lane::key, current_);
        veilCellsFrom(reached_);
        break;
      case Beat::likewise:
        if (moment_.step == StepId::split) break;
        light(Lane::key, current_);
        veil(reached_, rows_, 0.0, cols_);
        break;
      case Beat::maximum:
        light(Lane::query, subject_.query);
        light(Lane::key, largestKey(trace_, TensorId::maskedScores, subject_.item, subject_.head,
                                    subject_.query));
        veil(0.0, rows_, 0.0, cols_);
        break;
      case Beat::exponentials:
      case Beat::sum:
        light(Lane::query, subject_.query);
        veil(0.0, rows_, 0.0, cols_);
        break;
      case Beat::key:
      case Beat::restOfKeys:
        light(Lane::query, subject_.query);
        light(Lane::key, current_);
        veil(0.0, rows_, 0.0, cols_);
        break;
      case Beat::head:
      case Beat::restOfHeads:
        heads();
        break;
      case Beat::mixture:
      case Beat::total:
        light(Lane::query, subject_.query);
        veil(0.0, query, 0.0, cols_);
        veil(query + 1.0, rows_, 0.0, cols_);
        break;
      case Beat::row:
      case Beat::restOfRows:
        light(Lane::query, otherRow(subject_.query, current_));
        veilRowsFrom(reached_);
        break;
      case Beat::allHeads:
        allHeads();
        break;
    }
    return std::move(result_);
  }

 private:
  /// What the step gives, as the stage shows it.
  TensorId result() const {
    if (moment_.step == StepId::split) return moment_.part;
    if (moment_.step == StepId::project) return projectedPart(moment_.part).whole;
    return step(moment_.step).outputs().front();
  }

  void light(Lane lane, Index at) { result_.lit[static_cast<std::size_t>(lane)] = at; }

  void veil(double row0, double row1, double col0, double col1) {
    if (row0 < row1 && col0 < col1) result_.veiled.push_back({row0, row1, col0, col1});
  }

  /// Of the query's row what comes from column `col` on, and all other rows.
  void veilCellsFrom(double col) {
    const auto query = static_cast<double>(subject_.query);
    veil(query, query + 1.0, col, cols_);
    veil(0.0, query, 0.0, cols_);
    veil(query + 1.0, rows_, 0.0, cols_);
  }

  /// The other rows from the n-th on; the query's own stays.
  void veilRowsFrom(double n) {
    const auto query = static_cast<double>(subject_.query);
    veil(n, query, 0.0, cols_);
    veil(std::max(n, query) + 1.0, rows_, 0.0, cols_);
  }

  void heads() {
    result_.head = current_;
    if (moment_.step == StepId::output) {
      light(Lane::query, subject_.query);
      veil(0.0, rows_, 0.0, cols_);
    } else if (moment_.step == StepId::concat) {
      veil(0.0, rows_, reached_ * static_cast<double>(c_.dK()), cols_);
    }
  }

  void allHeads() {
    result_.scope = StageScope::allHeads;
    result_.headsReached = static_cast<Index>(std::ceil(reached_));
    if (moment_.step == StepId::project) {
      veil(0.0, rows_, reached_ * static_cast<double>(c_.dK()),
           static_cast<double>(c_.queryWidth()));
    }
  }

  const Trace& trace_;
  const AttentionConfig& c_;
  const Subject& subject_;
  const Moment& moment_;
  double reached_ = 0.0;  // of what the moment goes through, counted from 0
  Index current_ = 0;
  double rows_ = 0.0, cols_ = 0.0;
  StageMoment result_;
};

}  // namespace

StageMoment stageMoment(const Trace& trace, const Subject& subject, const Moment& moment,
                        double share) {
  return StageMomentBuilder(trace, subject, moment, share).build();
}

}  // namespace headscope::ui
