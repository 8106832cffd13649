#include "app/ui/tools/compared_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/rich_text.h"
#include "app/ui/scene_commands.h"
#include "app/ui/tools/difference_source.h"
#include "app/ui/widgets.h"
#include "core/steps/step.h"
#include "core/trace.h"
#include "core/words/arithmetic.h"

namespace headscope::ui {
namespace {

constexpr float kSign = 20.0F;  // between two matrices

/// Where the three stand, and how large their cells are.
struct Places {
  std::array<ImVec2, 3> corners;
  ImVec2 cell, size;
  float labels = 0.0F;  // room of a row label
  bool bar = false;     // the difference's scale stands beside it
};

class Compared {
 public:
  Compared(const Panel& panel, const ComparedPasses& passes, const StageItem& item,
           const MatrixDifference& difference)
      : panel_(panel),
        look_(panel.look),
        passes_(passes),
        item_(item),
        ref_(item.ref),
        difference_(difference),
        list_(ImGui::GetWindowDrawList()),
        batchItem_(std::max<Index>(ref_.item, panel.view.item)) {}

  void draw(ImVec2 at, ImVec2 size) {
    const float line = fontSize(look_.fonts.small) + look_.px(4);
    const bool two = size.y > look_.px(150);
    const float text = line * (two ? 2.0F : 1.0F);
    place(at, {size.x, size.y - text - look_.px(4)});
    findCell();
    heatmaps();
    for (std::size_t i = 0; i < 3; ++i) matrix(i);
    sign(0, "−");
    sign(1, "=");
    if (places_.bar) {
      const ImVec2 a = places_.corners[2];
      colorBar(look_, scaleOf(2), {a.x + places_.size.x + look_.px(12), a.y},
               std::clamp(places_.size.y, look_.px(44), look_.px(160)));
    }
    const ImVec2 below(at.x, at.y + size.y - text);
    if (two) write(below, summary());
    write({below.x, below.y + text - line}, cell_ || !two ? cellInWords() : "");
  }

 private:
  void place(ImVec2 at, ImVec2 size) {
    const auto rows = static_cast<float>(ref_.shownRows());
    const auto cols = static_cast<float>(ref_.shownCols());
    const bool tokenRows = isTokenLane(item_.rowLane);
    const bool tokenCols = isTokenLane(item_.colLane);
    places_.bar = size.x > look_.px(900);
    labelLimit_ = look_.px(size.x > look_.px(560) ? 80 : 46);
    const auto room = [&](Lane lane) {
      return labelWidth(look_.fonts.small, laneTokens(passes_.first.trace, lane, batchItem_),
                        labelLimit_);
    };
    places_.labels = tokenRows ? room(item_.rowLane) + look_.px(12) : 0.0F;
    const float title = look_.px(22);
    const float signs = 2 * look_.px(kSign);
    const float fixed =
        3 * places_.labels + signs + (places_.bar ? colorBarWidth(look_) : 0.0F) + look_.px(4);
    const float width = std::max((size.x - fixed) / 3.0F, look_.px(8));
    const auto layout = [&](float below) {
      const float height = std::max(size.y - title - below, look_.px(8));
      ImVec2 cell(width / cols, std::min(look_.px(46), height / rows));
      // as wide as there is room for, for the numbers and the labels below
      cell.x = std::min(cell.x, tokenCols ? std::max(2.0F * cell.y, look_.px(46)) : look_.px(74));
      if (!tokenRows) cell.y = std::min(look_.px(46), height / rows);
      return cell;
    };
    places_.cell = layout(tokenCols ? look_.px(20) : 0.0F);
    if (tokenCols) {
      columnRoom_ = room(item_.colLane);
      if (columnRoom_ > places_.cell.x - 3.0F) {
        places_.cell = layout(columnRoom_ * 0.72F + look_.px(14));
      }
    }
    places_.size = {places_.cell.x * cols, places_.cell.y * rows};
    float x = at.x;
    for (ImVec2& corner : places_.corners) {
      x += places_.labels;
      corner = {x, at.y + title};
      x += places_.size.x + look_.px(kSign);
    }
  }

