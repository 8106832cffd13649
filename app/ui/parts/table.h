// Table: rows and columns on Dear ImGui's own table: sortable headings with tooltips, right-aligned
// numbers, rows that are highlighted under the mouse and can be selected, bars, and links.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/frame_context.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/signed_bar.h"
#include "core/base/index.h"

namespace headscope::ui {

struct TableColumn {
  std::string title;       // rich text
  std::string about = {};  // its tooltip
  bool number = true;      // right-aligned, in digits of equal width; else left-aligned text
  float least = 0.0F;      // points; 0: as wide as the title
  float grows = 0.0F;      // its share of the width left over
  bool sorts = true;
  // stands on a line above the other columns, next to others of its kind; such columns come first
  bool above = false;
};

struct TableSort {
  std::size_t column = 0;
  bool descending = false;
};

struct TableSetting {
  const char* id = "table";
  float height = 0.0F;                 // 0: all rows, without scrolling
  int frozen = 0;                      // columns that stay when the others scroll
  std::optional<TableSort> sort = {};  // marked in its heading
  Index rows = 0;      // the number of rows, for a table no higher than they are; 0: any height
  bool dense = false;  // smaller headings and narrower gaps
};

class Table {
 public:
  /// Draws the headings. Rows follow until the table goes out of scope.
  Table(const FrameContext& look, const TableSetting& setting, std::vector<TableColumn> columns);
  /// During an exception the table stays open; FrameRecovery closes it.
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// The column whose heading was clicked or is under the mouse.
  std::optional<std::size_t> clickedHeading() const { return clicked_; }
  std::optional<std::size_t> hoveredHeading() const { return hovered_; }

  /// Calls `draw` with the number of each visible row.
  void rows(Index count, const std::function<void(Index)>& draw);

  /// Begins a row, whose cells follow. Returns whether it was clicked.
  bool row(Index id, bool chosen = false);
  bool rowHovered() const { return rowHovered_; }
  /// The column under the mouse in a hovered row.
  std::optional<std::size_t> hoveredColumn() const;

  // The cells of a row, from left to right. Text that is cut has a tooltip with all of it.
  void text(std::string_view what, ImU32 color = 0);
  void number(std::string_view what, ImU32 color = 0);
  /// Rich text after a small square of a colour; 0: an empty place.
  void swatch(std::string_view what, ImU32 color);
  /// Rich text after the shape of a series (parts/series_mark.h).
  void marked(std::string_view what, ImU32 color, std::size_t mark);
  /// A bar from the left over `share` (0 … 1) of the column.
  void bar(float share, ImU32 color);
  /// A bar to a value of either sign.
  void bar(const BarRange& range, double value, ImU32 color);
  /// A name that is a link, with a number at its right. Returns whether it was clicked.
  bool link(std::string_view name, std::string_view figure, const std::string& about);
  void skip() { ++column_; }
  /// The place of a picture at the beginning of the next cell, whose text begins behind it.
  Rect picture();
  /// A cell that the caller fills: returns its upper left corner and sets `width`.
  ImVec2 cell(float* width);

 private:
  struct Spot {
    ImVec2 at;
    float width = 0.0F;
  };

  void headings(const TableSetting& setting);
  /// Draws rich text of a cell behind a sign that is as wide as a swatch.
  void behindSign(std::string_view what, ImVec2 at, float width);
  void put(ImFont* font, std::string_view what, ImU32 color, bool right);
  float headingHeight() const;
  int lines() const { return above_ > 0 ? 2 : 1; }
  /// Moves to a column of a row whose lines are `line` high.
  Spot spot(std::size_t column, float line);
  Rect rowClip() const;

  const FrameContext& look_;
  std::vector<TableColumn> columns_;
  std::size_t above_ = 0;  // the number of columns above the others
  ImFont* headingFont_;
  bool open_;
  int exceptions_;  // the exceptions in flight when the table began
  float line_;
  ImVec2 row_;  // the upper left corner of the row
  std::size_t column_ = 0;
  float indent_ = 0.0F;  // of the next cell
  bool rowHovered_ = false;
  std::optional<std::size_t> clicked_, hovered_;
};

}  // namespace headscope::ui
