#include "app/ui/step_view/step_view_layout.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "app/ui/hover.h"

namespace headscope::ui {
namespace {

/// The width of a sign or of a word like "softmax".
float signWidth(const StepViewItem& item, const StepViewMetrics& m) {
  return item.text.size() > 4 ? m.word : m.sign;
}

bool hasFeatures(const StepViewItem& item) { return !item.sign && !isTokenLane(item.colLane); }

/// A matrix's weight in the division of the room for features.
float featureShare(const StepViewItem& item) { return item.ref.shownCols() > 2 * 64 ? 1.5F : 1.0F; }

/// The widths of the matrices whose columns are features, in the room for all of them.
class FeatureWidths {
 public:
  /// `rowHeights`: the height of the rows of each item.
  FeatureWidths() = default;
  FeatureWidths(const std::vector<StepViewItem>& items, const std::vector<float>& rowHeights,
                float room, const StepViewMetrics& m)
      : widths_(items.size(), 0.0F), needs_(items.size(), 0.0F), room_(room) {
    float shares = 0.0F;
    for (const StepViewItem& item : items) shares += hasFeatures(item) ? featureShare(item) : 0.0F;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const StepViewItem& item = items[i];
      if (!hasFeatures(item)) continue;
      const auto cols = static_cast<float>(item.ref.shownCols());
      // a feature axis of few columns needs no more than square cells
      widths_[i] = std::min(room / shares * featureShare(item), m.largestCell * 1.6F * cols);
      if (rowHeights[i] < m.numberHeight) continue;
      needs_[i] = item.numberWidth * cols;
    }
    while (asked() > room) {
      if (!dropNumbersOfWidest()) return;
    }
    grow();
  }

  const std::vector<float>& widths() const { return widths_; }
  /// The count of matrices that show their numbers.
  std::ptrdiff_t numbered() const {
    return std::count_if(needs_.begin(), needs_.end(), [](float need) { return need > 0.0F; });
  }

 private:
  static constexpr float kWithout = 0.6F;  // the share of its width that a matrix without keeps

  /// The width that all matrices ask for: the width of their numbers; without numbers, a part of
  /// the present width.
  float asked() const {
    float sum = 0.0F;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      sum += needs_[i] > 0.0F ? needs_[i] : kWithout * widths_[i];
    }
    return sum;
  }

  bool dropNumbersOfWidest() {
    const auto widest = std::max_element(needs_.begin(), needs_.end());
    if (widest == needs_.end() || *widest <= 0.0F) return false;
    *widest = 0.0F;
    return true;
  }

  /// Widens the matrices that lack width for their numbers: from free room, and from what other
  /// matrices can spare.
  void grow() {
    const auto over = [&](std::size_t i) {
      if (needs_[i] > 0.0F) return widths_[i] - needs_[i];
      return numbered() > 0 ? (1.0F - kWithout) * widths_[i] : 0.0F;
    };
    float lacking = 0.0F;
    float spare = 0.0F;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      lacking += std::max(0.0F, -over(i));
      spare += std::max(0.0F, over(i));
    }
    const float free = room_ - std::accumulate(widths_.begin(), widths_.end(), 0.0F);
    const float taken = std::max(0.0F, lacking - free);
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const float rest = over(i);
      widths_[i] -= rest < 0.0F ? rest : spare > 0.0F ? taken * rest / spare : 0.0F;
    }
  }

  std::vector<float> widths_, needs_;
  float room_ = 0.0F;
};

