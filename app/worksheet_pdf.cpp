#include "app/worksheet_pdf.h"

#include <fmt/format.h>

#include "core/base/error.h"

#ifdef HEADSCOPE_CAIRO
#include <cairo-pdf.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cairo_bytes.h"
#include "core/base/files.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/base/utf8.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/presets/worksheet.h"
#endif

namespace headscope {

#ifdef HEADSCOPE_CAIRO
namespace {

// points
constexpr double kPageWidth = 595.0, kPageHeight = 842.0, kPageMargin = 40.0;
constexpr double kSheetCell = 16.0, kBlockGap = 18.0;
constexpr double kSheetText = 9.0, kSheetHeading = 16.0, kSheetNumber = 7.5;
constexpr double kCellSpace = 3.2;  // next to the widest number of a matrix
constexpr double kLongestName = 70.0;

/// A matrix on the page.
struct Block {
  std::string title;
  Index rows = 0, cols = 0;
  std::function<float(Index row, Index col)> value;
  bool given = false;  // its numbers stand on the page to fill in, too
  int decimals = 0;
  double cell = 13.0;                   // the width of a cell
  std::vector<std::string> names = {};  // of the rows
  Index seams = 0;                      // a stronger line after every so many columns; 0: none
  const Mask* mask = nullptr;           // of queries and keys; its forbidden cells are grey
};

/// "3", "−0.5", "0.27": without a minus where all digits are 0.
std::string digits(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_of("123456789") == std::string::npos && text.front() == '-') text.erase(0, 1);
  if (text.front() == '-') text.replace(0, 1, "−");
  return text;
}

/// Draws texts and matrices from the top of a page down, and goes on at the next page.
class Sheet {
 public:
  /// `title` stands above each page, `note` at its right.
  Sheet(cairo_t* cairo, bool answers, std::string title, std::string note)
      : cairo_(cairo), answers_(answers), title_(std::move(title)), note_(std::move(note)) {
    beginPage();
  }

  void line(const std::string& words, bool bold = false) {
    constexpr double kLineHeight = 12.0;
    require(kLineHeight);
    text(kPageMargin, y_, kSheetText, words, bold);
    y_ += kLineHeight;
  }
  void gap() { y_ += kBlockGap; }

  /// Draws the blocks side by side, on as many lines as they need.
  void blocks(std::vector<Block> blocks) {
    for (Block& block : blocks) block.cell = std::max(block.cell, widestNumber(block) + kCellSpace);
    std::size_t begin = 0;
    while (begin < blocks.size()) {
      double x = kPageMargin, height = 0.0;
      std::size_t end = begin;
      for (; end < blocks.size(); ++end) {
        const double wide = nameWidth(blocks[end]) + gridWidth(blocks[end]);
        if (end > begin && x + wide > kPageWidth - kPageMargin) break;
        x += wide + kBlockGap;
        height = std::max(height, 5.0 + kSheetCell * static_cast<double>(blocks[end].rows));
      }
      require(height);
      x = kPageMargin;
      for (; begin < end; ++begin) x += block(x, blocks[begin]) + kBlockGap;
      y_ += height + kBlockGap;
    }
  }

  /// Draws short texts in five columns.
  void columns(const std::vector<std::string>& texts) {
    constexpr std::size_t kColumns = 5;
    constexpr double kColumnWidth = 103.0, kRowHeight = 13.0;
    require(kRowHeight * static_cast<double>((texts.size() + kColumns - 1) / kColumns));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      text(kPageMargin + kColumnWidth * static_cast<double>(i % kColumns),
           y_ + kRowHeight * static_cast<double>(i / kColumns), kSheetText, texts[i]);
    }
  }

  void end() { cairo_show_page(cairo_); }

