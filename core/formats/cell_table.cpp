#include "core/formats/cell_table.h"

#include <csv.h>
#include <fmt/format.h>

#include <exception>
#include <iterator>
#include <vector>

#include "core/error.h"
#include "core/formats/number_text.h"

namespace headscope::formats {
namespace {

constexpr std::size_t kMostTableBytes = std::size_t{64} << 20;

/// Collects what libcsv finds. Its callbacks come through C, so nothing is thrown inside them: the
/// first error is kept.
class Reader {
 public:
  Reader() {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(&parser_, '\t');
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { csv_free(&parser_); }

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
    static_cast<Reader*>(self)->field({static_cast<const char*>(data), size});
  }
  static void onRow(int, void* self) { static_cast<Reader*>(self)->row(); }

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
    throw UserError(fmt::format("the clipboard has {:.1f} MB; at most 64 MB are pasted",
                                static_cast<double>(text.size()) / (1 << 20)));
  }
  return Reader().read(text);
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

}  // namespace headscope::formats
