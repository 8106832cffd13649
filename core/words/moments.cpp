#include "core/words/moments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"

namespace headscope {
namespace {

/// The pace of a run of moments. The first is long enough to read, the next become shorter, and
/// after `most` of them the rest is one sweep. A timeline of any size thus takes at most 90
/// seconds.
struct Pace {
  double first, least;  // seconds
  Index most;
  double rest = 0.8;
};

constexpr double kFaster = 0.6;  // the ratio of each moment to the previous one
constexpr double kLikewise = 1.4;
constexpr double kAllHeads = 1.3;
constexpr double kSentenceSeconds = 2.0;  // a moment with nothing to go through

constexpr Pace kHeadColumns{1.8, 0.4, 6};
constexpr Pace kOtherRows{1.0, 0.4, 3};
constexpr Pace kOtherRowsAtOnce{0.0, 0.0, 0, 1.2};
constexpr Pace kNothingMasked{0.0, 0.0, 0, kSentenceSeconds};

/// The things of which a step has several.
enum class Several { numbersOfHead, keys, keyHeads, heads };

/// The sequence that a step shows: things one by one, their result, K and V, the rows of the other
/// queries, and the other heads.
struct StepMoments {
  SegmentKind one, rest;
  Several of;
  Pace pace;
  std::optional<SegmentKind> result = {};  // the query's whole row, after all things
  std::optional<Pace> rows = {};           // the other queries'
  std::optional<Several> likewise = {};    // of which K and V have as many
  bool allHeads = false;
};

/// Each head's queries and keys, by themselves.
constexpr StepMoments kVectorsOfHeads{.one = SegmentKind::cell,
                                      .rest = SegmentKind::restOfCells,
                                      .of = Several::numbersOfHead,
                                      .pace = {2.6, 1.4, 2},
                                      .rows = kOtherRowsAtOnce,
                                      .likewise = Several::keys,
                                      .allHeads = true};

/// In the order of StepId.
constexpr std::array<StepMoments, kEveryStepCount> kStepMoments{{
    {.one = SegmentKind::cell,  // project
     .rest = SegmentKind::restOfCells,
     .of = Several::numbersOfHead,
     .pace = {2.2, 0.45, 3},
     .rows = kOtherRows,
     .likewise = Several::keys,
     .allHeads = true},
    {.one = SegmentKind::head,  // split
     .rest = SegmentKind::restOfHeads,
     .of = Several::heads,
     .pace = kHeadColumns,
     .likewise = Several::keyHeads},
    kVectorsOfHeads,            // normalize
    kVectorsOfHeads,            // rotate
    {.one = SegmentKind::cell,  // score
     .rest = SegmentKind::restOfCells,
     .of = Several::keys,
     .pace = {2.4, 0.4, 8},
     .rows = kOtherRows,
     .allHeads = true},
    {.one = SegmentKind::cell,  // scale
     .rest = SegmentKind::restOfCells,
     .of = Several::keys,
     .pace = {1.8, 0.4, 2},
     .rows = kOtherRowsAtOnce,
     .allHeads = true},
    {.one = SegmentKind::cell,  // mask
     .rest = SegmentKind::restOfCells,
     .of = Several::keys,
     .pace = {2.0, 0.4, 4},
     .rows = kOtherRowsAtOnce,
     .allHeads = true},
    {.one = SegmentKind::cell,  // softmax
     .rest = SegmentKind::restOfCells,
     .of = Several::keys,
     .pace = {1.6, 0.4, 6},
     .rows = kOtherRows,
     .allHeads = true},
    {.one = SegmentKind::key,  // weigh
     .rest = SegmentKind::restOfKeys,
     .of = Several::keys,
     .pace = {2.4, 0.45, 6},
     .result = SegmentKind::mixture,
     .rows = kOtherRows,
     .allHeads = true},
    {.one = SegmentKind::cell,  // gate
     .rest = SegmentKind::restOfCells,
     .of = Several::numbersOfHead,
     .pace = {2.6, 1.4, 2},
     .rows = kOtherRowsAtOnce,
     .allHeads = true},
    {.one = SegmentKind::head,  // concat
     .rest = SegmentKind::restOfHeads,
     .of = Several::heads,
     .pace = kHeadColumns},
    {.one = SegmentKind::head,  // output
     .rest = SegmentKind::restOfHeads,
     .of = Several::heads,
     .pace = {2.2, 0.4, 6},
     .result = SegmentKind::total,
     .rows = kOtherRowsAtOnce},
}};

class TimelineBuilder {
 public:
  TimelineBuilder(const AttentionConfig& config, const RowRef& subject)
      : c_(config), subject_(subject) {}

  std::vector<TimelineSegment> build() {
    for (const Step* step : stepsOf(c_)) addStep(step->id());
    return std::move(moments_);
  }

 private:
  void add(SegmentKind beat, double length, Index from = 0, Index to = 1) {
    const double start = moments_.empty() ? 0.0 : moments_.back().end();
    moments_.push_back({step_, beat, part_, from, to, start, length});
  }