  ImVec2 opposite(std::size_t i) const {
    const ImVec2 a = places_.corners[i];
    return {a.x + places_.size.x, a.y + places_.size.y};
  }

  /// Under the mouse here, else under it or chosen elsewhere.
  void findCell() {
    Index row = 0;
    Index col = 0;
    for (std::size_t i = 0; i < 3 && ImGui::IsWindowHovered(); ++i) {
      if (!ImGui::IsMouseHoveringRect(places_.corners[i], opposite(i))) continue;
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      const auto at = [](float offset, float length, Index count) {
        return std::clamp<Index>(static_cast<Index>(offset / length), 0, count - 1);
      };
      row = at(mouse.y - places_.corners[i].y, places_.cell.y, ref_.shownRows());
      col = at(mouse.x - places_.corners[i].x, places_.cell.x, ref_.shownCols());
      cell_ = std::pair(row, col);
      if (ImGui::IsMouseClicked(0)) panel_.view.selected = ref_.cell(row, col);
      return;
    }
    const ViewState& view = panel_.view;
    if ((view.hovered && ref_.find(view.hovered->cell, &row, &col)) ||
        (view.selected && ref_.find(*view.selected, &row, &col))) {
      cell_ = std::pair(row, col);
    }
  }

  ColorScale scaleOf(std::size_t i) const {
    if (i < 2) return colorScale(look_, panel_.view, ref_.tensor, difference_.magnitude);
    // of whatever: about 0, on a scale of its own
    return colorScale(look_, panel_.view, TensorId::rawScores, difference_.largestFinite);
  }

  void heatmaps() {
    gl::HeatmapBatch batch;
    MatrixRef first = ref_;
    first.salt = passes_.first.salt;
    MatrixRef second = ref_;
    second.salt = passes_.second.salt;
    addMatrix(batch, look_, passes_.first.trace, first, scaleOf(0), places_.corners[0],
              opposite(0));
    addMatrix(batch, look_, passes_.second.trace, second, scaleOf(1), places_.corners[1],
              opposite(1));
    const float pixels = look_.scene.pixelsPerPoint;
    addSource(batch, look_,
              differenceSource(passes_.first.trace, passes_.second.trace, ref_,
                               (passes_.first.salt << 1U) ^ passes_.second.salt,
                               {places_.size.x * pixels, places_.size.y * pixels}),
              scaleOf(2), places_.corners[2], opposite(2));
    addHeatmaps(list_, look_.scene, std::move(batch));
  }

  float valueOf(std::size_t i, const CellRef& cell) const {
    if (i == 0) return passes_.first.trace.value(cell);
    if (i == 1) return passes_.second.trace.value(cell);
    return difference(passes_.second.trace.value(cell), passes_.first.trace.value(cell));
  }
  bool hiddenIn(std::size_t i, const CellRef& cell) const {
    const bool first = isHidden(passes_.first.trace, cell);
    const bool second = isHidden(passes_.second.trace, cell);
    return i == 0 ? first : i == 1 ? second : first && second;
  }

  void matrix(std::size_t i) {
    const ImVec2 a = places_.corners[i];
    const ImVec2 b = opposite(i);
    list_->AddRect(a, b, look_.theme.panelBorder);
    title(i, a);
    numbers(i, a);
    labels(a, b);
    if (!cell_) return;
    const ImVec2 p(a.x + static_cast<float>(cell_->second) * places_.cell.x,
                   a.y + static_cast<float>(cell_->first) * places_.cell.y);
    const ImVec2 least(std::max(places_.cell.x, look_.px(4)),
                       std::max(places_.cell.y, look_.px(4)));
    list_->AddRect(p, {p.x + least.x, p.y + least.y}, look_.theme.text, 0, 0, look_.px(2));
  }

