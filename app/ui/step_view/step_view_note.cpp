#include "app/ui/step_view/step_view_note.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/preferences.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/alibi.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/input/input.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

StepViewNote aboutColumns(const UsedColumns& used, const StepViewItem& input) {
  const std::string name(stepViewSymbol(input.ref.tensor));
  StepViewNote note;
  note.text = trFormat(
      "Shown: columns {} to {} of {} and the rows of W that they multiply. The other {} {}.",
      used.first, used.last(), name, used.all - used.count,
      used.rest == 0.0F
          ? std::string(tr("are 0 for every token here"))
          : trFormat("hold ±{} at most, and are still part of the product", number(used.rest, 2)));
  note.offer = trFormat("show all {}", used.all);
  note.accept = [](const PanelContext& panel) { panel.preferences.faintColumns = true; };
  return note;
}

StepViewNote aboutAllColumns() {
  StepViewNote note;
  note.text = tr("All columns of X are shown, including those that are almost 0.");
  note.offer = tr("leave them out");
  note.accept = [](const PanelContext& panel) { panel.preferences.faintColumns = false; };
  return note;
}

/// A note on S and S' on one scale: the factor by which the scores shrank.
StepViewNote aboutScale(const PanelContext& panel, const std::vector<StepViewItem>& items) {
  const auto reach = [&](TensorId tensor) {
    for (const StepViewItem& item : items) {
      if (!item.sign && item.ref.tensor == tensor) {
        return panel.magnitudes.ofPart(panel.trace, item.ref);
      }
    }
    return 0.0F;
  };
  const float before = reach(TensorId::rawScores);
  const float after = reach(TensorId::scores);
  const bool same = before == after;
  return {
      trFormat("One colour scale for both: scores of up to {} either way {}.", number(before, 3),
               same ? tr("stay as they are") : tr("become up to ") + number(after, 3)),
      {}};
}

/// Says what a bias by distance adds.
std::string aboutDistances(const PanelContext& panel) {
  const AttentionConfig& c = panel.trace.config();
  const Index buckets = c.pairBias.settings().buckets;
  const std::string head = headName(TensorId::scores, panel.selection.head, c);
  if (std::holds_alternative<TensorSource>(*panel.document.source)) {  // a layer of a model
    return trFormat(
        "Each distance adds its bias: {} numbers for {}. All layers share them; an edit changes "
        "this layer alone.",
        buckets, head);
  }
  return trFormat(
      "Each distance adds its bias to a score: {} numbers for {}, one for each bucket "
      "of distances.",
      buckets, head);
}

StepViewNote aboutNoMask(const PanelContext& panel) {
  const bool cross = panel.trace.config().crossAttention();
  StepViewNote note;
  const PairBias& bias = panel.trace.config().pairBias;
  note.text = bias.ofPairs() ? tr("Each pair of query and key adds its own bias to their score. No "
                                  "key is masked.")
              : bias.on()    ? aboutDistances(panel) + tr(" No key is masked.")
              : cross        ? tr("Nothing is masked: every query sees every key of the memory.")
                      : tr("Nothing is masked: every query sees every key, including later ones.");
  if (cross) return note;
  note.offer = tr("make it causal");
  note.accept = [](const PanelContext& of) {
    Mask mask = of.document.config.mask;
    mask.causal = true;
    of.commands.push(SetMask{std::move(mask)});
  };
  return note;
}

/// A note on the penalties of ALiBi for the head, and on a missing mask.
StepViewNote aboutAlibi(const PanelContext& panel) {
  const AttentionConfig& c = panel.trace.config();
  const Index head = panel.selection.head;
  StepViewNote note = c.mask.none() ? aboutNoMask(panel) : StepViewNote{};
  note.text = trFormat(
      "ALiBi subtracts {:.3g} from a score of {} for each position between query and key.{}",
      alibiSlope(head, c.numHeads), headName(TensorId::scores, head, c),
      c.mask.none() ? tr(" Nothing is masked.") : "");
  return note;
}

