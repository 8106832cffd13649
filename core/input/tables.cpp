#include "core/input/tables.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <system_error>
#include <vector>

#include "core/base/downloaded_file.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/utf8.h"
#include "core/platform/from_chars.h"

namespace headscope::formats {

namespace {

constexpr std::size_t kMostCsvBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxColumns = 4096;

void checkSize(std::uintmax_t bytes, const std::string& name) {
  if (bytes <= kMostCsvBytes) return;
  throw UserError(
      fmt::format("{} has {:.1f} MB; the limit is 64 MB, so cut it to the window you need", name,
                  static_cast<double>(bytes) / (1 << 20)));
}

/// Collects the cells that libcsv finds. C code calls its callbacks, so they throw nothing and keep
/// the first error.
class SeriesReader {
 public:
  explicit SeriesReader(std::string name) : name_(std::move(name)) {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
  }
  SeriesReader(const SeriesReader&) = delete;
  SeriesReader& operator=(const SeriesReader&) = delete;
  ~SeriesReader() { csv_free(&parser_); }

  Series read(std::string_view text) {
    while (!text.empty()) {  // line by line, so that errors can name the line
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      if (csv_parse(&parser_, text.data(), end, onField, onRow, this) != end) quoteError();
      throwError();
      text.remove_prefix(end);
    }
    if (csv_fini(&parser_, onField, onRow, this) != 0) quoteError();
    throwError();
    return finish();
  }

 private:
  static void onField(void* data, std::size_t size, void* self) {
    static_cast<SeriesReader*>(self)->field({static_cast<const char*>(data), size});
  }
  static void onRow(int, void* self) { static_cast<SeriesReader*>(self)->row(); }

  void field(std::string_view text) {
    if (!error_.empty()) return;
    ++column_;
    if (!headerRead_) {
      header(text);
    } else if (column_ <= channels_.size()) {
      number(text);
    }
  }

  void header(std::string_view text) {
    if (column_ > kMaxColumns) {
      error_ = fmt::format("{}, line {}: more than {} columns; keep only those you need", name_,
                           line_, kMaxColumns);
    } else if (invalidUtf8At(text)) {
      error_ = fmt::format("{}: the name is not UTF-8; save the file as UTF-8", where());
    } else {
      double ignored = 0.0;
      const auto [end, code] = platform::fromChars(text.data(), text.data() + text.size(), ignored);
      if (code != std::errc() || end != text.data() + text.size()) ++headerWords_;
      channels_.push_back(text.empty() ? fmt::format("column {}", column_) : std::string(text));
    }
  }

  void number(std::string_view text) {
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    double value = 0.0;
    const auto [end, code] =
        platform::fromChars(digits.data(), digits.data() + digits.size(), value);
    if (text.empty()) {
      error_ = fmt::format("{} is empty; every cell needs a number", where());
    } else if (code == std::errc::invalid_argument || end != digits.data() + digits.size()) {
      error_ = fmt::format("{}: \"{}\" is not a number; write numbers such as 3.5", where(),
                           excerpt(text, 40));
    } else if (code != std::errc() || !std::isfinite(static_cast<float>(value))) {
      error_ = fmt::format("{}: \"{}\" is not a finite 32-bit number; use finite numbers", where(),
                           excerpt(text, 40));
    } else {
      values_.push_back(static_cast<float>(value));
    }
  }

  void row() {
    if (error_.empty() && headerRead_ && column_ != channels_.size()) {
      error_ = fmt::format(
          "{}, line {}: {} values where the header names {} columns; give every "
          "row the same",
          name_, line_, column_, channels_.size());
    }
    if (error_.empty() && !headerRead_ && headerWords_ == 0) {
      error_ = fmt::format(
          "{}, line {}: the header has numbers only; put the names of the columns "
          "on the first line",
          name_, line_);
    }
    headerRead_ = true;
    column_ = 0;
  }

  std::string where() const {
    const std::string channel =
        headerRead_ ? fmt::format(" ({})", channels_[column_ - 1]) : std::string();
    return fmt::format("{}, line {}, column {}{}", name_, line_, column_, channel);
  }

  void quoteError() {
    if (error_.empty()) {
      error_ = fmt::format(
          "{}, line {}: a quotation mark is out of place; put whole cells in "
          "quotes, or none",
          name_, line_);
    }
  }
  void throwError() const {
    if (!error_.empty()) throw UserError(error_);
  }

