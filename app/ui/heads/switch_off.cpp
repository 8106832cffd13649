#include "app/ui/heads/switch_off.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/head_switch.h"
#include "app/ui/heads/effect_picture.h"
#include "app/ui/rich_text.h"
#include "app/ui/number_field.h"
#include "app/ui/tools/tool_row.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kLargestGain = 2.0F;
constexpr float kLeastWords = 600.0F;  // beside the controls: the formula and what goes on a line

bool heatmapDrawn(const Panel& panel) {
  return panel.view.heads.effectDrawing == EffectDrawing::heatmap;
}

/// Typed or dragged, 0 to 2.
void gainFields(const Panel& panel, SwitchOffMemory& memory, Index head) {
  const Look& look = panel.look;
  const float gain = panel.document.config.gain(head);
  const std::string gesture = fmt::format("gain of head {}", head);
  if (memory.gainHead != head) memory.gain = {};
  memory.gainHead = head;
  rowCaption(look, "gain");
  const auto typed =
      realField(look, "gain", 50, static_cast<double>(gain), memory.gain, "give one from 0 to 2");
  tip(look, "The head is multiplied by it before the output matrix: 0 is off, 1 as it is");
  if (typed) {
    const bool fits = *typed >= 0.0 && *typed <= static_cast<double>(kLargestGain);
    memory.gain.problem =
        fits ? "" : fmt::format("gain is {:g}: it must be from 0 (off) to 2", *typed);
    if (fits) panel.edits.push(SetHeadGain{head, static_cast<float>(*typed)}, gesture);
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(look.px(100));
  float slid = gain;
  if (ImGui::SliderFloat("##gain slider", &slid, 0.0F, kLargestGain, "")) {
    memory.gain.problem.clear();
    panel.edits.push(SetHeadGain{head, slid}, gesture);
  }
}

/// One line.
void controls(const Panel& panel, SwitchOffMemory& memory, Index head) {
  const Look& look = panel.look;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string name = fmt::format("Head {}", head + 1);
  const ImVec2 size = textSize(look.fonts.semibold, name);
  const float frame = ImGui::GetFrameHeight();
  drawText(ImGui::GetWindowDrawList(), look.fonts.semibold, {at.x, at.y + (frame - size.y) * 0.5F},
           headColor(look.theme, static_cast<std::size_t>(head)), name);
  const ImVec2 toggle = headSwitchSize(look);
  ImGui::SetCursorScreenPos({at.x + size.x + look.px(8), at.y + (frame - toggle.y) * 0.5F});
  headSwitch(panel, head);
  ImGui::SetCursorScreenPos({at.x + size.x + toggle.x + look.px(20), at.y});
  gainFields(panel, memory, head);
  ImGui::SameLine(0.0F, look.px(12));
  if (pill(look, "all on", false, !panel.document.config.headGains.empty())) switchAllOn(panel);
  tip(look, "Every head at gain 1");
  ImGui::SameLine(0.0F, look.px(6));
  if (pill(look, "all but this one off", false, panel.document.config.numHeads > 1)) {
    switchOthersOff(panel, head);
  }
  tip(look, "Only the chosen head stays on; again: all on (shift+x)");
}

/// What goes without the head.
std::string lossInWords(const Panel& panel, const HeadEffects& effects, Index head) {
  if (isOff(panel.trace.config(), head)) {
    return fmt::format("Head {} is off: its term is 0 already.", head + 1);
  }
  std::string text = fmt::format("Without head {} exactly its term goes", head + 1);
  if (const auto largest = largestEffect(effects, head)) {
    text += fmt::format("; most from {}: {} % of the output's norm",
                        tokenInQuotes(panel, largest->token), number(largest->percent, 3));
  }
  return text + ".";
}

void findings(const Panel& panel, SwitchOffMemory& memory, const HeadEffects* effects, Index head,
              Index together) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  constexpr const char* kFormula = "output = Σ_h head_h · W^O_h + b_O";
  if (!memory.gain.problem.empty()) sentence(look, t.bad, memory.gain.problem);
  const ImVec2 formula = richTextSize(look.fonts, look.fonts.small, kFormula);
  const float room = ImGui::GetContentRegionAvail().x;
  drawRichText(ImGui::GetWindowDrawList(), look.fonts, look.fonts.small,
               ImGui::GetCursorScreenPos(), t.textMuted, kFormula);
  ImGui::Dummy({formula.x, fontSize(look.fonts.small) + look.px(2)});
  if (effects != nullptr) {
    const std::string loss = lossInWords(panel, *effects, head);
    const float gap = look.px(14);
    if (formula.x + gap + textSize(look.fonts.small, loss).x < room) ImGui::SameLine(0.0F, gap);
    sentence(look, isOff(panel.trace.config(), head) ? t.bad : t.text, loss);
  }
  const CheckWords check = effectCheck(panel, memory.check);
  std::string text = check.text;
  if (together > 1) {
    text += fmt::format(" · {}: {} of {} tokens", heatmapDrawn(panel) ? "cell" : "bar",
                        panel.view.heads.pooling == Pooling::mean ? "mean" : "largest", together);
  }
  sentence(look, check.bad ? t.bad : t.textMuted, text);
  const Index zeros = effects == nullptr ? 0 : outputsOfZero(*effects);
  if (zeros == 0) return;
  sentence(look, t.bad,
           fmt::format("{} of {} tokens have an output of 0: no % of it is defined.", zeros,
                       effects->tokens()));
}

}  // namespace

