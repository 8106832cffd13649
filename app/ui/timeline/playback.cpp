#include "app/ui/timeline/playback.h"

#include <algorithm>
#include <cmath>

#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/step_looks.h"
#include "app/ui/view_state.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/document/trace.h"
#include "core/words/narration.h"

namespace headscope::ui {
namespace {

// The longest time between frames during playback, in seconds.
constexpr double kBarPace = 0.25;        // for the scrub bar
constexpr double kSweepPace = 1.0 / 30;  // while a veil moves

std::optional<Index> queryOf(const std::optional<CellRef>& cell) {
  if (!cell || info(cell->tensor).rows != Axis::query) return std::nullopt;
  return cell->row;
}

/// Returns the chosen query, or else the one under the mouse when the timeline was entered.
Index queryFor(const PanelContext& panel, const Playback& playback) {
  Index query = panel.selection.playQuery;
  if (const auto chosen = queryOf(panel.selection.cell)) {
    query = *chosen;
  } else if (!playback.stepView && panel.frame.hovered) {
    query = queryOf(panel.frame.hovered->cell).value_or(query);
  }
  return std::clamp<Index>(query, 0, panel.trace.config().seqLen - 1);
}

double shareOf(const TimelineSegment& moment, double time) {
  return std::clamp((time - moment.start) / moment.length, 0.0, 1.0);
}

/// Returns the state of the step view now. A sweep without animation shows its end.
StepViewMoment stepViewNow(const PanelContext& panel, const Playback& playback) {
  const TimelineSegment& moment =
      playback.timeline.moments()[playback.timeline.at(*panel.selection.playTime)];
  const double share = panel.preferences.animate ? shareOf(moment, *panel.selection.playTime) : 1.0;
  return stepViewMoment(panel.trace, playback.subject, moment, share);
}

void narrateNow(const PanelContext& panel, Playback& playback) {
  const TimelineSegment& moment = playback.stepView->moment;
  if (!playback.narration.empty() && playback.pass == panel.trace.pass() &&
      playback.narrated == moment && playback.narratedOf == playback.subject) {
    return;
  }
  playback.narration = narrate(panel.trace, playback.subject, moment);
  playback.pass = panel.trace.pass();
  playback.narrated = moment;
  playback.narratedOf = playback.subject;
}

class StepViewMomentBuilder {
 public:
  StepViewMomentBuilder(const Trace& trace, const RowRef& subject, const TimelineSegment& moment,
                        double share)
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

  StepViewMoment build() {
    result_.moment = moment_;
    result_.head = subject_.head;
    result_.headsReached = c_.numHeads;
    result_.lit.fill(-1);
    const auto query = static_cast<double>(subject_.query);
    switch (moment_.beat) {
      case SegmentKind::cell:
      case SegmentKind::restOfCells:
        light(Lane::query, subject_.query);
        light(laneGoneThrough(), current_);
        veilCellsFrom(reached_);
        break;
      case SegmentKind::likewise:
        if (moment_.step == StepId::split) break;
        light(Lane::key, current_);
        veil(reached_, rows_, 0.0, cols_);
        break;
      case SegmentKind::maximum:
        light(Lane::query, subject_.query);
        light(Lane::key, largestKey(trace_, TensorId::maskedScores, subject_.item, subject_.head,
                                    subject_.query));
        veil(0.0, rows_, 0.0, cols_);
        break;
      case SegmentKind::exponentials:
      case SegmentKind::sum:
        light(Lane::query, subject_.query);
        veil(0.0, rows_, 0.0, cols_);
        break;
      case SegmentKind::key:
      case SegmentKind::restOfKeys:
        light(Lane::query, subject_.query);
        light(Lane::key, current_);
        veil(0.0, rows_, 0.0, cols_);
        break;
      case SegmentKind::head:
      case SegmentKind::restOfHeads:
        heads();
        break;
      case SegmentKind::mixture:
      case SegmentKind::total:
        light(Lane::query, subject_.query);
        veil(0.0, query, 0.0, cols_);
        veil(query + 1.0, rows_, 0.0, cols_);
        break;
      case SegmentKind::row:
      case SegmentKind::restOfRows:
        light(Lane::query, otherRow(subject_.query, current_));
        veilRowsFrom(reached_);
        break;
      case SegmentKind::allHeads:
        allHeads();
        break;
    }
    return std::move(result_);
  }

 private:
  /// The result of the step, as the step view shows it.
  TensorId result() const { return shownResult(moment_.step, moment_.part); }

  /// The lane along which the timeline visits a query's row, cell by cell.
  Lane laneGoneThrough() const {
    if (moment_.step == StepId::project) return Lane::column;
    return info(result()).cols == Axis::key ? Lane::key : Lane::inner;
  }

  void light(Lane lane, Index at) { result_.lit[static_cast<std::size_t>(lane)] = at; }

  void veil(double row0, double row1, double col0, double col1) {
    if (row0 < row1 && col0 < col1) result_.veiled.push_back({row0, row1, col0, col1});
  }

  /// Veils the cells of the query's row from column `col` on, and all other rows.
  void veilCellsFrom(double col) {
    const auto query = static_cast<double>(subject_.query);
    veil(query, query + 1.0, col, cols_);
    veil(0.0, query, 0.0, cols_);
    veil(query + 1.0, rows_, 0.0, cols_);
  }

  /// Veils the other rows from the n-th on, but not the query's own.
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
    result_.scope = StepViewScope::allHeads;
    result_.headsReached = static_cast<Index>(std::ceil(reached_));
    if (moment_.step == StepId::project) {
      veil(0.0, rows_, reached_ * static_cast<double>(c_.dK()),
           static_cast<double>(c_.queryWidth()));
    }
  }

