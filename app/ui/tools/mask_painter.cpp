// Mask painter: the user paints allowed and forbidden pairs on the (T, M) mask by mouse or
// keyboard, from common masks as starting points. The card names the rule that forbids a pair and
// the result for queries without a key. A pair is a cell of the mask: its row is the query, its
// column the key.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/tools/mask_picture.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/mask.h"

namespace headscope::ui {
namespace {

constexpr const char* kRulesIntoPaint = trLater("turn the rules into painted pairs");
constexpr float kMatrixShare = 0.52F;  // the largest share of the card's width

/// The extent of a stroke: the pairs under the mouse, their rows or their columns.
enum class Brush { pairs, rows, columns };

/// A drag over the matrix, from button down to button up.
struct MaskStroke {
  bool allow = false;      // whether it allows pairs: the opposite of its first pair
  bool rectangle = false;  // whether it fills the rectangle from the first pair to the mouse
  CellBlock first;
  ImVec2 last;                               // the mouse in the last frame
  std::shared_ptr<const PaintedMask> under;  // the painted mask at its start
};

/// Returns the shown batch item, limited to those of the document.
Index paintedItem(const PanelContext& panel) {
  return std::clamp<Index>(panel.selection.item, 0, panel.document.config.batch - 1);
}

/// Returns the cell of a pair in the scores that the current step shows; in other steps, in the
/// weights.
CellRef scoreOf(const PanelContext& panel, const MatrixCell& pair) {
  const StepId step = panel.selection.step;
  const TensorId tensor = step == StepId::score   ? TensorId::rawScores
                          : step == StepId::scale ? TensorId::scores
                          : step == StepId::mask  ? TensorId::maskedScores
                                                  : TensorId::weights;
  return {tensor, paintedItem(panel), panel.selection.head, pair.row, pair.col};
}

/// Returns the pair of the chosen cell, where it is a score or a weight.
std::optional<MatrixCell> pairOfChosenCell(const PanelContext& panel) {
  const auto& cell = panel.selection.cell;
  if (!cell || !exists(*cell, panel.document.config)) return std::nullopt;
  const TensorInfo& t = info(cell->tensor);
  if (t.rows != Axis::query || t.cols != Axis::key) return std::nullopt;
  return MatrixCell{cell->row, cell->col};
}

// The painted mask.

PaintedMask paintOf(const Document& document) {
  const AttentionConfig& c = document.config;
  return c.mask.painted != nullptr ? *c.mask.painted : allAllowed(c.seqLen, c.keys());
}

void pushPaint(const PanelContext& panel, PaintedMask paint, std::string name,
               const char* gesture) {
  const Mask& now = panel.document.config.mask;
  Mask next = withPaint(now, std::move(paint));
  if (next != now) panel.commands.push(SetMask{std::move(next), std::move(name)}, gesture);
}

/// Replaces the mask by a painted one and turns the rules off, so that every pair can be changed.
/// Padding that differs between items stays.
void startFrom(const PanelContext& panel, PaintedMask paint, const std::string& name) {
  const Mask& now = panel.document.config.mask;
  Mask rest;
  rest.lengths = now.lengths;
  Mask next = withPaint(std::move(rest), std::move(paint));
  if (next != now) panel.commands.push(SetMask{std::move(next), "mask: " + name});
}

PaintedMask documentsPaint(const Document& d, Index item) {
  const auto ends = [item](const std::vector<std::vector<std::string>>& tokens) {
    return item < std::ssize(tokens) ? sentenceEnds(tokens[static_cast<std::size_t>(item)])
                                     : std::vector<Index>{};
  };
  return documentPattern(d.config.seqLen, d.config.keys(), ends(d.input->tokens),
                         ends(d.input->keyTokens()));
}

bool anyAllowed(const Document& document, Index item, const CellBlock& block) {
  for (Index i = block.row; i < block.endRow(); ++i) {
    const AllowedKeys allowed = allowedKeys(document.config.mask, item, i, document.config.keys());
    for (Index j = block.col; j < block.endCol(); ++j) {
      if (allowed(j)) return true;
    }
  }
  return false;
}

/// Returns the block widened by the brush.
CellBlock brushed(const CellBlock& block, Brush brush, const AttentionConfig& c) {
  if (brush == Brush::rows) return {block.row, block.rows, 0, c.keys()};
  if (brush == Brush::columns) return {0, c.seqLen, block.col, block.cols};
  return block;
}

/// Visits points on the mouse's way, at most one cell apart.
template <typename Visit>
void pointsAlong(ImVec2 from, ImVec2 to, ImVec2 cell, Visit&& visit) {
  const ImVec2 way(to.x - from.x, to.y - from.y);
  const float cells =
      std::max(std::abs(way.x) / std::max(cell.x, 1.0F), std::abs(way.y) / std::max(cell.y, 1.0F));
  const int steps = std::max(1, static_cast<int>(std::ceil(cells)));
  for (int i = 0; i <= steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps);
    visit(ImVec2(from.x + way.x * t, from.y + way.y * t));
  }
}

/// Draws a hatched square in a rule's tint, and its name.
void legendEntry(const FrameContext& look, MaskRule rule, const std::string& name) {
  const Theme& t = look.theme;
  const Spacing& s = look.space;
  ImFont* font = look.fonts.small;
  const float side = fontSize(font);
  const float width = side + s.tight + textSize(font, name).x + s.small;
  flowOn(look, width);
  const Rect line = Rect::at(ImGui::GetCursorScreenPos(), {width, side + s.tight});
  const Rect box = line.placed({side, side}, 0.0F);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.a, box.b, t.maskedFill);
  list->AddLine({box.a.x, box.centre().y}, {box.centre().x, box.a.y}, t.hatch);
  list->AddLine({box.a.x, box.b.y}, {box.b.x, box.a.y}, t.hatch);
  list->AddLine({box.centre().x, box.b.y}, {box.b.x, box.centre().y}, t.hatch);
  list->AddRectFilled(box.a, box.b, ruleTint(t, rule));
  drawText(list, font, {box.b.x + s.tight, box.a.y}, t.text, name);
  ImGui::Dummy(line.size());
}

