#include "app/ui/tools/mistakes_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/mistakes.h"

namespace headscope::ui {
namespace {

/// Where it shows first.
TensorId shownBy(Mistake mistake) {
  return mistake == Mistake::reshapeWithoutTranspose ? TensorId::q : TensorId::weights;
}

/// The switches; a click on a title shows what that one does without making it.
void switches(const Panel& panel, float width) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  for (const MistakeText& text : allMistakes()) {
    ImGui::PushID(text.id.data());
    bool on = isOn(panel.document.config, text.mistake);
    const bool chosen = panel.view.mistake == text.mistake;
    const float height = ImGui::GetFrameHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (chosen) {
      ImGui::GetWindowDrawList()->AddRectFilled(
          {at.x - look.px(6), at.y}, {at.x + width, at.y + height}, t.accentSoft, look.px(5));
    }
    if (toggle(look, "##on", &on)) {
      panel.edits.push(SetMistake{text.mistake, on});
      panel.view.mistake = text.mistake;
    }
    tip(look, on ? "On: switch it off" : "Make this mistake");
    ImGui::SameLine(0.0F, look.px(8));
    const float room = at.x + width - ImGui::GetCursorScreenPos().x;
    const ImVec2 place = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton("title", {std::max(room, 1.0F), height})) {
      panel.view.mistake = text.mistake;
    }
    richTip(look, std::string(text.why));
    drawRichText(ImGui::GetWindowDrawList(), look.fonts, look.fonts.regular,
                 {place.x, place.y + (height - fontSize(look.fonts.regular)) * 0.5F},
                 on       ? t.bad
                 : chosen ? t.accentText
                          : t.text,
                 elided(look.fonts.regular, text.title, room));
    ImGui::PopID();
  }
}

/// What is done, what is right, and why; in a low card one line of it, the rest as its tooltip.
void words(const Panel& panel, const MistakeText& text, bool on, bool all) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const auto sentence = [&](ImU32 color, const std::string& what) {
    richParagraph(look.fonts, look.fonts.small, color, what, ImGui::GetContentRegionAvail().x);
  };
  const std::string why = fmt::format("Why: {}.", text.why);
  if (!all) {
    sentence(t.text, elided(look.fonts.small, why, ImGui::GetContentRegionAvail().x));
    richTip(look, fmt::format("Wrong: {}.\nRight: {}.\n{}", text.wrong, text.right, why));
    return;
  }
  sentence(on ? t.bad : t.text, fmt::format("{}: {}.", on ? "Wrong, and on" : "Wrong", text.wrong));
  sentence(t.good, fmt::format("Right: {}.", text.right));
  sentence(t.text, why);
}

void measure(MistakesMemory& memory, const Trace& wrong, const Trace& right,
             std::array<std::uint64_t, 3> passes) {
  if (auto outcome = memory.task.take()) {
    memory.figures = outcome->result;
    memory.error = std::move(outcome->error);
  }
  if (memory.asked == passes) return;
  memory.asked = passes;
  memory.figures.reset();
  memory.error.clear();
  memory.task.request(
      [wrong, right](const std::atomic<bool>& cancelled) -> std::optional<MistakeFigures> {
        const auto largest = [&](TensorId tensor) {
          return tensorDifference(right, wrong, tensor, &cancelled).largest;
        };
        return MistakeFigures{largest(TensorId::weights), largest(TensorId::output)};
      });
}

/// Why a mistake makes no difference here; empty where it makes one.
std::string whyTheSame(const AttentionConfig& c, Mistake mistake) {
  if (mistake == Mistake::zeroForMasked && c.mask.none()) {
    return "Nothing is masked here, so it makes no difference yet.";
  }
  if (mistake == Mistake::sharedHead && c.numHeads == 1) {
    return "There is one head only, so it makes no difference.";
  }
  return "It makes no difference here.";
}

void figures(const Panel& panel, const MistakesMemory& memory) {
  const Look& look = panel.look;
  if (!memory.figures) {
    label(look.fonts.small, memory.error.empty() ? look.theme.textMuted : look.theme.bad,
          memory.error.empty() ? "measuring …" : memory.error);
    return;
  }
  const auto [weights, output] = *memory.figures;
  if (weights == 0.0F && output == 0.0F) {
    label(look.fonts.small, look.theme.textMuted,
          whyTheSame(panel.trace.config(), panel.view.mistake));
    if (panel.view.mistake == Mistake::zeroForMasked && panel.document.config.mask.none()) {
      ImGui::SameLine(0.0F, look.px(8));
      if (pill(look, "switch causal on")) {
        Mask mask = panel.document.config.mask;
        mask.causal = true;
        panel.edits.push(SetMask{std::move(mask)});
      }
    }
    return;
  }
  label(look.fonts.small, look.theme.text,
        fmt::format("largest difference over all heads: weights {} · output {}", number(weights, 3),
                    number(output, 3)));
}

}  // namespace

void mistakesPanel(const Panel& panel, MistakesMemory& memory) {
  const Look& look = panel.look;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float left = std::clamp(room.x * 0.34F, look.px(170), look.px(264));
  beginPart("mistakes", {left, room.y});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(8), look.px(3)));
  switches(panel, left - look.px(8));
  ImGui::PopStyleVar();
  ImGui::EndChild();

  ImGui::SetCursorScreenPos({top.x + left + look.px(16), top.y});
  beginPart("beside the right way", {room.x - left - look.px(16), room.y},
            ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const MistakeText& text = textOf(panel.view.mistake);
  const Reference& reference = panel.reference;
  const bool on = isOn(panel.trace.config(), panel.view.mistake);
  words(panel, text, on, room.y > look.px(230));
  // of other sizes it is that of a document before
  const bool there = reference.trace != nullptr &&
                     comparable(panel.trace, *reference.trace, TensorId::weights) &&
                     comparable(panel.trace, *reference.trace, TensorId::output);
  if (!there) {
    label(look.fonts.small, reference.problem.empty() ? look.theme.textMuted : look.theme.bad,
          reference.problem.empty() ? "computing …" : reference.problem);
  } else if (isOn(reference.trace->config(), panel.view.mistake) != on) {
    const ComparedPass now{panel.trace, 0, on ? "wrong" : "right"};
    const ComparedPass other{*reference.trace, reference.salt, on ? "right" : "wrong"};
    const ComparedPasses passes{on ? now : other, on ? other : now};
    measure(memory, passes.first.trace, passes.second.trace,
            {panel.trace.pass(), reference.trace->pass(), reference.salt});
    figures(panel, memory);
    ImGui::Dummy({1, look.px(3)});
    const StageItem item = resultOf(shownBy(panel.view.mistake), panel.trace.config(), panel.view);
    comparedMatrices(panel, memory.matrices, passes, item, ImGui::GetCursorScreenPos(),
                     ImGui::GetContentRegionAvail());
  }
  ImGui::EndChild();
}

}  // namespace headscope::ui
