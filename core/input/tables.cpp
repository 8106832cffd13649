#include "core/input/tables.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/downloaded_file.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/utf8.h"
#include "core/platform/from_chars.h"

namespace headscope {
namespace {

constexpr std::size_t kMostColumns = 4096;

void checkSize(std::uintmax_t bytes, const std::string& name) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;
  if (bytes <= kMostBytes) return;
  throw UserError(
      fmt::format("{} has {:.1f} MB; the limit is 64 MB, so cut it to the part you need", name,
                  static_cast<double>(bytes) / (1 << 20)));
}

[[noreturn]] void refuseNumber(std::string_view text, const std::string& what) {
  const std::string shown = excerpt(text, 40);
  if (text.find(',') != std::string_view::npos) {
    throw UserError(
        fmt::format("{}: \"{}\" has a comma; write decimals with a point, as in 0.5", what, shown));
  }
  throw UserError(
      fmt::format("{}: \"{}\" is not a number; write one such as 0.5, −3 or 1e-3", what, shown));
}

/// The number in a text. `what` returns what it is, for a message.
template <typename What>
float numberIn(std::string_view text, const What& what) {
  constexpr std::string_view kMinus = "−";
  const std::string_view all = trimmed(text);
  if (all.empty()) throw UserError(what() + " needs a number; write one such as 0.5");
  std::string_view digits = all;
  const bool minus = digits.starts_with(kMinus);
  if (minus) digits.remove_prefix(kMinus.size());
  if (!minus && digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.size() < all.size() && (digits.starts_with('-') || digits.starts_with('+'))) {
    refuseNumber(all, what());  // a second sign is refused
  }
  double value = 0.0;
  const auto [end, code] = platform::fromChars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    refuseNumber(all, what());
  }
  const auto number = static_cast<float>(minus ? -value : value);
  if (code != std::errc() || !std::isfinite(number)) {
    throw UserError(
        fmt::format("{} cannot be {}: give a number within ±3.4e38", what(), excerpt(all, 40)));
  }
  return number;
}

/// Reads a table of numbers: a file, whose first line names the columns, or pasted cells, which
/// have neither a name nor a header.
class TableReader {
 public:
  TableReader(char separator, std::string file)
      : file_(std::move(file)), inHeader_(!file_.empty()) {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(&parser_, static_cast<unsigned char>(separator));
  }
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;
  ~TableReader() { csv_free(&parser_); }

  void read(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    while (!text.empty()) {  // line by line, so that errors can name the line
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      check(csv_parse(&parser_, text.data(), end, onCell, onRow, this) == end);
      text.remove_prefix(end);
    }
    check(csv_fini(&parser_, onCell, onRow, this) == 0);
  }

  const std::vector<std::string>& names() const { return names_; }
  bool empty() const { return values_.empty(); }
  Tensor values() const {
    const auto columns = static_cast<Index>(columns_);
    return Tensor::fromValues({std::ssize(values_) / columns, columns}, values_);
  }

 private:
  static void onCell(void* data, std::size_t size, void* self) {
    auto* reader = static_cast<TableReader*>(self);
    reader->attempt([&] { reader->cell({static_cast<const char*>(data), size}); });
  }
  static void onRow(int, void* self) {
    auto* reader = static_cast<TableReader*>(self);
    reader->attempt([&] { reader->row(); });
  }
  /// libcsv, which is C, calls back: an exception waits until it has returned.
  template <typename Action>
  void attempt(const Action& action) {
    if (error_) return;
    try {
      action();
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  void check(bool parsed) const {
    if (error_) std::rethrow_exception(error_);
    if (parsed) return;
    throw UserError(lineName() +
                    ": a quotation mark is out of place; put whole cells in quotes, or none");
  }

  void cell(std::string_view text) {
    ++column_;
    if (inHeader_) return name(text);
    if (columns_ > 0 && column_ > columns_) return;  // row() refuses it
    values_.push_back(numberIn(text, [this] { return cellName(); }));
  }

  void name(std::string_view text) {
    if (column_ > kMostColumns) {
      throw UserError(fmt::format("{}: more than {} columns; keep only those you need", lineName(),
                                  kMostColumns));
    }
    if (invalidUtf8At(text)) {
      throw UserError(cellName() + ": the name is not UTF-8; save the file as UTF-8");
    }
    double ignored = 0.0;
    const auto [end, code] = platform::fromChars(text.data(), text.data() + text.size(), ignored);
    if (code != std::errc() || end != text.data() + text.size()) anyName_ = true;
    names_.push_back(text.empty() ? fmt::format("column {}", column_) : std::string(text));
  }

  void row() {
    if (inHeader_ && !anyName_) {
      throw UserError(lineName() +
                      ": the header has numbers only; put the names of the columns on the first "
                      "line");
    }
    if (columns_ == 0) columns_ = column_;
    if (column_ != columns_) {
      throw UserError(fmt::format("{} has {} number{} where the {} {}; give every row the same",
                                  lineName(), column_, column_ == 1 ? "" : "s",
                                  names_.empty() ? "first has" : "header names", columns_));
    }
    inHeader_ = false;
    column_ = 0;
  }

  std::string lineName() const {
    return file_.empty() ? fmt::format("row {}", line_) : fmt::format("{}, line {}", file_, line_);
  }
  std::string cellName() const {
    const std::string name =
        inHeader_ || names_.empty() ? "" : fmt::format(" ({})", names_[column_ - 1]);
    return fmt::format("{}, column {}{}", lineName(), column_, name);
  }

  csv_parser parser_{};
  std::exception_ptr error_;
  std::string file_;
  bool inHeader_;
  bool anyName_ = false;  // whether a cell of the header is no number
  std::vector<std::string> names_;
  std::vector<float> values_;
  std::size_t columns_ = 0;  // of the header or the first row; 0: not known yet
  std::size_t line_ = 0, column_ = 0;
};

}  // namespace

std::shared_ptr<const Series> parseSeries(std::string_view text, const std::string& name) {
  checkSize(text.size(), name);
  TableReader reader(',', name);
  reader.read(text);
  if (reader.names().empty()) throw UserError(name + " is empty; give it a header and rows");
  if (reader.empty()) {
    throw UserError(name + " has a header but no rows; add one row for each time step");
  }
  return std::make_shared<const Series>(Series{name, reader.names(), reader.values()});
}

std::shared_ptr<const Series> readSeries(const std::filesystem::path& path) {
  InputFile file = openInput(path);
  checkSize(file.bytes, path.string());
  std::string text(static_cast<std::size_t>(file.bytes), '\0');
  if (!file.stream.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    throw UserError(fmt::format("cannot read {}; check that you may read it", path.string()));
  }
  if (const auto instead = lfsPointer(text)) {
    throw UserError(fmt::format("{} {}", path.string(), *instead));
  }
  return parseSeries(text, path.string());
}

Tensor parseCellTable(std::string_view text) {
  checkSize(text.size(), "the clipboard");
  TableReader reader('\t', {});
  reader.read(text);
  if (reader.empty()) throw UserError("there are no numbers to paste; copy some cells first");
  return reader.values();
}

std::string printCellTable(const ConstMatrixView& cells) {
  std::string text;
  for (Index r = 0; r < cells.rows; ++r) {
    for (Index c = 0; c < cells.cols; ++c) {
      if (c > 0) text += '\t';
      fmt::format_to(std::back_inserter(text), "{}", cells(r, c));
    }
    text += '\n';
  }
  return text;
}

float parseNumber(std::string_view text, const std::string& what) {
  return numberIn(text, [&] { return what; });
}

}  // namespace headscope