 private:
  void beginPage() {
    constexpr double kNoteWidth = 190.0;
    text(kPageMargin, kPageMargin + 12.0, kSheetHeading, title_, true);
    const double wide = answers_ ? widthOf(note_) : kNoteWidth;
    const double left = kPageWidth - kPageMargin - wide, base = kPageMargin + 12.0;
    text(left, base, kSheetText, note_);
    if (!answers_) {  // to write the name on
      cairo_set_line_width(cairo_, 0.5);
      cairo_move_to(cairo_, left + widthOf(note_) + 4.0, base + 1.5);
      cairo_line_to(cairo_, kPageWidth - kPageMargin, base + 1.5);
      cairo_stroke(cairo_);
    }
    y_ = kPageMargin + 34.0;
  }
  /// Begins a page where less than `height` is left.
  void require(double height) {
    if (y_ + height <= kPageHeight - kPageMargin) return;
    cairo_show_page(cairo_);
    beginPage();
  }

  /// The width of the widest number of a block, also of those that are to be written.
  double widestNumber(const Block& block) {
    double widest = 0.0;
    eachCell(block, [&](Index row, Index col) {
      if (!allowed(block, row, col)) return;
      widest =
          std::max(widest, widthOf(digits(block.value(row, col), block.decimals), kSheetNumber));
    });
    return widest;
  }

  static double gridWidth(const Block& block) {
    return block.cell * static_cast<double>(block.cols);
  }
  double nameWidth(const Block& block) {
    double widest = 0.0;
    for (const std::string& name : block.names) {
      widest = std::max(widest, widthOf(shortened(name)) + 5.0);
    }
    return widest;
  }
  std::string shortened(const std::string& name) {
    std::string words = name;
    for (std::size_t bytes = name.size(); widthOf(words) > kLongestName && bytes > 0; --bytes) {
      words = excerpt(name, bytes - 1);
    }
    return words;
  }

  void text(double x, double y, double size, const std::string& words, bool bold = false) {
    select(size, bold);
    cairo_move_to(cairo_, x, y);
    cairo_show_text(cairo_, words.c_str());
  }
  double widthOf(const std::string& words, double size = kSheetText) {
    select(size, false);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, words.c_str(), &extents);
    return extents.x_advance;
  }
  void select(double size, bool bold) {
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_, size);
    cairo_set_source_rgb(cairo_, 0.0, 0.0, 0.0);
  }

  /// Returns the width that the block takes.
  double block(double x, const Block& block) {
    const double names = nameWidth(block);
    text(x + names, y_, kSheetText, block.title, true);
    for (std::size_t i = 0; i < block.names.size(); ++i) {
      text(x, y_ + 16.0 + kSheetCell * static_cast<double>(i), kSheetText,
           shortened(block.names[i]));
    }
    const double left = x + names, top = y_ + 5.0;
    forbidden(left, top, block);
    lines(left, top, block);
    if (block.given || answers_) numbers(left, top, block);
    return names + gridWidth(block);
  }

  void forbidden(double x, double y, const Block& block) {
    cairo_set_source_rgb(cairo_, 0.82, 0.82, 0.82);
    eachCell(block, [&](Index row, Index col) {
      if (allowed(block, row, col)) return;
      cairo_rectangle(cairo_, x + block.cell * static_cast<double>(col),
                      y + kSheetCell * static_cast<double>(row), block.cell, kSheetCell);
      cairo_fill(cairo_);
    });
  }

  void lines(double x, double y, const Block& block) {
    const double width = gridWidth(block);
    const double height = kSheetCell * static_cast<double>(block.rows);
    cairo_set_source_rgb(cairo_, 0.55, 0.55, 0.55);
    const auto line = [&](double x0, double y0, double x1, double y1, bool strong) {
      cairo_set_line_width(cairo_, strong ? 1.4 : 0.5);
      cairo_move_to(cairo_, x0, y0);
      cairo_line_to(cairo_, x1, y1);
      cairo_stroke(cairo_);
    };
    for (Index col = 0; col <= block.cols; ++col) {
      const double at = x + block.cell * static_cast<double>(col);
      const bool seam = block.seams > 0 && col % block.seams == 0;
      line(at, y, at, y + height, col == 0 || col == block.cols || seam);
    }
    for (Index r = 0; r <= block.rows; ++r) {
      const double at = y + kSheetCell * static_cast<double>(r);
      line(x, at, x + width, at, r == 0 || r == block.rows);
    }
  }

  void numbers(double x, double y, const Block& block) {
    eachCell(block, [&](Index row, Index col) {
      if (!allowed(block, row, col)) return;
      const std::string number = digits(block.value(row, col), block.decimals);
      text(x + block.cell * (static_cast<double>(col) + 0.5) - widthOf(number, kSheetNumber) * 0.5,
           y + kSheetCell * (static_cast<double>(row) + 0.5) + 3.0, kSheetNumber, number);
    });
  }

  template <typename Visit>
  static void eachCell(const Block& block, const Visit& visit) {
    for (Index row = 0; row < block.rows; ++row) {
      for (Index col = 0; col < block.cols; ++col) visit(row, col);
    }
  }
  static bool allowed(const Block& block, Index row, Index col) {
    return block.mask == nullptr || allowedKeys(*block.mask, 0, row, block.cols)(col);
  }

  cairo_t* cairo_;
  bool answers_;
  std::string title_, note_;
  double y_ = 0.0;
};

