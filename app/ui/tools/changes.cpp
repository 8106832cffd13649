// Changes: the current step's result before and after an edit, their difference, and the distance
// that every token's output moved.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/hover.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/computed.h"
#include "app/ui/selection.h"
#include "app/ui/tools/compared_matrices.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/analysis/trace_difference.h"
#include "core/attention/mistakes.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

/// Draws the choice of the state to compare with.
void referenceChooser(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const bool mistaken = !mistakesOn(panel.document.config).empty();
  const bool right = panel.selection.against == Against::rightWay && mistaken;
  const bool state = panel.selection.against == Against::state;
  const auto choice = [&](const char* name, bool lit, const char* about) {
    const bool clicked = pill(look, name, lit);
    tip(look, about);
    ImGui::SameLine(0.0F, look.space.tight);
    return clicked;
  };
  rowCaption(look, tr("against"));
  if (choice(tr("last edit"), !right && !state, tr("The state before the last edit"))) {
    panel.selection.against = Against::lastEdit;
  }
  if (choice(tr("start"), state && panel.reference.name == "start",
             tr("The oldest state of the history"))) {
    panel.commands.add(CompareWith{0});
  }
  if (choice(tr("another state"), state && panel.reference.name != "start",
             tr("Opens the history, where 'compare' chooses a state"))) {
    panel.selection.inspectorTab = InspectorTab::history;
  }
  if (mistaken &&
      choice(tr("the right way"), right, tr("The same without the mistakes that are on"))) {
    panel.selection.against = Against::rightWay;
  }
  ImGui::SameLine(0.0F, look.space.medium);
  const float room = ImGui::GetContentRegionAvail().x;
  if (!panel.reference.name.empty() && room > look.px(40)) {
    inlineLabel(look, look.fonts.small, look.theme.text,
                elided(look.fonts.small, panel.reference.name, room));
  }
  ImGui::NewLine();
}

/// Returns the reason why there is nothing to compare with.
std::string whyNoReference(const Reference& reference) {
  if (!reference.problem.empty()) return reference.problem;
  if (!reference.name.empty()) return "computing …";
  return tr(
      "Nothing was edited yet. Change any number, weight or setting to see its effects here.");
}

/// Returns the distance that an output moved, and its share of the former length: "0.412 (12 %)".
std::string moveInNumbers(const OutputChange& change) {
  if (change.moved == 0.0) return "0";
  const std::string moved = number(change.moved, 3);
  if (change.before == 0.0) return moved + " (from 0)";
  return fmt::format("{} ({} %)", moved, number(change.moved / change.before * 100.0, 3));
}

/// Returns the rows with the largest moves, in the order of the tokens; all rows where they fit.
std::vector<std::size_t> rowsThatFit(const std::vector<OutputChange>& changes, std::size_t fit) {
  std::vector<std::size_t> order(changes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= fit) return order;
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(fit);
  std::partial_sort(order.begin(), last, order.end(), [&](std::size_t a, std::size_t b) {
    return changes[a].moved > changes[b].moved;
  });
  order.erase(last, order.end());
  std::sort(order.begin(), order.end());
  return order;
}

/// Draws the distance that each token's output moved, as bars. Where not all fit, the largest moves
/// are shown.
void outputBars(const PanelContext& panel, const std::vector<OutputChange>& changes, Rect room) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const auto write = [&](const Rect& at, ImFont* in, ImU32 color, const std::string& text) {
    drawText(list, in, at.a, color, elided(in, text, at.width()));
  };
  if (changes.empty())
    return write(room, font, t.textMuted, tr("the outputs have different shapes"));
  const float line = fontSize(font) + look.space.small;
  const bool explained = room.height() > look.px(150);
  write(room.cutTop(fontSize(look.fonts.semibold), look.space.tight), look.fonts.semibold, t.text,
        room.width() > look.px(220) ? tr("how much each output changed") : tr("outputs moved"));
  const double most = std::ranges::max(changes, {}, &OutputChange::moved).moved;
  if (most == 0.0) {
    return write(room, font, t.textMuted, tr("nothing changed: every output is the same"));
  }
  if (explained) write(room.cutTop(line), font, t.textMuted, "‖after − before‖ (of ‖before‖)");
  const auto fit = static_cast<std::size_t>(std::max(1.0F, room.height() / line));
  const bool cut = changes.size() > fit;
  const auto rows = rowsThatFit(changes, cut ? std::max<std::size_t>(1, fit - 1) : fit);
  const auto& tokens = laneTokens(panel.trace, Lane::query, panel.selection.item);
  const AxisLabels labels{tokens, font, 0, 0, -1, std::min(look.px(76), room.width() * 0.3F)};
  float numbers = 0.0F;
  for (const std::size_t row : rows) {
    numbers = std::max(numbers, textSize(look.fonts.monoSmall, moveInNumbers(changes[row])).x);
  }
  for (const std::size_t row : rows) {
    const std::string name =
        row < tokens.size() ? std::string(shownToken(tokens[row])) : std::to_string(row);
    const auto share = static_cast<float>(changes[row].moved / most);
    drawBarLine(look, list, room.cutTop(line), labels.width(), numbers,
                {name, moveInNumbers(changes[row]), share, t.accent, t.text});
  }
  if (!cut) return;
  write(room, font, t.textMuted,
        trFormat("the {} of {} tokens that changed most", rows.size(),
                 withThousands(std::ssize(changes))));
}

class ChangesTool final : public Card {
 public:
  ChangesTool()
      : Card({kChangesTool, tr("Changes"),
              tr("what an edit changed, cell by cell and token by token"), 'C'}) {}

  ReferenceKind reference() const override { return ReferenceKind::chosen; }

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const Reference& before = panel.reference;
    referenceChooser(panel);
    if (before.trace == nullptr) {
      wrappedLabel(look.fonts.regular,
                   before.problem.empty() ? look.theme.textMuted : look.theme.bad,
                   whyNoReference(before));
      return;
    }
    Rect room = Rect::rest();
    const Rect bars = room.cutRight(std::clamp(room.width() * 0.25F, look.px(150), look.px(300)),
                                    look.space.wide);
    const ComparedPasses passes{{panel.trace, 0, "after"}, {*before.trace, before.salt, "before"}};
    comparedMatrices(panel, passes,
                     resultOf(panel.selection.step, panel.trace.config(), panel.view), room);
    const Fingerprint key("moved", panel.trace.pass(), before.trace->pass(), before.salt,
                          panel.selection.item);
    const auto* moved = panel.computations.computeNow<std::vector<OutputChange>>(
        tr("moved outputs"), key,
        [&] { return outputChanges(*before.trace, panel.trace, panel.selection.item); });
    if (moved != nullptr) outputBars(panel, *moved, bars);
  }
};

}  // namespace

std::unique_ptr<Card> makeChangesTool() { return std::make_unique<ChangesTool>(); }

}  // namespace headscope::ui
