#include "core/formats/csv.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/formats/input_file.h"
#include "core/input/utf8.h"

namespace headscope::formats {
namespace {

constexpr std::size_t kMostCsvBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxColumns = 4096;

void checkSize(std::uintmax_t bytes, const std::string& name) {
  if (bytes <= kMostCsvBytes) return;
  throw UserError(
      fmt::format("{} has {:.1f} MB; at most 64 MB are read, so cut it to the window "
                  "you need",
                  name, static_cast<double>(bytes) / (1 << 20)));
}

/// Collects what libcsv finds. Its callbacks come through C, so nothing is thrown inside them: the
/// first error is kept.
class SeriesReader {
 public:
  explicit SeriesReader(std::string name) : name_(std::move(name)) {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
  }
  SeriesReader(const SeriesReader&) = delete;
  SeriesReader& operator=(const SeriesReader&) = delete;
  ~SeriesReader() { csv_free(&parser_); }

  Series read(std::string_view text) {
    while (!text.empty()) {  // line by line, so that errors can say where they are
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
      error_ = fmt::format("{}, line {}: more than {} columns; cut it to those you need", name_,
                           line_, kMaxColumns);
    } else if (invalidUtf8At(text)) {
      error_ = fmt::format("{}: the name is not UTF-8; save the file as UTF-8", where());
    } else {
      double ignored = 0.0;
      const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), ignored);
      if (code != std::errc() || end != text.data() + text.size()) ++headerWords_;
      channels_.push_back(text.empty() ? fmt::format("column {}", column_) : std::string(text));
    }
  }

  void number(std::string_view text) {
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    double value = 0.0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (text.empty()) {
      error_ = fmt::format("{} is empty; every cell needs a number", where());
    } else if (code == std::errc::invalid_argument || end != digits.data() + digits.size()) {
      error_ = fmt::format("{}: \"{}\" is not a number; write numbers such as 3.5", where(),
                           excerpt(text, 40));
    } else if (code != std::errc() || !std::isfinite(static_cast<float>(value))) {
      error_ = fmt::format("{}: \"{}\" is not a finite 32-bit number; only such can be used",
                           where(), excerpt(text, 40));
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
      throw UserError(name_ + " has a header but no rows; give it one row a time step");
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
  return parseSeries(text, path.string());
}

}  // namespace headscope::formats
