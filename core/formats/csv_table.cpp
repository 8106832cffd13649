#include "core/formats/csv_table.h"

#include <fmt/format.h>

#include <iterator>
#include <ostream>
#include <string_view>

#include "core/base/files.h"

namespace headscope::formats {
namespace {

class CsvWriter {
 public:
  explicit CsvWriter(const CsvTable& table)
      : table_(table),
        at_(table.axes.size(), 0),
        values_(static_cast<std::size_t>(table.columns)) {}

  void write(std::ostream& out) {
    for (const CsvTable::Axis& axis : table_.axes) cell(axis.name);
    if (table_.token) cell("token");
    for (Index column = 0; column < table_.columns; ++column) cell(column);
    endLine(out);
    do {
      line(out);
    } while (out && advance());
  }

 private:
  void line(std::ostream& out) {
    for (const Index index : at_) cell(index);
    if (table_.token) cell(csvField(table_.token(at_)));
    table_.row(at_, values_);
    for (const float value : values_) cell(value);  // the shortest text that reads back the same
    endLine(out);
  }

  /// Moves to the next row; false after the last one.
  bool advance() {
    for (std::size_t axis = at_.size(); axis-- > 0;) {
      if (++at_[axis] < table_.axes[axis].size) return true;
      at_[axis] = 0;
    }
    return false;
  }

  template <typename Value>
  void cell(const Value& value) {
    if (line_.size() > 0) line_.push_back(',');
    fmt::format_to(std::back_inserter(line_), "{}", value);
  }
  void endLine(std::ostream& out) {
    line_.push_back('\n');
    out.write(line_.data(), static_cast<std::streamsize>(line_.size()));
    line_.clear();
  }

  const CsvTable& table_;
  std::vector<Index> at_;
  std::vector<float> values_;
  fmt::memory_buffer line_;
};

}  // namespace

std::string csvField(std::string_view text) {
  const bool formula =
      text.size() > 1 && std::string_view("=+-@\t\r").find(text.front()) != std::string::npos;
  std::string field = (formula ? "'" : "") + std::string(text);
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  for (std::size_t at = 0; (at = field.find('"', at)) != std::string::npos; at += 2) {
    field.insert(at, 1, '"');
  }
  return '"' + field + '"';
}

void writeCsv(const std::filesystem::path& path, const CsvTable& table) {
  writeAtomically(path, [&](std::ostream& out) { CsvWriter(table).write(out); });
}

}  // namespace headscope::formats