/// √d_k as it is written: "2", or "√3".
std::string rootInWords(const AttentionConfig& config) {
  const double root = config.rootDk();
  return root == std::round(root) ? fmt::format("{:g}", root) : fmt::format("√{}", config.dK());
}

/// How many decimals the scores have after the division.
int scoreDecimals(const AttentionConfig& config) {
  const double root = config.rootDk();
  return root == 1.0 ? 0 : root == 2.0 ? 1 : 2;
}

/// e^x for all scores that can occur.
void exponentials(Sheet& sheet, const AttentionConfig& config) {
  constexpr int kLargestScore = 8;
  sheet.line(tr("e^x for the softmax:"), true);
  std::vector<std::string> powers;
  for (int score = -kLargestScore; score <= kLargestScore; ++score) {
    const double x = score / config.rootDk();
    const int decimals = x == std::round(x) ? 0 : scoreDecimals(config);
    powers.push_back(fmt::format("e^({}) = {:.3g}", digits(x, decimals), std::exp(x)));
  }
  sheet.columns(powers);
}

/// The matrices of a trace as blocks.
class Blocks {
 public:
  explicit Blocks(const Trace& trace) : trace_(trace) {}

  /// A weight matrix as a product takes it: a row for each feature of X.
  static Block weights(const std::string& title, const Tensor& w) {
    const auto value = [w](Index row, Index col) { return w.data()[col * w.dim(1) + row]; };
    return {title, w.dim(1), w.dim(0), value, true};
  }
  Block tensor(const std::string& title, TensorId id, Index head, int decimals, double cell) const {
    const Shape shape = shapeOf(id, trace_.config());
    const Index of = info(id).perHead ? head : -1;
    const auto value = [&trace = trace_, id, of](Index row, Index col) {
      return trace.value({id, 0, of, row, col});
    };
    return {title, shape[shape.size() - 2], shape.back(), value, false, decimals, cell};
  }
  Block projection(const std::string& title, TensorId id) const {
    Block block = tensor(title, id, -1, 0, 18.0);
    block.seams = trace_.config().dK();
    return block;
  }
  /// Scores or shares: cells that the mask forbids are grey.
  Block pairs(const std::string& title, TensorId id, Index head, int decimals, double cell) const {
    Block block = tensor(title, id, head, decimals, cell);
    block.mask = &trace_.config().mask;
    return block;
  }

 private:
  const Trace& trace_;
};

