#include "app/ui/tools/mask_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/number_field.h"
#include "app/ui/tools/mask_stroke.h"
#include "app/ui/tools/mask_words.h"
#include "app/ui/tools/tool_row.h"
#include "app/ui/widgets.h"
#include "core/ledger.h"

namespace headscope::ui {
namespace {

constexpr const char* kTurn = "turn the rules into paint";
constexpr float kMatrixShare = 0.52F;  // of the panel's width, at most

/// A whole new mask: painted, the rules off, so that every pair can be changed. Padding that
/// differs between items stays.
void start(const Panel& panel, PaintedMask paint, const std::string& name) {
  const Mask& now = panel.document.config.mask;
  Mask rest;
  rest.lengths = now.lengths;
  Mask next = withPaint(std::move(rest), std::move(paint));
  if (next != now) panel.edits.push(SetMask{std::move(next), "mask: " + name});
}

void documents(const Panel& panel) {
  const Document& d = panel.document;
  const auto item = static_cast<std::size_t>(itemOf(panel));
  const auto ends = [item](const std::vector<std::vector<std::string>>& tokens) {
    return item < tokens.size() ? sentenceEnds(tokens[item]) : std::vector<Index>{};
  };
  start(panel,
        documentPattern(d.config.seqLen, d.config.keys(), ends(d.input->tokens),
                        ends(d.input->keyTokens())),
        "documents");
}

void startingPoints(const Panel& panel, MaskPainterMemory& memory) {
  const Look& look = panel.look;
  const AttentionConfig& c = panel.document.config;
  const Index t = c.seqLen;
  const Index m = c.keys();
  const Index n = memory.size;
  rowCaption(look, "start from");
  if (flowingPill(look, "all allowed",
                  "No rule, no padding, no paint: every query sees every key") &&
      !c.mask.none()) {
    panel.edits.push(SetMask{Mask{}, "mask: all allowed"});
  }
  if (flowingPill(look, "causal",
                  "Each query sees the keys up to its own position, as in a decoder")) {
    start(panel, causalPattern(t, m), "causal");
  }
  if (flowingPill(look, fmt::format("window {}###window", n), "Keys less than n positions away")) {
    start(panel, windowPattern(t, m, n), fmt::format("window {}", n));
  }
  if (flowingPill(look, fmt::format("prefix {}###prefix", n),
                  "All see the first n keys, the rest causally: a prefix language model")) {
    start(panel, prefixPattern(t, m, n), fmt::format("prefix {}", n));
  }
  if (flowingPill(look, fmt::format("padding {}###padding", n), "Only the first n keys count")) {
    start(panel, paddingPattern(t, m, n), fmt::format("padding {}", n));
  }
  if (flowingPill(
          look, "documents",
          "Several documents in one sequence: tokens see only their own. They end after . ! ?")) {
    documents(panel);
  }
  flowOn(look, look.px(100));
  rowCaption(look, "n");
  const Index most = std::max(t, m);
  const auto size = wholeNumberField(
      look, {"n", n, most, fmt::format("give 1 to {}", most)}, memory.sizeDraft, [&](Index value) {
        return value >= 1 && value <= most ? std::string()
                                           : fmt::format("n is {}: give 1 to {}", value, most);
      });
  if (size) memory.size = *size;
  problemBelow(look, memory.sizeDraft);
}

void paintTools(const Panel& panel, MaskPainterMemory& memory) {
  const Look& look = panel.look;
  const AttentionConfig& c = panel.document.config;
  const Mask& mask = c.mask;
  rowCaption(look, "brush");
  const int chosen =
      choices(look, "brush", {"pairs", "rows", "columns"}, static_cast<int>(memory.brush));
  if (chosen >= 0) memory.brush = static_cast<Brush>(chosen);
  if (flowingPill(look, "invert",
                  "What was allowed is forbidden, and the other way round; padding stays")) {
    Mask rules = mask;
    rules.lengths.clear();
    start(panel, inverted(asPaint(rules, 0, c.seqLen, c.keys())), "inverted");
  }
  if (flowingPill(look, "clear paint", "The rules alone are left", mask.painted != nullptr)) {
    Mask next = mask;
    next.painted = nullptr;
    panel.edits.push(SetMask{std::move(next), "mask paint cleared"});
  }
  const bool rules =
      mask.causal || mask.window > 0 || (!mask.lengths.empty() && !lengthsDiffer(mask));
  if (flowingPill(
          look, kTurn,
          "Causal, window and padding become painted pairs, and their switches go off: "
          "then every pair can be changed. Padding that differs between items stays a rule.",
          rules)) {
    panel.edits.push(SetMask{rulesAsPaint(mask, c.seqLen, c.keys()), "mask rules into paint"});
  }
}

/// A hatched square in a rule's tint, and its name.
void legendEntry(const Look& look, MaskRule rule, const std::string& name) {
  const Theme& t = look.theme;
  const float side = look.px(12);
  flowOn(look, side + look.px(5) + textSize(look.fonts.small, name).x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = look.px(17);
  const ImVec2 a(at.x, at.y + (line - side) * 0.5F);
  const ImVec2 b(a.x + side, a.y + side);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(a, b, t.maskedFill);
  list->AddLine({a.x, a.y + side * 0.5F}, {a.x + side * 0.5F, a.y}, t.hatch);
  list->AddLine({a.x, b.y}, {b.x, a.y}, t.hatch);
  list->AddLine({a.x + side * 0.5F, b.y}, {b.x, a.y + side * 0.5F}, t.hatch);
  list->AddRectFilled(a, b, ruleTint(t, rule));
  drawText(list, look.fonts.small, {b.x + look.px(5), at.y + look.px(1)}, t.text, name);
  ImGui::Dummy({side + look.px(5) + textSize(look.fonts.small, name).x + look.px(6), line});
}

void legend(const Panel& panel, const ShownMask& shown) {
  const Look& look = panel.look;
  const Mask& mask = shown.mask();
  label(look.fonts.small, look.theme.textMuted,
        fmt::format("{} of {} pairs allowed", withThousands(shown.allowedPairs()),
                    withThousands(shown.queries() * shown.keys())));
  if (mask.causal) legendEntry(look, MaskRule::causal, "causal");
  if (mask.window > 0) {
    legendEntry(look, MaskRule::window, fmt::format("window {}", mask.window));
  }
  if (!mask.lengths.empty()) legendEntry(look, MaskRule::padding, "padding");
  if (mask.painted != nullptr) legendEntry(look, MaskRule::painted, "painted");
}

/// The pair looked at, what a rule keeps from being painted, and queries without a key.
void words(const Panel& panel, const MaskPainterMemory& memory, std::optional<Pair> lit) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const Document& d = panel.document;
  const Index item = itemOf(panel);
  if (const auto& pair = lit ? lit : memory.cursor) {
    sentence(look, t.text, pairSentence(d, item, pair->query, pair->key));
  }
  if (memory.refused) {
    const auto [query, key] = *memory.refused;
    const std::string rules = rulesInTheWay(d, item, query, key);
    if (!rules.empty()) {
      sentence(look, t.bad,
               fmt::format("{} forbid{} {} → {} anyway: {}", rules,
                           rules.find(" and ") == std::string::npos ? "s" : "",
                           queryName(d, item, query), keyName(d, item, key),
                           lengthsDiffer(d.config.mask) && rules == "padding"
                               ? "padding that differs between items cannot be painted over"
                               : fmt::format("'{}' lets you change it", kTurn)));
    }
  }
  const std::string masked = fullyMaskedSentence(d, item, memory.shown.fullyMasked());
  if (!masked.empty()) sentence(look, t.bad, masked);
  sentence(look, t.textMuted,
           memory.cursor ? "drag to paint, with shift a rectangle · arrows move, x changes the "
                           "pair, Esc puts the cursor away"
                         : "drag to paint, with shift a rectangle · Enter, while no cell is "
                           "chosen, for a cursor to paint by keyboard");
}

/// The pair under the mouse, lit in the stage as well.
std::optional<Pair> pairUnderMouse(const Panel& panel, const MaskPlace& place) {
  if (!ImGui::IsItemHovered()) return std::nullopt;
  const PairBlock block = place.pairsAt(ImGui::GetIO().MousePos);
  const Pair pair{block.row0, block.col0};
  const CellRef cell = cellOf(panel.view, itemOf(panel), pair);
  if (exists(cell, panel.trace.config())) {
    panel.view.hovered = Hover{cell, Lane::query, Lane::key, pair.query, pair.key};
  }
  return pair;
}

std::optional<Pair> matrix(const Panel& panel, MaskPainterMemory& memory, const MaskPlace& place) {
  ImGui::SetCursorScreenPos(place.a);
  pictureArea("pairs", {place.b.x - place.a.x, place.b.y - place.a.y});
  const std::optional<Pair> lit = pairUnderMouse(panel, place);
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsItemActive()) {
    memory.stroke.reset();
  } else if (!memory.stroke || io.MouseDelta.x != 0.0F || io.MouseDelta.y != 0.0F) {
    strokeTo(panel, memory, place, io.MousePos, io.KeyShift);
  }
  drawMask(panel, memory.shown, place, lit, memory.cursor);
  return lit;
}

}  // namespace

void maskPainter(const Panel& panel, MaskPainterMemory& memory) {
  const AttentionConfig& c = panel.document.config;
  memory.shown.update(panel.document, itemOf(panel));
  const auto gone = [&](const std::optional<Pair>& pair) {
    return pair && (pair->query >= c.seqLen || pair->key >= c.keys());
  };
  if (gone(memory.cursor)) memory.cursor.reset();
  if (gone(memory.refused)) memory.refused.reset();

  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const MaskLayout layout = layoutMask(panel, memory.shown, at, {room.x * kMatrixShare, room.y});
  const auto lit = matrix(panel, memory, layout.place);

  const float left = layout.width + panel.look.px(10);
  ImGui::SetCursorScreenPos({at.x + left, at.y});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, panel.look.theme.panel);
  if (beginPart("mask tools", {room.x - left, room.y})) {
    startingPoints(panel, memory);
    paintTools(panel, memory);
    legend(panel, memory.shown);
    words(panel, memory, lit);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

}  // namespace headscope::ui