void effectDrawing(const Panel& panel) {
  EffectDrawing& drawing = panel.view.heads.effectDrawing;
  const int clicked =
      choices(panel.look, "effect drawing", {"bars", "heatmap"}, static_cast<int>(drawing));
  if (clicked >= 0) drawing = static_cast<EffectDrawing>(clicked);
}

void switchOffTab(const Panel& panel, SwitchOffMemory& memory, const Figures* figures,
                  FiguresMemory& measuring) {
  const Look& look = panel.look;
  // what is typed or dragged changes the newest document, which may have fewer heads
  const Index head = std::min(panel.view.head, panel.document.config.numHeads - 1);
  const HeadEffects* effects = figures == nullptr ? nullptr : &figures->effects;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const float bottom = at.y + ImGui::GetContentRegionAvail().y;
  controls(panel, memory, head);
  const float line = fontSize(look.fonts.small) + look.px(3);
  ImVec2 words(ImGui::GetItemRectMax().x + look.px(22), at.y - look.px(1));
  float below = at.y + ImGui::GetFrameHeight() + look.px(12);
  if (right - words.x < look.px(kLeastWords)) {
    words = {at.x, below - look.px(8)};
    below += 2 * line;
  }
  // what is rare has a line of its own
  if (!memory.gain.problem.empty()) below += line;
  if (effects != nullptr && outputsOfZero(*effects) > 0) below += line;
  ImGui::SetCursorScreenPos({at.x, below});
  const float bottomOfWords = below - look.px(2);
  Index together = 1;  // tokens in a bar or cell
  beginPart("picture", {right - at.x, bottom - below}, ImGuiWindowFlags_NoScrollbar);
  if (effects == nullptr) {
    noFigures(panel, measuring);
  } else {
    if (memory.seen.version != versionOf(measuring)) {
      memory.seen = {versionOf(measuring), largestPercent(*effects)};
    }
    const EffectPicture picture{*effects, memory.seen.version, memory.seen.largest};
    together = heatmapDrawn(panel) ? effectHeatmap(panel, picture) : effectBars(panel, picture);
  }
  ImGui::EndChild();

  ImGui::SetCursorScreenPos(words);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(8), look.px(2)));
  beginPart("off words", {right - words.x, bottomOfWords - words.y});
  findings(panel, memory, effects, head, together);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace headscope::ui