  void title(std::size_t i, ImVec2 a) {
    const Theme& t = look_.theme;
    const ColorScale scale = scaleOf(i);
    const char* name = i == 0 ? passes_.first.name : i == 1 ? passes_.second.name : "difference";
    const float y = a.y - look_.px(7) - fontSize(look_.fonts.semibold);
    const ImVec2 nameSize = textSize(look_.fonts.semibold, name);
    drawText(list_, look_.fonts.semibold, {a.x, y}, t.text, name);
    float x = a.x + nameSize.x + look_.px(6);
    const float end = a.x + places_.size.x + look_.px(18);
    const ImVec2 symbol = richTextSize(look_.fonts, look_.fonts.semibold, item_.text);
    if (i < 2 && x + symbol.x <= end) {
      drawRichText(list_, look_.fonts, look_.fonts.semibold, {x, y}, t.accentText, item_.text);
      x += symbol.x + look_.px(6);
    }
    const std::string range = scale.allZero     ? "all 0"
                              : scale.diverging ? "±" + number(scale.high, 3)
                                                : "0 to 1";
    if (x + textSize(look_.fonts.monoSmall, range).x > end) return;
    drawText(list_, look_.fonts.monoSmall,
             {x, y + (nameSize.y - fontSize(look_.fonts.monoSmall)) * 0.6F}, t.textMuted, range);
  }

  void numbers(std::size_t i, ImVec2 a) {
    ImFont* font = look_.fonts.monoSmall;
    if (places_.cell.y < fontSize(font) + 2.0F) return;
    const ColorScale scale = scaleOf(i);
    const auto fits = [&](int digits) {
      const std::string widest = cellNumber(scale.diverging ? -scale.high : 1.0, digits);
      return textSize(font, widest).x + look_.px(3) <= places_.cell.x;
    };
    int decimals = scale.diverging ? cellDecimals(scale.high) : 2;
    if (i == 2 && scale.high < 0.1F) decimals = scale.high < 0.01F ? 4 : 3;
    if (!fits(decimals) && scale.diverging && scale.high >= 1.0F && decimals > 1) --decimals;
    if (!fits(decimals)) return;
    for (Index r = 0; r < ref_.shownRows(); ++r) {
      for (Index c = 0; c < ref_.shownCols(); ++c) {
        const CellRef cell = ref_.cell(r, c);
        const float value = valueOf(i, cell);
        const ImU32 ink =
            hiddenIn(i, cell) ? look_.theme.textMuted : legibleOn(scale.color(look_.maps, value));
        drawTextCentred(list_, font,
                        {a.x + (static_cast<float>(c) + 0.5F) * places_.cell.x,
                         a.y + (static_cast<float>(r) + 0.5F) * places_.cell.y},
                        ink, cellNumber(value, decimals));
      }
    }
  }

  void labels(ImVec2 a, ImVec2 b) {
    const Theme& t = look_.theme;
    const auto style = [&](Lane lane, bool rows) {
      const Index lit = cell_ ? (rows ? cell_->first : cell_->second) : -1;
      return LabelStyle{look_.fonts.small, t.text, lane == Lane::query ? t.queryText : t.keyText,
                        lit};
    };
    const Trace& trace = passes_.first.trace;
    if (isTokenLane(item_.rowLane)) {
      drawRowLabels(list_, laneTokens(trace, item_.rowLane, batchItem_), {a.x - look_.px(6), a.y},
                    places_.cell.y, labelLimit_, style(item_.rowLane, true));
    }
    if (isTokenLane(item_.colLane)) {
      drawColumnLabels(list_, laneTokens(trace, item_.colLane, batchItem_),
                       {a.x, b.y + look_.px(3)}, places_.cell.x, columnRoom_ * 0.72F + look_.px(10),
                       style(item_.colLane, false));
    }
  }

  void sign(std::size_t after, const char* text) {
    const ImVec2 a = opposite(after);
    drawTextCentred(list_, look_.fonts.title,
                    {a.x + look_.px(kSign * 0.45F), places_.corners[0].y + places_.size.y * 0.5F},
                    look_.theme.textMuted, text);
  }