  const Trace& trace_;
  const AttentionConfig& c_;
  const RowRef& subject_;
  const TimelineSegment& moment_;
  double reached_ = 0.0;  // the position within the range that the moment visits, counted from 0
  Index current_ = 0;
  double rows_ = 0.0, cols_ = 0.0;
  StepViewMoment result_;
};

}  // namespace

StepViewMoment stepViewMoment(const Trace& trace, const RowRef& subject,
                              const TimelineSegment& moment, double share) {
  return StepViewMomentBuilder(trace, subject, moment, share).build();
}

void advancePlayback(const PanelContext& panel, Playback& playback) {
  const double passed = panel.look.now - playback.now;
  playback.now = panel.look.now;
  if (playback.stepView && (panel.selection.step != playback.stepView->moment.step ||
                            panel.selection.part != playback.stepView->moment.part)) {
    leaveTimeline(panel.view);  // the user opened another step
  }
  panel.selection.playQuery = queryFor(panel, playback);
  const RowRef subject{panel.selection.item, panel.selection.head, panel.selection.playQuery};
  Timeline timeline(panel.trace.config(), subject);
  if (panel.selection.playTime) {
    if (!(timeline == playback.timeline)) {
      *panel.selection.playTime = timeline.translate(playback.timeline, *panel.selection.playTime);
    }
    if (panel.frame.playing)
      *panel.selection.playTime += passed * static_cast<double>(panel.preferences.playSpeed);
    if (*panel.selection.playTime >= timeline.length()) panel.frame.playing = false;
    *panel.selection.playTime = std::clamp(*panel.selection.playTime, 0.0, timeline.length());
  }
  playback.subject = subject;
  playback.timeline = std::move(timeline);
}

void followPlayback(const PanelContext& panel, Playback& playback) {
  if (!panel.selection.playTime) {
    playback.stepView.reset();
    playback.narration.clear();
    return;
  }
  playback.stepView = stepViewNow(panel, playback);
  panel.selection.step = playback.stepView->moment.step;
  panel.selection.part = playback.stepView->moment.part;
  narrateNow(panel, playback);
}

std::string narrationOf(const PanelContext& panel, const Playback& playback) {
  const Timeline& timeline = playback.timeline;
  if (timeline.moments().empty()) return {};
  RowRef subject = playback.subject;
  subject.head = panel.selection.head;
  TimelineSegment first = timeline.moments()[timeline.at(timeline.stepStart(panel.selection.step))];
  const std::optional<CellRef>& chosen = panel.selection.cell;
  if (first.beat == SegmentKind::cell && chosen &&
      chosen->tensor == step(first.step).mainOutput()) {
    // The timeline counts the columns of Q from the head's first one.
    const AttentionConfig& c = panel.trace.config();
    const bool ofWholeQ = first.step == StepId::project;
    const Index column = chosen->col - (ofWholeQ ? firstColumnOf(TensorId::q, subject.head, c) : 0);
    if (!ofWholeQ || (column >= 0 && column < c.dK())) {
      first.from = column;
      first.to = column + 1;
    }
  }
  return narrate(panel.trace, subject, first);
}

double nextChange(const PanelContext& panel, const Playback& playback) {
  if (!panel.frame.playing || !panel.selection.playTime) return kNever;
  const TimelineSegment& moment =
      playback.timeline.moments()[playback.timeline.at(*panel.selection.playTime)];
  const double left =
      (moment.end() - *panel.selection.playTime) / static_cast<double>(panel.preferences.playSpeed);
  return std::clamp(left, 0.0,
                    panel.preferences.animate && isSweep(moment.beat) ? kSweepPace : kBarPace);
}

void togglePlay(ViewState& view, const Playback& playback) {
  view.frame.playing = !view.frame.playing;
  if (!view.frame.playing) return;
  if (!view.selection.playTime)
    view.selection.playTime = playback.timeline.stepStart(view.selection.step);
  if (*view.selection.playTime >= playback.timeline.length()) view.selection.playTime = 0.0;
}

void goBy(ViewState& view, const Playback& playback, int count, bool whole) {
  view.frame.playing = false;
  if (!view.selection.playTime) {
    view.selection.step = playback.timeline.neighbouringStep(view.selection.step, count);
    return;
  }
  const Timeline& timeline = playback.timeline;
  const auto here = static_cast<int>(timeline.at(*view.selection.playTime));
  if (whole) {
    const StepId step = timeline.moments()[static_cast<std::size_t>(here)].step;
    view.selection.playTime = timeline.stepStart(timeline.neighbouringStep(step, count));
    return;
  }
  const int last = static_cast<int>(timeline.moments().size()) - 1;
  const TimelineSegment& moment =
      timeline.moments()[static_cast<std::size_t>(std::clamp(here + count, 0, last))];
  // a jump to a sweep shows its end
  view.selection.playTime = isSweep(moment.beat) ? std::nextafter(moment.end(), 0.0) : moment.start;
}

void goToEnd(ViewState& view, const Playback& playback, bool last) {
  view.frame.playing = false;
  if (view.selection.playTime) {
    view.selection.playTime = last ? playback.timeline.length() : 0.0;
  } else {
    const auto& steps = playback.timeline.steps();
    if (!steps.empty()) view.selection.step = last ? steps.back() : steps.front();
  }
}

void leaveTimeline(ViewState& view) {
  view.frame.playing = false;
  view.selection.playTime.reset();
}

}  // namespace headscope::ui
