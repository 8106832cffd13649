#include "app/ui/timeline/moments.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

/// How fast a run of moments goes: the first can be read, the next are ever shorter, and after
/// `most` of them the rest is one sweep. Together they keep a play of any size within 90 seconds.
struct Pace {
  double first, least;  // seconds
  Index most;
  double rest = 0.8;
};

constexpr double kFaster = 0.6;  // each moment of a run beside the one before

constexpr Pace kProjectedNumbers{2.2, 0.45, 3};
constexpr Pace kScores{2.4, 0.4, 8};
constexpr Pace kScaled{1.8, 0.4, 2};
constexpr Pace kMasked{2.0, 0.4, 4};
constexpr Pace kQuotients{1.6, 0.4, 6};
constexpr Pace kWeighedKeys{2.4, 0.45, 6};
constexpr Pace kHeadColumns{1.8, 0.4, 6};
constexpr Pace kHeadBlocks{2.2, 0.4, 6};
constexpr Pace kRows{1.0, 0.4, 3};
constexpr Pace kRowsAtOnce{0.0, 0.0, 0, 1.2};

constexpr double kLikewise = 1.4;
constexpr double kAllHeads = 1.3;
constexpr double kSentence = 2.0;  // a moment with nothing to go through

class MomentsBuilder {
 public:
  MomentsBuilder(const AttentionConfig& config, const Subject& subject)
      : c_(config), subject_(subject) {}

  std::vector<Moment> build() {
    project();
    split();
    scoreLike(StepId::score, kScores, kRows);
    scoreLike(StepId::scale, kScaled, kRowsAtOnce);
    mask();
    softmax();
    weigh();
    concat();
    output();
    return std::move(moments_);
  }

 private:
  void add(Beat beat, double length, Index from = 0, Index to = 1) {
    const double start = moments_.empty() ? 0.0 : moments_.back().end();
    moments_.push_back({step_, beat, part_, from, to, start, length});
  }

  void run(Beat one, Beat rest, Index count, const Pace& pace) {
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

  void begin(StepId step) {
    step_ = step;
    part_ = TensorId::q;
  }

  void likewise(Index count) {
    for (const TensorId part : {TensorId::k, TensorId::v}) {
      part_ = part;
      add(Beat::likewise, kLikewise, 0, count);
    }
    part_ = TensorId::q;
  }

  void otherRows(const Pace& pace) { run(Beat::row, Beat::restOfRows, c_.seqLen - 1, pace); }
  void allHeads() {
    if (c_.numHeads > 1) add(Beat::allHeads, kAllHeads, 0, c_.numHeads);
  }

  void project() {
    begin(StepId::project);
    run(Beat::cell, Beat::restOfCells, c_.dK(), kProjectedNumbers);
    otherRows(kRows);
    likewise(c_.keys());
    allHeads();
  }

  void split() {
    begin(StepId::split);
    run(Beat::head, Beat::restOfHeads, c_.numHeads, kHeadColumns);
    likewise(c_.numKvHeads);
  }

  void scoreLike(StepId step, const Pace& cells, const Pace& rows) {
    begin(step);
    run(Beat::cell, Beat::restOfCells, c_.keys(), cells);
    otherRows(rows);
    allHeads();
  }

  void mask() {
    const Pace atOnce{0.0, 0.0, 0, kSentence};
    scoreLike(StepId::mask, c_.mask.none() ? atOnce : kMasked, kRowsAtOnce);
  }

  /// Whether the query's row has a softmax at all.
  bool hasKeys() const {
    return c_.mistakes.zeroForMasked || c_.mistakes.softmaxOverQueries ||
           allowedKeys(c_.mask, subject_.item, subject_.query, c_.keys()).count() > 0;
  }

  void softmax() {
    begin(StepId::softmax);
    add(Beat::maximum, kSentence);
    if (hasKeys()) {
      add(Beat::exponentials, kSentence);
      add(Beat::sum, kSentence * 0.75);
    }
    run(Beat::cell, Beat::restOfCells, c_.keys(), kQuotients);
    otherRows(kRows);
    allHeads();
  }

  void weigh() {
    begin(StepId::weigh);
    run(Beat::key, Beat::restOfKeys, c_.keys(), kWeighedKeys);
    add(Beat::mixture, kSentence);
    otherRows(kRows);
    allHeads();
  }

  void concat() {
    begin(StepId::concat);
    run(Beat::head, Beat::restOfHeads, c_.numHeads, kHeadColumns);
  }

  void output() {
    begin(StepId::output);
    run(Beat::head, Beat::restOfHeads, c_.numHeads, kHeadBlocks);
    add(Beat::total, kSentence);
    otherRows(kRowsAtOnce);
  }

  const AttentionConfig& c_;
  const Subject& subject_;
  std::vector<Moment> moments_;
  StepId step_ = StepId::project;
  TensorId part_ = TensorId::q;
};

}  // namespace

bool isSweep(Beat beat) {
  switch (beat) {
    case Beat::restOfCells:
    case Beat::likewise:
    case Beat::restOfKeys:
    case Beat::restOfHeads:
    case Beat::restOfRows:
    case Beat::allHeads:
      return true;
    default:
      return false;
  }
}

Timeline::Timeline(const AttentionConfig& config, const Subject& subject)
    : moments_(MomentsBuilder(config, subject).build()) {
  for (const Step* step : stepsOf(config)) steps_.push_back(step->id());
}

std::size_t Timeline::at(double time) const {
  const auto after =
      std::upper_bound(moments_.begin(), moments_.end(), time,
                       [](double t, const Moment& moment) { return t < moment.start; });
  return after == moments_.begin() ? 0 : static_cast<std::size_t>(after - moments_.begin()) - 1;
}

double Timeline::stepStart(StepId step) const {
  const auto first = std::find_if(moments_.begin(), moments_.end(),
                                  [step](const Moment& m) { return m.step == step; });
  return first == moments_.end() ? length() : first->start;
}

double Timeline::stepEnd(StepId step) const {
  return step == steps_.back() ? length() : stepStart(stepBeside(step, 1));
}

StepId Timeline::stepBeside(StepId step, int places) const {
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

}  // namespace headscope::ui
