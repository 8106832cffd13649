#include <numeric>
#include <utility>

#include "core/training/task.h"

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

}  // namespace headscope::training
