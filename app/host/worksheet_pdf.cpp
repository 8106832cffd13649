#include "app/host/worksheet_pdf.h"

#include <fmt/format.h>

#include "core/base/error.h"

#ifdef HEADSCOPE_CAIRO
#include <cairo-pdf.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/host/cairo_bytes.h"
#include "core/base/files.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/presets/worksheet.h"
#endif

namespace headscope::host {

#ifdef HEADSCOPE_CAIRO
namespace {

// points
constexpr double kPageWidth = 595.0, kPageHeight = 842.0, kPageMargin = 40.0;
constexpr double kSheetCell = 16.0, kBlockGap = 18.0;
constexpr double kSheetText = 9.0, kSheetHeading = 16.0;

/// A matrix on the page.
struct Block {
  std::string title;
  Index rows = 0, cols = 0;
  std::function<float(Index row, Index col)> value;
  bool given = false;  // its numbers stand on the page to fill in, too
  int decimals = 0;
  double cell = 13.0;                   // the width of a cell
  std::vector<std::string> names = {};  // of the rows
  Index seam = 0;                       // a stronger line after so many columns; 0: none
};

/// "3", "−0.5", "0.27": without a minus where all digits are 0.
std::string digits(float value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_of("123456789") == std::string::npos && text.front() == '-') text.erase(0, 1);
  if (text.front() == '-') text.replace(0, 1, "−");
  return text;
}

class Sheet {
 public:
  Sheet(cairo_t* cairo, bool answers) : cairo_(cairo), answers_(answers) {}

  void text(double x, double y, double size, const std::string& what, bool bold = false) {
    select(size, bold);
    cairo_move_to(cairo_, x, y);
    cairo_show_text(cairo_, what.c_str());
  }
  double widthOf(double size, const std::string& what) {
    select(size, false);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, what.c_str(), &extents);
    return extents.x_advance;
  }

  /// Draws the blocks side by side from the left margin. Returns their lower end.
  double row(double y, const std::vector<Block>& blocks) {
    double x = kPageMargin, bottom = y;
    for (const Block& block : blocks) {
      double names = 0.0;
      for (const std::string& name : block.names)
        names = std::max(names, widthOf(kSheetText, name) + 5.0);
      text(x + names, y, kSheetText, block.title, true);
      grid(x + names, y + 5.0, block);
      for (std::size_t i = 0; i < block.names.size(); ++i) {
        text(x, y + 16.0 + kSheetCell * static_cast<double>(i), kSheetText, block.names[i]);
      }
      x += names + block.cell * static_cast<double>(block.cols) + kBlockGap;
      bottom = std::max(bottom, y + 5.0 + kSheetCell * static_cast<double>(block.rows));
    }
    return bottom;
  }

 private:
  void select(double size, bool bold) {
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_, size);
    cairo_set_source_rgb(cairo_, 0.0, 0.0, 0.0);
  }

  void grid(double x, double y, const Block& block) {
    const double width = block.cell * static_cast<double>(block.cols);
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
      line(at, y, at, y + height, col == 0 || col == block.cols || col == block.seam);
    }
    for (Index r = 0; r <= block.rows; ++r) {
      const double at = y + kSheetCell * static_cast<double>(r);
      line(x, at, x + width, at, r == 0 || r == block.rows);
    }
    if (!block.given && !answers_) return;
    for (Index r = 0; r < block.rows; ++r) {
      for (Index col = 0; col < block.cols; ++col) {
        const std::string number = digits(block.value(r, col), block.decimals);
        const double wide = widthOf(kSheetText, number);
        text(x + block.cell * (static_cast<double>(col) + 0.5) - wide * 0.5,
             y + kSheetCell * (static_cast<double>(r) + 0.5) + 3.2, kSheetText, number);
      }
    }
  }

  cairo_t* cairo_;
  bool answers_;
};

/// The numbers e^x that the softmax needs, for pencil and paper.
void exponentials(Sheet& sheet, double y) {
  sheet.text(kPageMargin, y, kSheetText, "e^x for the softmax:", true);
  double x = kPageMargin;
  for (int i = 0; i <= 16; ++i) {
    const double of = 0.5 * (i - 8);
    if (i % 5 == 0) x = kPageMargin, y += 13.0;
    const std::string power = digits(static_cast<float>(of), i % 2 == 0 ? 0 : 1);
    sheet.text(x, y, kSheetText, fmt::format("e^({}) = {:.3g}", power, std::exp(of)));
    x += 103.0;
  }
}

