// Layout: rectangles cut from rectangles, and a few spacings, so that a panel states the order of
// its parts instead of computing places.
#pragma once

#include <imgui.h>

#include <algorithm>

namespace headscope::ui {

struct Rect {
  ImVec2 a, b;  // upper left, lower right

  static Rect at(ImVec2 corner, ImVec2 size) {
    return {corner, {corner.x + size.x, corner.y + size.y}};
  }
  /// The rest of the current window's content from the cursor on.
  static Rect rest();

  float width() const { return b.x - a.x; }
  float height() const { return b.y - a.y; }
  ImVec2 size() const { return {width(), height()}; }
  ImVec2 centre() const { return {(a.x + b.x) * 0.5F, (a.y + b.y) * 0.5F}; }
  bool empty() const { return width() <= 0.0F || height() <= 0.0F; }
  bool contains(ImVec2 point) const {
    return point.x >= a.x && point.x < b.x && point.y >= a.y && point.y < b.y;
  }
  bool contains(const Rect& other) const {
    return other.a.x >= a.x && other.b.x <= b.x && other.a.y >= a.y && other.b.y <= b.y;
  }
  bool overlaps(const Rect& other) const {
    return a.x < other.b.x && b.x > other.a.x && a.y < other.b.y && b.y > other.a.y;
  }

  /// Cuts a strip off this rectangle, at most all of it, and removes `gap` more.
  Rect cutTop(float height, float gap = 0.0F);
  Rect cutBottom(float height, float gap = 0.0F);
  Rect cutLeft(float width, float gap = 0.0F);
  Rect cutRight(float width, float gap = 0.0F);
  Rect inset(float by) const { return inset({by, by}); }
  Rect inset(ImVec2 by) const { return {{a.x + by.x, a.y + by.y}, {b.x - by.x, b.y - by.y}}; }
  Rect outset(float by) const { return inset(-by); }

  /// The i-th of `count` equal parts side by side (`column`) or one below the other (`row`), `gap`
  /// apart.
  Rect column(int i, int count, float gap) const;
  Rect row(int i, int count, float gap) const;

  /// A rectangle of `size` within this one; `along` and `down`, 0 … 1, give its place.
  Rect placed(ImVec2 size, float along = 0.5F, float down = 0.5F) const;
};

/// The spacings of the interface, in this frame's points.
struct Spacing {
  explicit Spacing(float scale = 1.0F)
      : hair(scale),
        thin(2 * scale),
        tight(4 * scale),
        small(6 * scale),
        medium(9 * scale),
        large(14 * scale),
        wide(20 * scale) {}

  float hair;    // a border, a seam
  float thin;    // a frame around a chosen item
  float tight;   // within one item: a number and its unit
  float small;   // between a label and its item
  float medium;  // between related things
  float large;   // between groups
  float wide;    // between parts of a panel
};

}  // namespace headscope::ui
