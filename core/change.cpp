#include "core/change.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headscope {
namespace {

/// Adds what of `box` lies outside of `hole`: above, below, left and right of it.
void addOutside(const Box& box, const Box& hole, std::vector<Box>& parts) {
  const Index top = std::max(box.row, hole.row);
  const Index bottom = std::min(box.row + box.rows, hole.row + hole.rows);
  const Index left = std::max(box.col, hole.col);
  const Index right = std::min(box.col + box.cols, hole.col + hole.cols);
  const auto addPart = [&](Index row, Index rows, Index col, Index cols) {
    if (rows > 0 && cols > 0) parts.push_back({box.item, box.head, row, rows, col, cols});
  };
  addPart(box.row, top - box.row, box.col, box.cols);
  addPart(bottom, box.row + box.rows - bottom, box.col, box.cols);
  addPart(top, bottom - top, box.col, left - box.col);
  addPart(top, bottom - top, right, box.col + box.cols - right);
}

}  // namespace

bool Box::overlaps(const Box& other) const {
  return item == other.item && head == other.head && row < other.row + other.rows &&
         other.row < row + rows && col < other.col + other.cols && other.col < col + cols;
}

Box Box::within(Index begin, Index end) const {
  Box part = *this;
  part.row = std::max(row, begin);
  part.rows = std::max<Index>(0, std::min(row + rows, end) - part.row);
  return part;
}

Change Change::all() {
  Change change;
  change.all_ = true;
  return change;
}

Index Change::cells() const {
  Index cells = 0;
  for (const Box& box : boxes_) cells += box.cells();
  return cells;
}

void Change::add(const Box& box) {
  if (all_ || box.cells() <= 0) return;
  std::vector<Box> parts{box};
  for (const Box& present : boxes_) {
    std::vector<Box> outside;
    for (const Box& part : parts) {
      if (part.overlaps(present)) {
        addOutside(part, present, outside);
      } else {
        outside.push_back(part);
      }
    }
    parts = std::move(outside);
    if (parts.empty()) return;
  }
  boxes_.insert(boxes_.end(), parts.begin(), parts.end());
  if (boxes_.size() > kMostBoxes) *this = all();
}

void Change::add(const Change& other) {
  if (other.all_) *this = all();
  for (const Box& box : other.boxes_) add(box);
}

}  // namespace headscope
