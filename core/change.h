// Change: which cells of a tensor may differ from those of another of its shape.
#pragma once

#include <vector>

#include "core/index.h"

namespace headscope {

/// A block of cells of one matrix of a tensor. item and head choose the matrix; 0 where the tensor
/// has no such axis.
struct Box {
  Index item = 0;
  Index head = 0;
  Index row = 0;
  Index rows = 0;
  Index col = 0;
  Index cols = 0;

  Index cells() const { return rows * cols; }
  bool overlaps(const Box& other) const;
  /// Its part in rows [begin, end); without cells where there is none.
  Box within(Index begin, Index end) const;

  bool operator==(const Box&) const = default;
};

class Change {
 public:
  static Change none() { return {}; }
  static Change all();

  bool isNone() const { return !all_ && boxes_.empty(); }
  bool isAll() const { return all_; }
  /// Neither none nor all: just these boxes, of which no two share a cell.
  bool inPart() const { return !all_ && !boxes_.empty(); }
  const std::vector<Box>& boxes() const { return boxes_; }
  Index cells() const;

  /// Past kMostBoxes the bookkeeping is not worth it: all.
  void add(const Box& box);
  void add(const Change& other);
  static constexpr std::size_t kMostBoxes = 4096;

 private:
  bool all_ = false;
  std::vector<Box> boxes_;
};

}  // namespace headscope