class MaskTool final : public Card {
 public:
  MaskTool()
      : Card({"mask", tr("Mask"), tr("which key each query may see · drag to paint"), 'M'}) {}

  void draw(const PanelContext& panel) override {
    const AttentionConfig& c = panel.document.config;
    shown_.update(panel.document, paintedItem(panel));
    for (auto* pair : {&cursor_, &refused_}) {
      if (*pair && ((*pair)->row >= c.seqLen || (*pair)->col >= c.keys())) pair->reset();
    }
    Rect room = Rect::rest();
    const MaskLayout layout =
        layoutMask(panel, shown_, Rect::at(room.a, {room.width() * kMatrixShare, room.height()}));
    const auto lit = matrix(panel, layout);

    room.cutLeft(layout.width, panel.look.space.medium);
    ImGui::SetCursorScreenPos(room.a);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, panel.look.theme.panel);
    if (beginPart("mask tools", room.size())) {
      startingPoints(panel);
      paintTools(panel);
      legend(panel.look);
      words(panel, lit ? lit : cursor_);
    }
    ImGui::EndChild();
    ImGui::PopStyleColor();
  }

  std::vector<Shortcut> shortcuts() const override {
    return {{"drag", tr("paints pairs; with shift a rectangle")},
            {"enter", tr("shows the cursor while no cell is chosen")},
            {"← ↑ ↓ →", tr("move the cursor")},
            {"alt+x", tr("allows or forbids its pair")},
            {"esc", tr("closes the brush")}};
  }

  /// Handles the keys: arrows move the cursor, Escape removes the cursor, Enter
  /// shows it where no cell is chosen.
  bool keys(const PanelContext& panel, bool inSight) override {
    if (!inSight) return false;
    const AttentionConfig& c = panel.document.config;
    cursor_ = pairOfChosenCell(panel);
    if (ImGui::GetIO().KeyShift) return false;
    if (!cursor_) {
      const bool enter = keyPressed(Key::enter, false) || keyPressed(Key::keypadEnter, false);
      if (panel.selection.cell || !enter)
        return false;  // with a chosen cell, Enter types its value
      choose(panel, {});
      return true;
    }
    if (keyPressed(Key::escape, false)) {
      cursor_.reset();
      panel.selection.cell.reset();
      return true;
    }
    const Index right = (keyPressed(Key::right) ? 1 : 0) - (keyPressed(Key::left) ? 1 : 0);
    const Index down = (keyPressed(Key::down) ? 1 : 0) - (keyPressed(Key::up) ? 1 : 0);
    if (right == 0 && down == 0) return false;
    choose(panel, {std::clamp<Index>(cursor_->row + down, 0, c.seqLen - 1),
                   std::clamp<Index>(cursor_->col + right, 0, c.keys() - 1)});
    return true;
  }

  /// Alt and X change the pair at the cursor.
  bool editKeys(const PanelContext& panel) override {
    if (!cursor_ || ImGui::GetIO().KeyShift || !altPressed(Key{'X'}, false)) return false;
    changePair(panel, *cursor_);
    return true;
  }

 private:
  /// Makes the pair the keyboard's cursor and the cell that step view and inspector show.
  void choose(const PanelContext& panel, const MatrixCell& pair) {
    cursor_ = pair;
    const CellRef cell = scoreOf(panel, pair);
    if (exists(cell, panel.trace.config())) panel.selection.cell = cell;
  }

  /// Forbids an allowed pair, allows a forbidden one.
  void changePair(const PanelContext& panel, const MatrixCell& pair) {
    const Document& d = panel.document;
    const Index item = paintedItem(panel);
    const CellBlock block{pair.row, 1, pair.col, 1};
    const bool allow = !anyAllowed(d, item, block);
    refused_ = allow ? std::optional(pair) : std::nullopt;
    PaintedMask paint = paintOf(d);
    paintBlock(paint, block, allow);
    pushPaint(panel, std::move(paint),
              queryName(d, item, pair.row) + " → " + keyName(d, item, pair.col) +
                  (allow ? " allowed" : " forbidden"),
              "");
  }

  /// Begins or continues a stroke at a point of the matrix.
  void strokeTo(const PanelContext& panel, const MatrixPlace& place, ImVec2 point, bool rectangle) {
    const AttentionConfig& c = panel.document.config;
    const CellBlock under = pairsAt(place, point);
    if (!stroke_) {
      const bool allow = !anyAllowed(panel.document, paintedItem(panel), under);
      stroke_ = MaskStroke{allow, rectangle, under, point, c.mask.painted};
      choose(panel, {under.row, under.col});
      refused_ = allow ? cursor_ : std::nullopt;
    }
    PaintedMask paint = paintOf(panel.document);
    if (stroke_->rectangle) {
      const auto& before = stroke_->under;
      const bool fits =
          before != nullptr && before->queries == c.seqLen && before->keys == c.keys();
      paint = fits ? *before : allAllowed(c.seqLen, c.keys());
      paintBlock(paint, brushed(stroke_->first.joined(under), brush_, c), stroke_->allow);
    } else {
      pointsAlong(stroke_->last, point, place.cell(), [&](ImVec2 at) {
        paintBlock(paint, brushed(pairsAt(place, at), brush_, c), stroke_->allow);
      });
    }
    stroke_->last = point;
    pushPaint(panel, std::move(paint), tr("mask painted"), "paint");
  }

  /// Returns the pair under the mouse, which is lit on the step view as well.
  std::optional<MatrixCell> matrix(const PanelContext& panel, const MaskLayout& layout) {
    const MatrixPlace& place = layout.place;
    const ImGuiIO& io = ImGui::GetIO();
    ImGui::SetCursorScreenPos(place.at.a);
    pictureArea("pairs", place.at.size());
    std::optional<MatrixCell> lit;
    if (ImGui::IsItemHovered()) {
      const CellBlock block = pairsAt(place, io.MousePos);
      lit = MatrixCell{block.row, block.col};
      const CellRef cell = scoreOf(panel, *lit);
      if (exists(cell, panel.trace.config())) {
        panel.frame.hovered = Hover{cell, Lane::query, Lane::key, lit->row, lit->col};
      }
    }
    if (!ImGui::IsItemActive()) {
      stroke_.reset();
    } else if (!stroke_ || io.MouseDelta.x != 0.0F || io.MouseDelta.y != 0.0F) {
      strokeTo(panel, place, io.MousePos, io.KeyShift);
    }
    drawMask(panel, shown_, layout, lit, cursor_);
    return lit;
  }

  void startingPoints(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    const AttentionConfig& c = panel.document.config;
    const Index t = c.seqLen;
    const Index m = c.keys();
    const Index n = size_;
    rowCaption(look, tr("start from"));
    if (flowingPill(look, tr("all allowed"),
                    tr("No rule, no padding, no paint: every query sees every key")) &&
        !c.mask.none()) {
      panel.commands.push(SetMask{Mask{}, tr("mask: all allowed")});
    }
    if (flowingPill(look, tr("causal"),
                    tr("Each query sees the keys up to its own position, as in a decoder"))) {
      startFrom(panel, causalPattern(t, m), "causal");
    }
    if (flowingPill(look, trFormat("window {}###window", n),
                    tr("Keys less than n positions away"))) {
      startFrom(panel, windowPattern(t, m, n), trFormat("window {}", n));
    }
    if (flowingPill(look, trFormat("prefix {}###prefix", n),
                    tr("All see the first n keys, the rest causally: a prefix language model"))) {
      startFrom(panel, prefixPattern(t, m, n), trFormat("prefix {}", n));
    }
    if (flowingPill(look, trFormat("padding {}###padding", n), tr("Only the first n keys count"))) {
      startFrom(panel, paddingPattern(t, m, n), trFormat("padding {}", n));
    }
    if (flowingPill(
            look, tr("documents"),
            tr("Several documents in one sequence: tokens see only their own. They end after "
               ". ! ?"))) {
      startFrom(panel, documentsPaint(panel.document, paintedItem(panel)), "documents");
    }
    flowOn(look, look.px(100));
    rowCaption(look, "n");
    const Index most = std::max(t, m);
    const auto refuse = [&](Index value) {
      return value >= 1 && value <= most ? std::string()
                                         : trFormat("n is {}: give 1 to {}", value, most);
    };
    const auto size =
        wholeNumberField(look, {"n", n, most, trFormat("give 1 to {}", most)}, sizeDraft_, refuse);
    if (size) size_ = *size;
    problemBelow(look, sizeDraft_);
  }

  void paintTools(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    const AttentionConfig& c = panel.document.config;
    const Mask& mask = c.mask;
    rowCaption(look, tr("brush"));
    const int chosen =
        choices(look, "brush", {tr("pairs"), tr("rows"), tr("columns")}, static_cast<int>(brush_));
    if (chosen >= 0) brush_ = static_cast<Brush>(chosen);
    if (flowingPill(look, tr("invert"), tr("Swaps allowed and forbidden pairs; padding stays"))) {
      Mask rules = mask;
      rules.lengths.clear();
      startFrom(panel, inverted(asPaint(rules, 0, c.seqLen, c.keys())), "inverted");
    }
    if (flowingPill(look, tr("clear paint"), tr("Removes the paint and keeps the rules"),
                    mask.painted != nullptr)) {
      Mask next = mask;
      next.painted = nullptr;
      panel.commands.push(SetMask{std::move(next), tr("mask paint cleared")});
    }
    const bool rules =
        mask.causal || mask.window > 0 || (!mask.lengths.empty() && !lengthsDiffer(mask));
    if (flowingPill(
            look, tr(kRulesIntoPaint),
            tr("Causal, window and padding become painted pairs, and their switches go off: "
               "then every pair can be changed. Padding that differs between items stays a "
               "rule."),
            rules)) {
      panel.commands.push(
          SetMask{rulesAsPaint(mask, c.seqLen, c.keys()), tr("mask rules into paint")});
    }
  }

  void legend(const FrameContext& look) const {
    const Mask& mask = shown_.mask();
    label(look.fonts.small, look.theme.textMuted,
          trFormat("{} of {} pairs allowed", withThousands(shown_.allowedPairs()),
                   withThousands(shown_.queries() * shown_.keys())));
    if (mask.causal) legendEntry(look, MaskRule::causal, tr("causal"));
    if (mask.window > 0) {
      legendEntry(look, MaskRule::window, trFormat("window {}", mask.window));
    }
    if (!mask.lengths.empty()) legendEntry(look, MaskRule::padding, tr("padding"));
    if (mask.painted != nullptr) legendEntry(look, MaskRule::painted, tr("painted"));
  }

  /// Writes the sentences on the pair under the mouse or cursor, on a rule that prevents painting,
  /// and on queries without a key.
  void words(const PanelContext& panel, const std::optional<MatrixCell>& pair) const {
    const FrameContext& look = panel.look;
    const Theme& t = look.theme;
    const Document& d = panel.document;
    const Index item = paintedItem(panel);
    if (pair) wrappedLabel(look.fonts.small, t.text, pairSentence(d, item, pair->row, pair->col));
    const std::vector<MaskRule> rules =
        refused_ ? rulesInTheWay(d, item, refused_->row, refused_->col) : std::vector<MaskRule>();
    if (!rules.empty()) {
      const bool one = rules.size() == 1;
      const bool differs =
          lengthsDiffer(d.config.mask) && one && rules.front() == MaskRule::padding;
      wrappedLabel(
          look.fonts.small, t.bad,
          fmt::format(fmt::runtime(one ? tr("{} forbids {} → {} anyway: {}")
                                       : tr("{} forbid {} → {} anyway: {}")),
                      namesOf(rules), queryName(d, item, refused_->row),
                      keyName(d, item, refused_->col),
                      differs ? tr("padding that differs between items cannot be painted over")
                              : trFormat("'{}' lets you change it", tr(kRulesIntoPaint))));
    }
    const std::string masked = fullyMaskedSentence(d, item, shown_.fullyMasked());
    if (!masked.empty()) wrappedLabel(look.fonts.small, t.bad, masked);
    wrappedLabel(
        look.fonts.small, t.textMuted,
        cursor_ ? tr("drag to paint, with shift a rectangle · arrows move, x changes the pair, "
                     "Esc hides the cursor")
                : tr("drag to paint, with shift a rectangle · Enter, while no cell is chosen, "
                     "for a cursor to paint by keyboard"));
  }

  ShownMask shown_;
  Brush brush_ = Brush::pairs;
  Index size_ = 2;  // the size of the starting points that have one
  NumberDraft sizeDraft_;
  std::optional<MaskStroke> stroke_;
  std::optional<MatrixCell> cursor_;   // the keyboard's
  std::optional<MatrixCell> refused_;  // the pair last allowed, perhaps against a rule
};

}  // namespace

std::unique_ptr<Card> makeMaskTool() { return std::make_unique<MaskTool>(); }

}  // namespace headscope::ui