/// A note on cross-attention: the sources of queries and keys, and the head's largest weight where
/// the matrix is small.
StepViewNote aboutMemory(const PanelContext& panel) {
  constexpr Index kMostTokens = 64;
  const Trace& trace = panel.trace;
  const AttentionConfig& c = trace.config();
  StepViewNote note;
  note.text = tr("Queries come from the input; keys and values come from the memory.");
  note.aside = true;
  note.offer = "lesson";
  note.accept = [](const PanelContext& of) { of.commands.add(BeginLesson{"13_two_sentences"}); };
  if (c.seqLen > kMostTokens || c.keys() > kMostTokens) return note;
  CellRef largest{TensorId::weights, panel.selection.item, panel.selection.head, 0, 0};
  float most = trace.value(largest);
  for (CellRef cell = largest; cell.row < c.seqLen; ++cell.row) {
    for (cell.col = 0; cell.col < c.keys(); ++cell.col) {
      const float weight = trace.value(cell);
      if (weight > most) most = weight, largest = cell;
    }
  }
  const auto& queries = laneTokens(trace, Lane::query, panel.selection.item);
  const auto& keys = laneTokens(trace, Lane::key, panel.selection.item);
  if (queries.empty() || keys.empty()) return note;
  note.brief = trFormat("The largest weight here: '{}' looks at '{}' with {}.",
                        shownToken(queries[static_cast<std::size_t>(largest.row)]),
                        shownToken(keys[static_cast<std::size_t>(largest.col)]), number(most, 2));
  note.text = note.brief + " " + note.text;
  return note;
}

}  // namespace

StepViewNote stepViewNote(const PanelContext& panel, const std::vector<StepViewItem>& items,
                          const std::optional<UsedColumns>& used) {
  if (panel.frame.gradientsThere || items.empty()) return {};
  if (panel.selection.step == StepId::project) {
    if (!used) return {};
    if (panel.preferences.faintColumns) return aboutAllColumns();
    const bool leftOut = items.front().leftOutOf > 0;
    return leftOut ? aboutColumns(*used, items.front()) : StepViewNote{};
  }
  if (panel.selection.step == StepId::scale) return aboutScale(panel, items);
  if (panel.selection.step == StepId::mask && panel.trace.config().switches->alibi)
    return aboutAlibi(panel);
  if (panel.selection.step == StepId::mask && panel.trace.config().mask.none())
    return aboutNoMask(panel);
  const PairBias& bias = panel.trace.config().pairBias;
  if (panel.selection.step == StepId::mask && bias.on() && !bias.ofPairs()) {
    return {aboutDistances(panel), {}};
  }
  if (panel.selection.step == StepId::softmax && panel.trace.config().crossAttention()) {
    return aboutMemory(panel);
  }
  return {};
}

float stepViewNoteHeight(const FrameContext& look, const StepViewNote& note) {
  if (note.text.empty()) return 0.0F;
  return note.offer.empty() ? fontSize(look.fonts.small) + look.space.small
                            : ImGui::GetFrameHeight();
}

void drawStepViewNote(const PanelContext& panel, const StepViewNote& note, const Rect& at) {
  if (note.text.empty()) return;
  const FrameContext& look = panel.look;
  ImFont* font = look.fonts.small;
  const float gap = look.px(10);
  const float offer = note.offer.empty() ? 0.0F : buttonWidth(look, note.offer) + gap;
  const float room = std::max(at.width() - offer, 1.0F);
  const bool fits = note.brief.empty() || textSize(font, note.text).x <= room;
  const std::string text = wholeParts(font, fits ? note.text : note.brief, room);
  const ImVec2 size = textSize(font, text);
  const float left = at.a.x + std::max(0.0F, (at.width() - offer - size.x) * 0.5F);
  drawText(ImGui::GetWindowDrawList(), font, {left, at.centre().y - size.y * 0.5F},
           look.theme.textMuted, text);
  if (note.offer.empty()) return;
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({left + size.x + gap, at.a.y});
  if (pill(look, note.offer.c_str())) note.accept(panel);
  if (text != note.text) tip(look, note.text);
  ImGui::SetCursorScreenPos(cursor);
}

}  // namespace headscope::ui