/// The layout of the items in one row.
class StepViewRow {
 public:
  StepViewRow(const std::vector<StepViewItem>& items, const Rect& room, const StepViewMetrics& m)
      : items_(items), room_(room), m_(m), gap_(m.sign * 0.4F) {
    // fixed room: signs, gaps and labels
    float fixed = 0.0F;
    float tokenColumns = 0.0F;   // token cells side by side
    float featureWeight = 0.0F;  // feature axes side by side
    float widest = 0.0F;         // token cells of one matrix
    bool labelsBelow = false;
    for (const StepViewItem& item : items) {
      fixed += gap_ + labelRoom(item);
      if (item.sign) {
        fixed += signWidth(item, m);
        continue;
      }
      if (isTokenLane(item.rowLane)) {
        tallest_ = std::max(tallest_, static_cast<float>(item.ref.shownRows()));
      }
      if (isTokenLane(item.colLane)) {
        tokenColumns += static_cast<float>(item.ref.shownCols());
        widest = std::max(widest, static_cast<float>(item.ref.shownCols()));
        labelsBelow = true;
      } else {
        featureWeight += featureShare(item);
      }
    }
    const float roomX = std::max(room.width() - fixed, 1.0F);
    roomY_ =
        std::max(room.height() - m.title - (labelsBelow ? m.columnLabel : m.title * 0.4F), 1.0F);

    cell_ = std::min(m.largestCell, roomY_ / tallest_);
    // low cells of few tokens are as wide as higher ones would be, where no features need the room:
    // their names are read below them
    constexpr float kFewTokens = 16.0F;
    const bool few = tallest_ <= kFewTokens && widest <= kFewTokens && featureWeight == 0.0F;
    cellWidth_ = cell_ >= m.numberHeight ? cell_ * m.widestCell
                 : few                   ? m.numberHeight * m.widestCell
                                         : cell_;
    const float featureLeast = featureWeight > 0.0F ? std::clamp(m.shortestSide * featureWeight,
                                                                 roomX * 0.2F, roomX * 0.6F)
                                                    : 0.0F;
    if (tokenColumns > 0.0F) {
      const float most = (roomX - featureLeast) / tokenColumns;
      tight_ = few && most < cellWidth_;
      cellWidth_ = std::min(cellWidth_, most);
    }
    if (tokenColumns > 0.0F && cellWidth_ < m.numberHeight) cell_ = std::min(cell_, cellWidth_);

    std::vector<float> rowHeights;
    for (const StepViewItem& item : items) {
      rowHeights.push_back(item.sign ? 0.0F
                                     : heightOf(item) / static_cast<float>(item.ref.shownRows()));
    }
    features_ = FeatureWidths(items, rowHeights, roomX - cellWidth_ * tokenColumns, m);
  }

  auto numbered() const { return features_.numbered(); }
  /// Returns whether the columns of few tokens are narrower than their height allows.
  bool tight() const { return tight_; }

  std::vector<Rect> places() const {
    std::vector<Rect> places;
    places.reserve(items_.size());
    float x = room_.a.x;
    float bodyHeight = 0.0F;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      x += gap_ + labelRoom(items_[i]);
      places.push_back(Rect::at({x, 0.0F}, {widthOf(i), heightOf(items_[i])}));
      x = places.back().b.x;
      bodyHeight = std::max(bodyHeight, places.back().height());
    }
    // the row is centred, and all items share one middle line, below the titles
    const float shift = std::max(0.0F, (room_.b.x - x) * 0.5F);
    const float middle =
        room_.a.y + m_.title + bodyHeight * 0.5F + std::max(0.0F, (roomY_ - bodyHeight) * 0.35F);
    for (Rect& place : places) {
      const ImVec2 size = place.size();
      place = Rect::at({place.a.x + shift, middle - size.y * 0.5F}, size);
    }
    return places;
  }

 private:
  /// The room for labels left of an item.
  float labelRoom(const StepViewItem& item) const {
    if (item.sign || !isTokenLane(item.rowLane)) return 0.0F;
    return m_.rowLabel + (isTokenLane(item.colLane) ? m_.axisName : 0.0F);
  }

  float widthOf(std::size_t i) const {
    const StepViewItem& item = items_[i];
    if (item.sign) return signWidth(item, m_);
    return isTokenLane(item.colLane) ? cellWidth_ * static_cast<float>(item.ref.shownCols())
                                     : features_.widths()[i];
  }

  float heightOf(const StepViewItem& item) const {
    if (item.sign) return cell_ * tallest_;
    const auto rows = static_cast<float>(item.ref.shownRows());
    if (isTokenLane(item.rowLane)) return cell_ * rows;
    if (item.rowLane == Lane::none) return std::min(cell_, m_.largestCell);
    const float deepest = std::min(roomY_, std::max(cell_ * tallest_, m_.shortestSide * 1.6F));
    return std::min(deepest, m_.largestCell * 1.6F * rows);
  }

  const std::vector<StepViewItem>& items_;
  const Rect room_;
  const StepViewMetrics m_;
  float gap_;
  float tallest_ = 1.0F;  // the largest number of token cells one above the other
  float roomY_ = 1.0F;
  float cell_ = 1.0F, cellWidth_ = 1.0F;  // the height and width of a token's cell
  bool tight_ = false;
  FeatureWidths features_;
};