  Series finish() const {
    if (channels_.empty()) throw UserError(name_ + " is empty; give it a header and rows");
    if (values_.empty()) {
      throw UserError(name_ + " has a header but no rows; add one row for each time step");
    }
    const auto columns = static_cast<Index>(channels_.size());
    const auto rows = static_cast<Index>(values_.size()) / columns;
    return {name_, channels_, Tensor::fromValues({rows, columns}, values_)};
  }

  csv_parser parser_{};
  std::string name_;
  std::string error_;
  std::vector<std::string> channels_;
  std::vector<float> values_;
  std::size_t line_ = 0;
  std::size_t column_ = 0;
  std::size_t headerWords_ = 0;
  bool headerRead_ = false;
};

}  // namespace

std::shared_ptr<const Series> parseSeries(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  checkSize(text.size(), name);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return std::make_shared<const Series>(SeriesReader(name).read(text));
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

namespace {

constexpr std::size_t kMostTableBytes = std::size_t{64} << 20;

/// Collects the cells that libcsv finds. C code calls its callbacks, so they throw nothing and keep
/// the first error.
class CellTableReader {
 public:
  CellTableReader() {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(&parser_, '\t');
  }
  CellTableReader(const CellTableReader&) = delete;
  CellTableReader& operator=(const CellTableReader&) = delete;
  ~CellTableReader() { csv_free(&parser_); }

  Tensor read(std::string_view text) {
    const bool whole =
        csv_parse(&parser_, text.data(), text.size(), onField, onRow, this) == text.size() &&
        csv_fini(&parser_, onField, onRow, this) == 0;
    if (error_) std::rethrow_exception(error_);
    if (!whole) {
      throw UserError(
          fmt::format("row {} has a quotation mark out of place; copy numbers alone", rows_ + 1));
    }
    if (values_.empty()) throw UserError("there are no numbers to paste; copy some cells first");
    return Tensor::fromValues({rows_, cols_}, values_);
  }

 private:
  static void onField(void* data, std::size_t size, void* self) {
    static_cast<CellTableReader*>(self)->field({static_cast<const char*>(data), size});
  }
  static void onRow(int, void* self) { static_cast<CellTableReader*>(self)->row(); }

  template <typename Action>
  void attempt(Action action) {
    if (error_) return;
    try {
      action();
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  void field(std::string_view text) {
    attempt([&] {
      ++column_;
      values_.push_back(parseNumber(text, fmt::format("row {}, column {}", rows_ + 1, column_)));
    });
  }

  void row() {
    attempt([&] {
      ++rows_;
      if (rows_ == 1) cols_ = column_;
      if (column_ != cols_) {
        throw UserError(
            fmt::format("row {} has {} numbers where the first has {}; give every row the "
                        "same",
                        rows_, column_, cols_));
      }
      column_ = 0;
    });
  }

  csv_parser parser_{};
  std::exception_ptr error_;
  std::vector<float> values_;
  Index rows_ = 0;
  Index cols_ = 0;
  Index column_ = 0;
};

}  // namespace

Tensor parseCellTable(std::string_view text) {
  if (text.size() > kMostTableBytes) {
    throw UserError(fmt::format("the clipboard has {:.1f} MB; the limit for pasting is 64 MB",
                                static_cast<double>(text.size()) / (1 << 20)));
  }
  return CellTableReader().read(text);
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

namespace {

[[noreturn]] void refuseNumber(std::string_view text, const std::string& what) {
  const std::string shown = excerpt(text, 40);
  if (text.find(',') != std::string_view::npos) {
    throw UserError(
        fmt::format("{}: \"{}\" has a comma; write decimals with a point, as in 0.5", what, shown));
  }
  throw UserError(
      fmt::format("{}: \"{}\" is not a number; write one such as 0.5, −3 or 1e-3", what, shown));
}

}  // namespace

float parseNumber(std::string_view text, const std::string& what) {
  constexpr std::string_view kMinus = "−";
  const std::string_view all = trimmed(text);
  if (all.empty()) throw UserError(what + " needs a number; type one such as 0.5");
  std::string_view digits = all;
  const bool minus = digits.starts_with(kMinus);
  if (minus) digits.remove_prefix(kMinus.size());
  if (!minus && digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.size() < all.size() && (digits.starts_with('-') || digits.starts_with('+'))) {
    refuseNumber(all, what);  // a second sign is refused
  }
  double value = 0.0;
  const auto [end, code] = platform::fromChars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    refuseNumber(all, what);
  }
  const auto number = static_cast<float>(minus ? -value : value);
  if (code != std::errc() || !std::isfinite(number)) {
    throw UserError(
        fmt::format("{} cannot be {}: give a number within ±3.4e38", what, excerpt(all, 40)));
  }
  return number;
}

}  // namespace headscope::formats
