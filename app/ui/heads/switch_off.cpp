// Switch off: switches and gains of heads, the change of each token's output without a head, and
// the check of that change against a real run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/head_switch.h"
#include "app/ui/heads/effects.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"

namespace headscope::ui {
namespace {

constexpr float kLargestGain = 2.0F;
constexpr float kLeastBars = 130.0F;   // points: the least height for a formula above the words
constexpr float kLeastWords = 600.0F;  // points: the least width for words next to the controls

struct CheckWords {
  std::string text;
  bool bad = false;
};

/// Returns the state of the check for the chosen head and item of the pass shown: "checked against
/// …", that it is running, or why it failed.
CheckWords effectCheck(const PanelContext& panel) {
  const Index item = panel.selection.item;
  const Index head = panel.selection.head;
  const auto checked = panel.computations.request<CheckedEffect>(
      "effect check", Fingerprint("effect check", panel.trace.pass(), item, head),
      Schedule::background, [&] {
        return [trace = panel.traceHeld, item, head](const std::atomic<bool>& cancelled) {
          return checkEffect(trace, item, head, ExecutionContext{.cancelled = &cancelled});
        };
      });
  if (!checked.problem.empty()) {
    return {trFormat("not checked against a real run: {}", checked.problem), true};
  }
  if (checked.current == nullptr) return {tr("being checked against a real run …"), false};
  const CheckedEffect& c = *checked.current;
  return {trFormat("checked against a run {} head {}: largest difference {} of outputs up to {}",
                   c.gain == 0.0F ? tr("without") : tr("with"), c.head + 1, nearZeroText(c.largest),
                   number(c.magnitude, 3)),
          !c.agrees()};
}

class SwitchOffTab final : public Card {
 public:
  SwitchOffTab()
      : Card({"off", tr("Switch a head off"), tr("What each token's output loses without the head"),
              0, true,
              tr("change of each token's output, in % of its norm, when one head is set to zero "
                 "before "
                 "the output matrix")}) {}
  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    // edits go to the newest document, which may have fewer heads
    const Index head = std::min(panel.selection.head, panel.document.config.numHeads - 1);
    const MeasuredHeads heads = measuredHeads(panel);
    const Figures* figures = heads.figures;
    if (panel.slide) return slide(panel, heads);
    Rect room = Rect::rest();
    const ImVec2 at = room.a;
    controls(panel, head);
    const float line = fontSize(look.fonts.small) + look.px(3);
    ImVec2 words(ImGui::GetItemRectMax().x + look.space.wide, at.y - look.space.hair);
    room.cutTop(ImGui::GetFrameHeight() + look.space.large);
    if (room.b.x - words.x < look.px(kLeastWords)) {
      words = {at.x, room.a.y - look.space.medium};
      room.cutTop(2 * line);
    }
    const HeadEffects* effects = figures == nullptr ? nullptr : &figures->effects;
    Formula formula = Formula::above;
    if (effects != nullptr && fitsNextToFormula(panel, *effects, head, room.b.x - words.x)) {
      formula = Formula::inLine;
    } else if (room.height() < look.px(kLeastBars)) {
      formula = Formula::none;
    } else {
      room.cutTop(line);
    }
    // rare messages get a line of their own
    if (!gain_.problem.empty()) room.cutTop(line);
    if (figures != nullptr && outputsOfZero(figures->effects) > 0) room.cutTop(line);

    ImGui::SetCursorScreenPos(room.a);
    Index together = 1;  // tokens per bar or cell
    beginPart("picture", room.size(), ImGuiWindowFlags_NoScrollbar);
    if (figures == nullptr) {
      noFigures(panel, heads);
    } else {
      together = heatmapDrawn(panel) ? effectHeatmap(panel, *figures) : effectBars(panel, *figures);
    }
    ImGui::EndChild();