void introduction(Sheet& sheet, const AttentionConfig& c) {
  sheet.line(
      trFormat("{} tokens, d_model = {}, {} of width {}, so √d_k = {}. Q = X W^Q, K = X "
               "W^K, V = X W^V, without biases.",
               withThousands(c.seqLen), c.dModel,
               counted(c.numHeads, tr("{} head"), tr("{} heads")), c.dK(), rootInWords(c)));
  if (c.numHeads > 1) {
    sheet.line(
        tr("The columns of Q, K and V between two strong lines belong to one head, from the "
           "left: head 1, head 2 …"));
  }
  if (!c.mask.none()) sheet.line(tr("Grey cells are masked: their score is −∞ and their share 0."));
  sheet.line(tr("Write shares and what follows with two decimals."));
  sheet.gap();
}

void drawSheet(cairo_t* cairo, const Trace& trace, std::uint64_t seed, bool answers) {
  const Document& document = trace.document();
  const AttentionConfig& c = trace.config();
  Sheet sheet(
      cairo, answers,
      answers ? tr("Multi-head attention by hand: answers") : tr("Multi-head attention by hand"),
      answers ? trFormat("sheet {}", seed) : trFormat("sheet {}   name:", seed));
  introduction(sheet, c);
  const Blocks blocks(trace);
  Block x = blocks.tensor("X", TensorId::x, -1, 0, 18.0);
  x.given = true;
  x.names = document.input->tokens.front();
  sheet.blocks({x});
  sheet.blocks(
      {Blocks::weights("W^Q", document.weights.wQ), Blocks::weights("W^K", document.weights.wK),
       Blocks::weights("W^V", document.weights.wV), Blocks::weights("W^O", document.weights.wO)});
  sheet.blocks({blocks.projection("Q", TensorId::qProj), blocks.projection("K", TensorId::kProj),
                blocks.projection("V", TensorId::vProj)});
  for (Index head = 0; head < c.numHeads; ++head) {
    const Index n = head + 1;
    sheet.blocks(
        {blocks.pairs(fmt::format("S{0} = Q{0} K{0}ᵀ", n), TensorId::rawScores, head, 0, 30.0),
         blocks.pairs(fmt::format("S{} ÷ {}", n, rootInWords(c)), TensorId::scores, head,
                      scoreDecimals(c), 30.0),
         blocks.pairs(fmt::format("A{} = softmax", n), TensorId::weights, head, 2, 36.0),
         blocks.tensor(trFormat("head {0} = A{0} V{0}", n), TensorId::heads, head, 2, 34.0)});
  }
  sheet.blocks({blocks.tensor(tr("Output = Concat(head 1, head 2 …) W^O"), TensorId::output, -1, 2,
                              c.dModel > 8 ? 40.0 : 46.0)});
  exponentials(sheet, c);
  sheet.end();
}

}  // namespace

bool drawsWorksheets() { return true; }

void writeWorksheet(const std::filesystem::path& path, std::uint64_t seed, const Document& like) {
  const TracePtr trace = runAttention(worksheetDocument(seed, like));
  std::string file;
  const std::unique_ptr<cairo_surface_t, CairoRelease> surface(
      cairo_pdf_surface_create_for_stream(appendBytes, &file, kPageWidth, kPageHeight));
  const std::unique_ptr<cairo_t, CairoRelease> cairo(cairo_create(surface.get()));
  for (const bool answers : {false, true}) drawSheet(cairo.get(), *trace, seed, answers);
  cairo_surface_finish(surface.get());
  if (const auto status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS) {
    throw UserError(fmt::format("{}: {}", path.string(), cairo_status_to_string(status)));
  }
  writeAtomically(path, [&](std::ostream& out) { out << file; });
}
#else
bool drawsWorksheets() { return false; }

void writeWorksheet(const std::filesystem::path& path, std::uint64_t /*seed*/,
                    const Document& /*like*/) {
  throw UserError(trFormat("{}: this build has no cairo, which draws worksheets", path.string()));
}
#endif

}  // namespace headscope
