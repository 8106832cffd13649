#include "core/training/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/training/tasks/example_writer.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {

double Draws::uniform() { return static_cast<double>(stream_.bits(next_++) >> 32) * 0x1p-32; }

double Draws::uniform(double low, double high) { return low + (high - low) * uniform(); }

Index Draws::below(Index count) {
  const std::uint64_t top = stream_.bits(next_++) >> 32;
  return static_cast<Index>((top * static_cast<std::uint64_t>(count)) >> 32);
}

double Draws::normal() { return static_cast<double>(stream_.normal(next_++)); }

/// Fisher–Yates.
std::vector<Index> Draws::shuffled(Index count) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index left = count; left > 1; --left) {
    std::swap(order[static_cast<std::size_t>(left - 1)],
              order[static_cast<std::size_t>(below(left))]);
  }
  return order;
}

Examples Task::examples(Index count, Draws& draws) const {
  const auto places = static_cast<std::size_t>(count * length);
  Examples all;
  all.count = count;
  all.length = length;
  all.symbols.resize(places * features.size());
  all.series.resize(places * channels.size());
  all.answers.assign(questions.size(),
                     std::vector(places, std::numeric_limits<float>::quiet_NaN()));
  all.partners.assign(relations.size(),
                      std::vector<std::uint8_t>(places * static_cast<std::size_t>(length)));
  for (Index i = 0; i < count; ++i) {
    ExampleWriter example(all, i);
    generate(example, draws);
  }
  return all;
}

std::span<const Task> allTasks() {
#define HEADSCOPE_LIST_TASK(name) name##Task(),
  static const std::array tasks{HEADSCOPE_TASKS(HEADSCOPE_LIST_TASK)};
#undef HEADSCOPE_LIST_TASK
  return tasks;
}

const Task& taskFromString(std::string_view id, std::string_view others) {
  std::vector<std::string_view> known;
  for (const Task& task : allTasks()) {
    if (task.id == id) return task;
    known.push_back(task.id);
  }
  throw UserError(
      fmt::format("unknown task '{}'; the tasks are: {}{}", id, fmt::join(known, ", "), others));
}

}  // namespace headscope::training
