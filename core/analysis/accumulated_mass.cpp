#include "core/analysis/accumulated_mass.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace headscope {
namespace {

/// Whether weight `a` at place `i` comes before `b` at `j`, largest first.
bool before(float a, Index i, float b, Index j) {
  const float x = std::abs(a);
  const float y = std::abs(b);
  return x > y || (x == y && i < j);
}

double sumOf(std::span<const float> row) {
  double sum = 0.0;
  for (const float w : row) sum += std::abs(static_cast<double>(w));
  return sum;
}

}  // namespace

std::vector<Index> largestOfMass(std::span<const float> row, double mass, Index most) {
  std::vector<Index> heap;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] != 0.0F) heap.push_back(static_cast<Index>(j));
  }
  const auto at = [row](Index j) { return row[static_cast<std::size_t>(j)]; };
  const auto lower = [at](Index i, Index j) { return before(at(j), j, at(i), i); };
  std::make_heap(heap.begin(), heap.end(), lower);
  const double wanted = mass >= 1.0 ? std::numeric_limits<double>::max() : mass * sumOf(row);
  std::vector<Index> found;
  double sum = 0.0;
  while (!heap.empty() && static_cast<Index>(found.size()) < most &&
         (found.empty() || sum < wanted)) {
    std::pop_heap(heap.begin(), heap.end(), lower);
    found.push_back(heap.back());
    heap.pop_back();
    sum += std::abs(static_cast<double>(at(found.back())));
  }
  return found;
}

bool isOfMass(std::span<const float> row, Index place, double mass) {
  const float own = row[static_cast<std::size_t>(place)];
  if (own == 0.0F) return false;
  if (mass >= 1.0) return true;
  double larger = 0.0;
  bool first = true;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!before(row[j], static_cast<Index>(j), own, place)) continue;
    larger += std::abs(static_cast<double>(row[j]));
    first = false;
  }
  return first || larger < mass * sumOf(row);
}

}  // namespace headscope