  void run(SegmentKind one, SegmentKind rest, Index count, const Pace& pace) {
    // a sweep over a single one would be no shorter
    const bool all = pace.most > 0 && count <= pace.most + 1;
    const Index alone = all ? count : pace.most;
    double length = pace.first;
    for (Index i = 0; i < alone; ++i) {
      add(one, std::max(length, pace.least), i, i + 1);
      length *= kFaster;
    }
    if (count > alone) add(rest, pace.rest, alone, count);
  }

  Index count(Several of) const {
    switch (of) {
      case Several::numbersOfHead:
        return c_.dK();
      case Several::keys:
        return c_.keys();
      case Several::keyHeads:
        return c_.numKvHeads;
      case Several::heads:
        break;
    }
    return c_.numHeads;
  }

  void addStep(StepId step) {
    step_ = step;
    const StepMoments& of = kStepMoments[static_cast<std::size_t>(step)];
    if (step == StepId::softmax) addExponentials();
    const bool nothingMasked =
        step == StepId::mask && c_.mask.none() && headscope::step(step).sign(c_, 0).empty();
    run(of.one, of.rest, count(of.of), nothingMasked ? kNothingMasked : of.pace);
    if (of.result) add(*of.result, kSentenceSeconds);
    if (of.rows) run(SegmentKind::row, SegmentKind::restOfRows, c_.seqLen - 1, *of.rows);
    if (of.likewise) addLikewise(count(*of.likewise));
    if (of.allHeads && c_.numHeads > 1) add(SegmentKind::allHeads, kAllHeads, 0, c_.numHeads);
  }

  void addLikewise(Index count) {
    constexpr std::array kParts{TensorId::k, TensorId::v};
    const std::size_t parts =
        step(step_).outputs().size() - 1;  // V is neither turned nor normalised
    for (const TensorId part : std::span(kParts).first(parts)) {
      part_ = part;
      add(SegmentKind::likewise, kLikewise, 0, count);
    }
    part_ = TensorId::q;
  }

  /// Returns whether the query's row has a softmax at all.
  bool hasKeys() const {
    return c_.mistakes.zeroForMasked || c_.mistakes.softmaxOverQueries ||
           allowedKeys(c_.mask, subject_.item, subject_.query, c_.keys()).count() > 0;
  }

  void addExponentials() {
    add(SegmentKind::maximum, kSentenceSeconds);
    if (!hasKeys()) return;
    add(SegmentKind::exponentials, kSentenceSeconds);
    add(SegmentKind::sum, kSentenceSeconds * 0.75);
  }

  const AttentionConfig& c_;
  const RowRef& subject_;
  std::vector<TimelineSegment> moments_;
  StepId step_ = StepId::project;
  TensorId part_ = TensorId::q;
};

}  // namespace

bool isSweep(SegmentKind beat) {
  switch (beat) {
    case SegmentKind::restOfCells:
    case SegmentKind::likewise:
    case SegmentKind::restOfKeys:
    case SegmentKind::restOfHeads:
    case SegmentKind::restOfRows:
    case SegmentKind::allHeads:
      return true;
    default:
      return false;
  }
}

Timeline::Timeline(const AttentionConfig& config, const RowRef& subject)
    : moments_(TimelineBuilder(config, subject).build()) {
  for (const Step* step : stepsOf(config)) steps_.push_back(step->id());
}

std::size_t Timeline::at(double time) const {
  const auto after =
      std::upper_bound(moments_.begin(), moments_.end(), time,
                       [](double t, const TimelineSegment& moment) { return t < moment.start; });
  return after == moments_.begin() ? 0 : static_cast<std::size_t>(after - moments_.begin()) - 1;
}

double Timeline::stepStart(StepId step) const {
  const auto first = std::find_if(moments_.begin(), moments_.end(),
                                  [step](const TimelineSegment& m) { return m.step == step; });
  return first == moments_.end() ? length() : first->start;
}

double Timeline::stepEnd(StepId step) const {
  return step == steps_.back() ? length() : stepStart(neighbouringStep(step, 1));
}

StepId Timeline::neighbouringStep(StepId step, int places) const {
  const auto found = std::find(steps_.begin(), steps_.end(), step);
  if (found == steps_.end()) return step;
  const auto last = static_cast<int>(steps_.size()) - 1;
  const int place = std::clamp(static_cast<int>(found - steps_.begin()) + places, 0, last);
  return steps_[static_cast<std::size_t>(place)];
}

double Timeline::translate(const Timeline& other, double time) const {
  if (other.moments_.empty()) return std::clamp(time, 0.0, length());
  const StepId step = other.moments_[other.at(time)].step;
  const double start = other.stepStart(step);
  const double share = std::clamp((time - start) / (other.stepEnd(step) - start), 0.0, 1.0);
  const double here = stepStart(step) + share * (stepEnd(step) - stepStart(step));
  // the very end of a step belongs to the next one
  if (step == steps_.back()) return here;
  return std::min(here, std::nextafter(stepEnd(step), 0.0));
}

}  // namespace headscope
