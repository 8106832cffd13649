// Common mistakes: five switches, each compared with the right way, with the difference that it
// makes and the reason why it matters.
#include "core/attention/mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/tools/compared_matrices.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/analysis/trace_difference.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// The largest differences over a whole pass.
struct MistakeFigures {
  float weights = 0.0F;
  float output = 0.0F;
};

/// Returns the first tensor that shows a mistake.
TensorId shownBy(Mistake mistake) {
  return mistake == Mistake::reshapeWithoutTranspose ? TensorId::q : TensorId::weights;
}

/// Draws the switches. A click on a title shows the effect of that mistake without making it.
void mistakeSwitches(const PanelContext& panel, float width) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  for (const MistakeText& text : allMistakes()) {
    ImGui::PushID(text.id.data());
    bool on = isOn(panel.document.config, text.mistake);
    const std::string_view whyNot = whyNoMistake(panel.document.config, text.mistake);
    const bool chosen = panel.selection.mistake == text.mistake;
    Rect row = Rect::at(ImGui::GetCursorScreenPos(), {width, ImGui::GetFrameHeight()});
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (chosen) {
      list->AddRectFilled({row.a.x - look.space.small, row.a.y}, row.b, t.accentSoft,
                          look.space.tight);
    }
    ImGui::BeginDisabled(!whyNot.empty());
    if (toggle(look, "##on", &on)) {
      panel.commands.push(SetMistake{text.mistake, on});
      panel.selection.mistake = text.mistake;
    }
    noteControl(look, text.id);
    ImGui::EndDisabled();
    tip(look, !whyNot.empty() ? std::string(whyNot)
              : on            ? tr("On: switch it off")
                              : tr("Make this mistake"));
    ImGui::SameLine(0.0F, look.space.medium);
    row.a = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton("title", {std::max(row.width(), 1.0F), row.height()})) {
      panel.selection.mistake = text.mistake;
    }
    richTip(look, std::string(tr(text.why)));
    const bool fits = richTextSize(look.fonts, look.fonts.regular, tr(text.title)).x <= row.width();
    ImFont* font = fits ? look.fonts.regular : look.fonts.small;
    const ImU32 ink = on ? t.bad : chosen ? t.accentText : t.text;
    drawRichText(list, look.fonts, font, {row.a.x, row.centre().y - fontSize(font) * 0.5F}, ink,
                 elided(font, tr(text.title), row.width()));
    ImGui::PopID();
  }
}

/// Writes the mistake, the right way and the reason. A low card shows one line, with the rest as
/// its tooltip.
void mistakeInWords(const FrameContext& look, const MistakeText& text, bool on, bool all) {
  const Theme& t = look.theme;
  const float width = ImGui::GetContentRegionAvail().x;
  const auto write = [&](ImU32 color, const std::string& what) {
    richParagraph(look.fonts, look.fonts.small, color, what, width);
  };
  const std::string why = trFormat("Why: {}.", tr(text.why));
  if (!all) {
    write(t.text, wholeParts(look.fonts.small, why, width));
    richTip(look, trFormat("Wrong: {}.\nRight: {}.\n{}", tr(text.wrong), tr(text.right), why));
    return;
  }
  write(on ? t.bad : t.text,
        fmt::format("{}: {}.", on ? tr("Wrong, and on") : tr("Wrong"), tr(text.wrong)));
  write(t.good, trFormat("Right: {}.", tr(text.right)));
  write(t.text, why);
}

/// Returns the figures over the whole passes, which take longer than a frame to compute.
Computed<MistakeFigures> measuredFigures(const PanelContext& panel) {
  const Reference& other = panel.reference;
  const Fingerprint key("mistake", panel.trace.pass(), other.trace->pass(), other.salt);
  return panel.computations.request<MistakeFigures>("mistake", key, Schedule::background, [&] {
    return [a = panel.traceHeld,
            b = other.trace](const std::atomic<bool>& cancelled) -> std::optional<MistakeFigures> {
      const auto largest = [&](TensorId tensor) {
        return tensorDifference(*a, *b, tensor, &cancelled).largest;
      };
      const MistakeFigures figures{largest(TensorId::weights), largest(TensorId::output)};
      if (cancelled) return std::nullopt;
      return figures;
    };
  });
}

/// Returns the reason why a mistake makes no difference here.
std::string whyNoDifference(const AttentionConfig& c, Mistake mistake) {
  if (mistake == Mistake::zeroForMasked && c.mask.none()) {
    return tr("Nothing is masked here, so it makes no difference.");
  }
  if (mistake == Mistake::sharedHead && c.numHeads == 1) {
    return tr("There is one head only, so it makes no difference.");
  }
  return tr("It makes no difference here.");
}