void drawPage(cairo_t* cairo, const Trace& trace, std::uint64_t seed, bool answers) {
  const Document& document = trace.document();
  const AttentionConfig& c = trace.config();
  Sheet sheet(cairo, answers);
  const auto weights = [](const std::string& title, const Tensor& w) {
    return Block{title, w.dim(1), w.dim(0),
                 [w](Index row, Index col) { return w.data()[col * w.dim(1) + row]; }, true};
  };
  const auto of = [&](const std::string& title, TensorId id, Index head, int decimals, double cell,
                      Index seam = 0) {
    const Shape shape = shapeOf(id, c);
    const bool perHead = info(id).perHead;
    return Block{title,
                 shape[shape.size() - 2],
                 shape.back(),
                 [&trace, id, head, perHead](Index row, Index col) {
                   return trace.value({id, 0, perHead ? head : -1, row, col});
                 },
                 false,
                 decimals,
                 cell,
                 {},
                 seam};
  };
  sheet.text(kPageMargin, kPageMargin + 12.0, kSheetHeading,
             answers ? "Multi-head attention by hand: answers" : "Multi-head attention by hand",
             true);
  sheet.text(kPageWidth - kPageMargin - 150.0, kPageMargin + 12.0, kSheetText,
             answers ? fmt::format("sheet {}", seed) : fmt::format("sheet {}   name:", seed));
  double y = kPageMargin + 34.0;
  sheet.text(kPageMargin, y, kSheetText,
             fmt::format("{} words, d_model = {}, {} heads of width {}, so √d_k = {:g}. Q = X W^Q, "
                         "K = X W^K, V = X W^V, without biases.",
                         c.seqLen, c.dModel, c.numHeads, c.dK(), std::sqrt(c.dK())));
  sheet.text(
      kPageMargin, y + 12.0, kSheetText,
      "The left half of Q, K and V belongs to head 1, the right half to head 2. Write shares "
      "and what follows with two decimals.");
  y += 34.0;
  Block x = of("X", TensorId::x, -1, 0, 18.0);
  x.given = true;
  x.names = document.input->tokens.front();
  y = sheet.row(y, {x}) + kBlockGap;
  y = sheet.row(y, {weights("W^Q", document.weights.wQ), weights("W^K", document.weights.wK),
                    weights("W^V", document.weights.wV), weights("W^O", document.weights.wO)}) +
      kBlockGap;
  const Index half = c.dK();
  y = sheet.row(y, {of("Q", TensorId::qProj, -1, 0, 18.0, half),
                    of("K", TensorId::kProj, -1, 0, 18.0, half),
                    of("V", TensorId::vProj, -1, 0, 18.0, half)}) +
      kBlockGap;
  for (Index head = 0; head < c.numHeads; ++head) {
    const Index n = head + 1;
    y = sheet.row(y, {of(fmt::format("S{0} = Q{0} K{0}ᵀ", n), TensorId::rawScores, head, 0, 30.0),
                      of(fmt::format("S{} ÷ 2", n), TensorId::scores, head, 1, 30.0),
                      of(fmt::format("A{} = softmax", n), TensorId::weights, head, 2, 36.0),
                      of(fmt::format("head {0} = A{0} V{0}", n), TensorId::heads, head, 2, 34.0)}) +
        kBlockGap;
  }
  y = sheet.row(y, {of("Output = Concat(head 1, head 2) W^O", TensorId::output, -1, 2, 46.0)}) +
      kBlockGap;
  exponentials(sheet, y);
  cairo_show_page(cairo);
}

}  // namespace

void writeWorksheet(const std::filesystem::path& path, std::uint64_t seed) {
  const TracePtr trace = runAttention(worksheetDocument(seed));
  std::string file;
  const std::unique_ptr<cairo_surface_t, CairoRelease> surface(
      cairo_pdf_surface_create_for_stream(appendBytes, &file, kPageWidth, kPageHeight));
  const std::unique_ptr<cairo_t, CairoRelease> cairo(cairo_create(surface.get()));
  drawPage(cairo.get(), *trace, seed, false);
  drawPage(cairo.get(), *trace, seed, true);
  cairo_surface_finish(surface.get());
  if (const auto status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS) {
    throw UserError(fmt::format("{}: {}", path.string(), cairo_status_to_string(status)));
  }
  writeAtomically(path, [&](std::ostream& out) { out << file; });
}
#else
void writeWorksheet(const std::filesystem::path& path, std::uint64_t /*seed*/) {
  throw UserError(
      fmt::format("{}: this build has no cairo, which draws worksheets", path.string()));
}
#endif

}  // namespace headscope::host
