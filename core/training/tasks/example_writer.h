// ExampleWriter: fills in one example of a task.
#pragma once

#include <cstddef>

#include "core/training/task.h"

namespace headscope::training {

class ExampleWriter {
 public:
  /// The example `index` of `all`, which has the sizes of its task.
  ExampleWriter(Examples& all, Index index) : all_(all), first_(index * all.length) {
    const Index places = all.count * all.length;
    features_ = static_cast<Index>(all.symbols.size()) / places;
    channels_ = static_cast<Index>(all.series.size()) / places;
  }

  Index length() const { return all_.length; }

  Index& symbol(Index place, Index feature = 0) {
    return all_.symbols[static_cast<std::size_t>((first_ + place) * features_ + feature)];
  }

  void reading(Index place, Index channel, double value) {
    all_.series[static_cast<std::size_t>((first_ + place) * channels_ + channel)] =
        static_cast<float>(value);
  }

  void answer(Index question, Index place, double value) {
    all_.answers[static_cast<std::size_t>(question)][static_cast<std::size_t>(first_ + place)] =
        static_cast<float>(value);
  }

  void partner(Index relation, Index place, Index partner) {
    const Index cell = (first_ + place) * all_.length + partner;
    all_.partners[static_cast<std::size_t>(relation)][static_cast<std::size_t>(cell)] = 1;
  }

  /// Asks a place for a symbol of its partner `from`; the question and the relation have one
  /// number.
  void copy(Index question, Index place, Index from, Index feature = 0) {
    partner(question, place, from);
    answer(question, place, static_cast<double>(symbol(from, feature)));
  }

 private:
  Examples& all_;
  Index first_;  // its first place among all places
  Index features_, channels_;
};

}  // namespace headscope::training
