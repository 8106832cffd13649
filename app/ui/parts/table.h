// Table: rows and columns on Dear ImGui's own table: sortable headings with tooltips, right-aligned
// numbers, rows that are highlighted under the mouse and can be selected, bars, and links.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/layout.h"

namespace headscope::ui {

struct TableColumn {
  std::string title;       // rich text
  std::string about = {};  // its tooltip
  bool number = true;      // to the right, in even digits; else text from the left
  float least = 0.0F;      // points; 0: as wide as the title
  float grows = 0.0F;      // its share of the width that is left over
  bool sorts = true;
  // stands in a line of its own above the others, beside those that do too; such columns come first
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
  Index rows = 0;      // how many there are, for a table that is no higher than they; 0: any height
  bool dense = false;  // smaller headings and narrower gaps
};

class Table {
 public:
  /// Draws the headings. Rows follow, one after the other, until the table goes out of scope.
  Table(const FrameContext& look, const TableSetting& setting, std::vector<TableColumn> columns);
  /// Where an exception leaves it, it stays open: FrameRecovery ends it with the rest.
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// The column whose heading was clicked, or is under the mouse.
  std::optional<std::size_t> clickedHeading() const { return clicked_; }
  std::optional<std::size_t> hoveredHeading() const { return hovered_; }

  /// Calls `draw` with the number of each row that is seen.
  void rows(Index count, const std::function<void(Index)>& draw);

  /// Begins a row; its cells follow. True where it was clicked.
  bool row(Index id, bool chosen = false);
  bool rowHovered() const { return rowHovered_; }
  /// The column under the mouse, while a row is hovered.
  std::optional<std::size_t> hoveredColumn() const;

  // The cells of a row, from left to right. What is cut is whole in a tooltip.
  void text(std::string_view what, ImU32 color = 0);
  void number(std::string_view what, ImU32 color = 0);
  /// Text behind a small square of a colour; 0: room for one.
  void swatch(std::string_view what, ImU32 color);
  /// From the left, `share` (0 … 1) of the column.
  void bar(float share, ImU32 color);
  /// A name that can be followed, and a number to its right; true where it was clicked.
  bool link(std::string_view name, std::string_view figure, const std::string& about);
  void skip() { ++column_; }
  /// A cell filled by other means: gives its rectangle's corner and width.
  ImVec2 cell(float* width);

 private:
  struct Spot {
    ImVec2 at;
    float width = 0.0F;
  };

  void headings(const TableSetting& setting);
  void put(ImFont* font, std::string_view what, ImU32 color, bool right);
  float headingHeight() const;
  int lines() const { return above_ > 0 ? 2 : 1; }
  /// Goes to a column of the row whose lines are `line` high.
  Spot spot(std::size_t column, float line);
  Rect rowClip() const;

  const FrameContext& look_;
  std::vector<TableColumn> columns_;
  std::size_t above_ = 0;  // so many columns stand above the others
  ImFont* headingFont_;
  bool open_;
  int exceptions_;  // on their way when it was begun
  float line_;
  ImVec2 row_;  // the upper left corner of the row
  std::size_t column_ = 0;
  bool rowHovered_ = false;
  std::optional<std::size_t> clicked_, hovered_;
};

}  // namespace headscope::ui