    ImGui::SetCursorScreenPos(words);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.space.medium, look.space.thin));
    beginPart("off words", {room.b.x - words.x, room.a.y - look.space.thin - words.y});
    findings(panel, effects, {head, together, formula});
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }

  void drawControls(const PanelContext& panel) override {
    EffectDrawing& drawing = panel.headsView.effectDrawing;
    const int clicked = choices(panel.look, "effect drawing", {tr("bars"), tr("heatmap")},
                                static_cast<int>(drawing));
    if (clicked >= 0) drawing = static_cast<EffectDrawing>(clicked);
  }
  float controlsWidth() const override { return 136.0F; }

 private:
  /// Draws the bars of the chosen head alone: a slide has no controls.
  static void slide(const PanelContext& panel, const MeasuredHeads& heads) {
    if (heads.figures == nullptr) return noFigures(panel, heads);
    effectOfChosenHead(panel, *heads.figures);
  }
  static bool heatmapDrawn(const PanelContext& panel) {
    return panel.headsView.effectDrawing == EffectDrawing::heatmap;
  }

  /// Draws the field and the slider of the head's gain, 0 to 2.
  void gainFields(const PanelContext& panel, Index head) {
    const FrameContext& look = panel.look;
    const float gain = panel.document.config.gain(head);
    const std::string gesture = trFormat("gain of head {}", head);
    if (gainHead_ != head) gain_ = {};
    gainHead_ = head;
    rowCaption(look, tr("gain"));
    const auto typed = realField(look, "gain", 50, static_cast<double>(gain), gain_,
                                 tr("give a number from 0 to 2"));
    tip(look, tr("The head's output is multiplied by this gain before the output matrix: 0 is off, "
                 "1 leaves "
                 "it unchanged"));
    if (typed) {
      const bool fits = *typed >= 0.0 && *typed <= static_cast<double>(kLargestGain);
      gain_.problem = fits ? "" : trFormat("gain is {:g}: it must be from 0 (off) to 2", *typed);
      if (fits) panel.commands.push(SetHeadGain{head, static_cast<float>(*typed)}, gesture);
    }
    ImGui::SameLine();
    ImGui::SetNextItemWidth(look.px(100));
    float slid = gain;
    if (ImGui::SliderFloat("##gain slider", &slid, 0.0F, kLargestGain, "")) {
      gain_.problem.clear();
      panel.commands.push(SetHeadGain{head, slid}, gesture);
    }
  }

  /// Draws the controls on one line.
  void controls(const PanelContext& panel, Index head) {
    const FrameContext& look = panel.look;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string name = trFormat("Head {}", head + 1);
    const ImVec2 size = textSize(look.fonts.semibold, name);
    const float middle = at.y + ImGui::GetFrameHeight() * 0.5F;
    drawText(ImGui::GetWindowDrawList(), look.fonts.semibold, {at.x, middle - size.y * 0.5F},
             headColor(look.theme, static_cast<std::size_t>(head)), name);
    const ImVec2 toggle = headSwitchSize(look);
    const float x = at.x + size.x + look.space.medium;
    ImGui::SetCursorScreenPos({x, middle - toggle.y * 0.5F});
    headSwitch(panel, head);
    ImGui::SetCursorScreenPos({x + toggle.x + look.space.large, at.y});
    gainFields(panel, head);
    ImGui::SameLine(0.0F, look.space.large);
    if (pill(look, tr("all on"), false, !panel.document.config.headGains.empty()))
      switchAllOn(panel);
    tip(look, tr("Every head at gain 1"));
    ImGui::SameLine(0.0F, look.space.small);
    if (pill(look, tr("only this head on"), false, panel.document.config.numHeads > 1)) {
      switchOthersOff(panel, head);
    }
    tip(look, tr("Switches all other heads off; press again to switch all on (alt+shift+x)"));
  }

  /// Where the formula of the output stands: in line with what a head takes with it, or in a line
  /// of its own above, unless the bars need that line.
  enum class Formula { inLine, above, none };

  static bool fitsNextToFormula(const PanelContext& panel, const HeadEffects& effects, Index head,
                                float room) {
    const FrameContext& look = panel.look;
    ImFont* font = look.fonts.small;
    const float formula = richTextSize(look.fonts, font, kOutputFormula).x;
    const std::string loss = lossInWords(headsState(panel), effects, head);
    return formula + look.space.large + textSize(font, loss).x < room;
  }

  struct Findings {
    Index head;
    Index together;  // tokens per bar or cell
    Formula formula;
  };
  void findings(const PanelContext& panel, const HeadEffects* effects,
                const Findings& found) const {
    const FrameContext& look = panel.look;
    const Theme& t = look.theme;
    ImFont* font = look.fonts.small;
    const auto [head, together, formula] = found;
    if (!gain_.problem.empty()) wrappedLabel(font, t.bad, gain_.problem);
    if (formula != Formula::none) {
      richLabel(look.fonts, font, t.textMuted, kOutputFormula, look.space.thin);
    }
    if (formula == Formula::inLine) ImGui::SameLine(0.0F, look.space.large);
    if (effects != nullptr) {
      wrappedLabel(font, isOff(panel.trace.config(), head) ? t.bad : t.text,
                   lossInWords(headsState(panel), *effects, head));
    }
    CheckWords check = effectCheck(panel);
    if (together > 1) {
      const bool mean = panel.headsView.pooling == Pooling::mean;
      check.text += trFormat(" · {}: {} of {} tokens", heatmapDrawn(panel) ? "cell" : "bar",
                             mean ? tr("mean") : tr("largest"), withThousands(together));
    }
    wrappedLabel(font, check.bad ? t.bad : t.textMuted, check.text);
    const Index zeros = effects == nullptr ? 0 : outputsOfZero(*effects);
    if (zeros == 0) return;
    wrappedLabel(
        font, t.bad,
        trFormat("{} of {} tokens have an output of 0, so no percentage is defined for them.",
                 zeros, withThousands(effects->tokens())));
  }

  NumberDraft gain_;
  Index gainHead_ = -1;  // the head whose gain the field shows
};

}  // namespace

std::unique_ptr<Card> makeSwitchOffTab() { return std::make_unique<SwitchOffTab>(); }

}  // namespace headscope::ui