  std::string summary() const {
    const MatrixDifference& d = difference_;
    if (d.changed == 0) return fmt::format("nothing changed: all {} cells are the same", d.cells);
    const bool scores = item_.rowLane == Lane::query && item_.colLane == Lane::key;
    return fmt::format("{} of {} cells differ, most of all {}, by {}{}", d.changed, d.cells,
                       cellName(passes_.first.trace, d.where), number(d.largest, 4),
                       scores ? " · rows: queries, columns: keys" : "");
  }

  std::string cellInWords() const {
    if (!cell_) return summary();
    const CellRef cell = ref_.cell(cell_->first, cell_->second);
    const float change = valueOf(2, cell);
    return fmt::format("{}: {} {} · {} {} · difference {}{}", cellName(passes_.first.trace, cell),
                       passes_.first.name, number(valueOf(0, cell), 6), passes_.second.name,
                       number(valueOf(1, cell), 6), change > 0.0F ? "+" : "", number(change, 4));
  }

  void write(ImVec2 at, const std::string& text) {
    const float room = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - at.x - look_.px(10);
    drawText(list_, look_.fonts.small, at, look_.theme.text, elided(look_.fonts.small, text, room));
  }

  const Panel& panel_;
  const Look& look_;
  const ComparedPasses& passes_;
  const StageItem& item_;
  const MatrixRef& ref_;
  const MatrixDifference& difference_;
  ImDrawList* list_;
  Index batchItem_;
  Places places_;
  float labelLimit_ = 0.0F;
  float columnRoom_ = 0.0F;
  std::optional<std::pair<Index, Index>> cell_;
};

StepId stepOf(TensorId tensor) { return stepGiving(tensor).id(); }

}  // namespace

StageItem resultOf(StepId step, const AttentionConfig& config, const ViewState& view) {
  // a head's own part of the projection is what it is split into
  const bool part = step == StepId::project && view.scope == StageScope::thisHead;
  std::vector<StageItem> items = stageItems(part ? StepId::split : step, config, view);
  const auto result =
      std::find_if(items.begin(), items.end(), [](const StageItem& item) { return item.result; });
  return result != items.end() ? std::move(*result) : std::move(items.back());
}

StageItem resultOf(TensorId tensor, const AttentionConfig& config, const ViewState& view) {
  ViewState of = view;
  if (tensor == TensorId::q || tensor == TensorId::k || tensor == TensorId::v) of.part = tensor;
  return resultOf(stepOf(tensor), config, of);
}

void comparedMatrices(const Panel& panel, ComparedMemory& memory, const ComparedPasses& passes,
                      const StageItem& item, ImVec2 at, ImVec2 size) {
  const MatrixRef& ref = item.ref;
  const auto& [first, second] = passes;
  if (!comparable(second.trace, first.trace, ref.tensor)) {
    const std::string shapes =
        fmt::format("{} has the shape {} {} and {} {}: cells cannot be held against each other.",
                    info(ref.tensor).name, toString(shapeOf(ref.tensor, first.trace.config())),
                    first.name, toString(shapeOf(ref.tensor, second.trace.config())), second.name);
    drawText(ImGui::GetWindowDrawList(), panel.look.fonts.regular, at, panel.look.theme.textMuted,
             elided(panel.look.fonts.regular, shapes, size.x));
    return;
  }
  const ComparedMemory::Key key{{first.trace.pass(), first.salt, second.trace.pass(), second.salt},
                                ref.tensor,
                                ref.item,
                                ref.head};
  if (!memory.difference || !(memory.key == key)) {
    memory.key = key;
    memory.difference = matrixDifference(second.trace, first.trace, ref.tensor, ref.item, ref.head);
  }
  Compared(panel, passes, item, *memory.difference).draw(at, size);
}

}  // namespace headscope::ui