void writeFigures(const PanelContext& panel, const Computed<MistakeFigures>& figures) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImFont* font = look.fonts.small;
  if (!figures.problem.empty()) return label(font, t.bad, figures.problem);
  if (figures.current == nullptr) return label(font, t.textMuted, tr("measuring …"));
  const auto [weights, output] = *figures.current;
  if (weights != 0.0F || output != 0.0F) {
    return label(font, t.text,
                 trFormat("largest difference over all heads: weights {} · output {}",
                          number(weights, 3), number(output, 3)));
  }
  const Mistake mistake = panel.selection.mistake;
  label(font, t.textMuted, whyNoDifference(panel.trace.config(), mistake));
  Mask mask = panel.document.config.mask;
  if (mistake != Mistake::zeroForMasked || !mask.none()) return;
  ImGui::SameLine(0.0F, look.space.medium);
  if (!pill(look, tr("switch causal on"))) return;
  mask.causal = true;
  panel.commands.push(SetMask{std::move(mask)});
}

/// Draws the pass with the mistake, the pass without it, and their difference, in this order.
void comparedWithTheRightWay(const PanelContext& panel, float height) {
  const FrameContext& look = panel.look;
  const Mistake mistake = panel.selection.mistake;
  const Reference& reference = panel.reference;
  if (const std::string_view whyNot = whyNoMistake(panel.trace.config(), mistake);
      !whyNot.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.textMuted, std::string(whyNot));
  }
  const bool on = isOn(panel.trace.config(), mistake);
  mistakeInWords(look, textOf(mistake), on, height > look.px(230));
  // a pass of other sizes belongs to an earlier document
  const bool there = reference.trace != nullptr &&
                     comparable(panel.trace, *reference.trace, TensorId::weights) &&
                     comparable(panel.trace, *reference.trace, TensorId::output);
  if (!there) {
    const bool problem = !reference.problem.empty();
    label(look.fonts.small, problem ? look.theme.bad : look.theme.textMuted,
          problem ? reference.problem : tr("computing …"));
    return;
  }
  if (isOn(reference.trace->config(), mistake) == on) return;
  const AttentionConfig& without = on ? reference.trace->config() : panel.trace.config();
  const bool isRight =
      std::none_of(allMistakes().begin(), allMistakes().end(),
                   [&](const MistakeText& each) { return isOn(without, each.mistake); });
  const char* right = isRight ? tr("right") : tr("without it");  // that pass has another mistake
  const ComparedPass now{panel.trace, 0, on ? "wrong" : right};
  const ComparedPass other{*reference.trace, reference.salt, on ? right : "wrong"};
  writeFigures(panel, measuredFigures(panel));
  ImGui::Dummy({1, look.space.thin});
  comparedMatrices(panel, {on ? now : other, on ? other : now},
                   resultOf(shownBy(mistake), panel.trace.config(), panel.view), Rect::rest());
}

class MistakesTool final : public Card {
 public:
  MistakesTool()
      : Card({kMistakesTool, tr("Common mistakes"),
              tr("made on purpose, compared with the correct computation"), 'W'}) {}

  ReferenceKind reference() const override { return ReferenceKind::mistake; }

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    Rect right = Rect::rest();
    const Rect left = right.cutLeft(std::clamp(right.width() * 0.34F, look.px(170), look.px(264)),
                                    look.space.large);
    beginPart("mistakes", left.size());
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.space.medium, look.space.thin));
    mistakeSwitches(panel, left.width() - look.space.medium);
    ImGui::PopStyleVar();
    ImGui::EndChild();

    ImGui::SetCursorScreenPos(right.a);
    beginPart("compared with the correct computation", right.size(),
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    comparedWithTheRightWay(panel, right.height());
    ImGui::EndChild();
  }

  std::vector<Shortcut> shortcuts() const override { return {{"alt+1 … 5", tr("each on, off")}}; }

  /// Alt and a digit switch a mistake on or off.
  bool editKeys(const PanelContext& panel) override {
    int digit = '1';
    for (const MistakeText& text : allMistakes()) {
      if (!altPressed(static_cast<Key>(digit++), false)) continue;
      if (!whyNoMistake(panel.document.config, text.mistake).empty()) return true;
      panel.selection.mistake = text.mistake;
      panel.commands.push(SetMistake{text.mistake, !isOn(panel.document.config, text.mistake)});
      return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Card> makeMistakesTool() { return std::make_unique<MistakesTool>(); }

}  // namespace headscope::ui
