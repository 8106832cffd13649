// Generated: examples of a task, to be asked for by name and place.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/training/task.h"

namespace headscope::test {

struct Generated {
  const training::Task& task;
  training::Examples all;

  Generated(const training::Task& of, training::Examples examples)
      : task(of), all(std::move(examples)) {}

  Index question(std::string_view name) const { return numberOf(task.questions, name); }
  Index relation(std::string_view name) const { return numberOf(task.relations, name); }

  Index symbol(Index example, Index place, Index feature = 0) const {
    return at(all.symbols, example, place, feature);
  }
  float reading(Index example, Index place, Index channel) const {
    return at(all.series, example, place, channel);
  }
  /// The answer at a place; nothing where the question is not asked there.
  std::optional<double> answer(Index question, Index example, Index place) const {
    const float value = at(all.answers[static_cast<std::size_t>(question)], example, place, 0);
    return std::isnan(value) ? std::nullopt : std::optional<double>(value);
  }
  /// The partners of a place by a relation, in ascending order.
  std::vector<Index> partners(Index relation, Index example, Index place) const {
    std::vector<Index> found;
    for (Index j = 0; j < all.length; ++j) {
      if (at(all.partners[static_cast<std::size_t>(relation)], example, place, j) != 0) {
        found.push_back(j);
      }
    }
    return found;
  }

 private:
  template <typename Named>
  static Index numberOf(const Named& all, std::string_view name) {
    Index number = 0;
    while (all[static_cast<std::size_t>(number)].name != name) ++number;
    return number;
  }

  template <typename T>
  T at(const std::vector<T>& values, Index example, Index place, Index of) const {
    const Index each = static_cast<Index>(values.size()) / (all.count * all.length);
    return values[static_cast<std::size_t>((example * all.length + place) * each + of)];
  }
};

inline Generated generated(std::string_view id, Index count = 200, std::uint64_t seed = 1) {
  const training::Task& task = training::taskFromString(id);
  training::Draws draws(seed, "examples");
  return Generated(task, task.examples(count, draws));
}

}  // namespace headscope::test