/// The places of items, and how many of the matrices show their numbers.
struct PlacedItems {
  std::vector<Rect> places;
  std::ptrdiff_t numbered = 0;

  void append(PlacedItems&& more) {
    places.insert(places.end(), more.places.begin(), more.places.end());
    numbered += more.numbered;
  }
};

PlacedItems placedInRow(const std::vector<StepViewItem>& items, const Rect& room,
                        const StepViewMetrics& metrics) {
  const StepViewRow row(items, room, metrics);
  StepViewMetrics narrow = metrics;
  narrow.sign *= 0.4F;
  narrow.word *= 0.85F;
  const StepViewRow closer(items, room, narrow);
  const StepViewRow& better = row.tight() || closer.numbered() > row.numbered() ? closer : row;
  return {better.places(), better.numbered()};
}

/// Places the result, with its sign, below its operands, which have a share of the height.
PlacedItems placedInTwoRows(const std::vector<StepViewItem>& items, std::ptrdiff_t result,
                            Rect room, const StepViewMetrics& metrics, float share) {
  const Rect above = room.cutTop(share * room.height());
  const auto sign = items.begin() + result - 1;
  PlacedItems placed = placedInRow({items.begin(), sign}, above, metrics);
  PlacedItems below = placedInRow({sign, items.end()}, room, metrics);
  if (metrics.shownWidth > 0.0F && metrics.shownWidth < room.width()) {
    room.b.x = room.a.x + metrics.shownWidth;
    PlacedItems inSight = placedInRow({sign, items.end()}, room, metrics);
    if (inSight.numbered >= below.numbered) below = std::move(inSight);
  }
  placed.append(std::move(below));
  return placed;
}

/// The share of the height for operands that gives the numbers of all rows one height.
float shareOfOperands(const std::vector<StepViewItem>& items, std::ptrdiff_t result,
                      const StepViewMetrics& m) {
  float most = 1.0F;
  for (const StepViewItem& item : items) {
    if (!item.sign && !item.result) most = std::max(most, static_cast<float>(item.ref.shownRows()));
  }
  const auto rows = static_cast<float>(items[static_cast<std::size_t>(result)].ref.shownRows());
  const float above = most * m.numberHeight + 1.4F * m.title;
  return above / (above + rows * m.numberHeight + 1.4F * m.title);
}

}  // namespace

std::vector<Rect> layoutStepView(const std::vector<StepViewItem>& items, const Rect& room,
                                 const StepViewMetrics& metrics) {
  constexpr float kUpright = 1.2F;  // the least height over width at which the result stands below
  constexpr float kAbove = 0.42F;   // the share of the height for its operands
  const auto result = std::find_if(items.begin(), items.end(),
                                   [](const StepViewItem& item) { return item.result; }) -
                      items.begin();
  const bool madeOfSeveral = result >= 2 && result < std::ssize(items);
  if (madeOfSeveral && room.height() >= kUpright * room.width()) {
    return placedInTwoRows(items, result, room, metrics, kAbove).places;
  }
  PlacedItems inRow = placedInRow(items, room, metrics);
  if (!madeOfSeveral) return std::move(inRow.places);
  // a result below its operands leaves the numbers of all more width
  PlacedItems inTwo =
      placedInTwoRows(items, result, room, metrics, shareOfOperands(items, result, metrics));
  return std::move((inTwo.numbered > inRow.numbered ? inTwo : inRow).places);
}

}  // namespace headscope::ui
