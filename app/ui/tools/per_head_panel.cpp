#include "app/ui/tools/per_head_panel.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/tools/per_head_picture.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

PerHeadSubject subjectOf(const Trace& trace, TensorId part) {
  const AttentionConfig& c = trace.config();
  const PerHeadNames names = perHeadNames(part, c);
  return {part,
          part == TensorId::q ? c.numHeads : c.numKvHeads,
          {trace.revision(names.input), trace.revision(names.weight), trace.revision(names.bias)},
          c.bias};
}

void measure(PerHeadMemory& memory, const Trace& trace, const PerHeadSubject& subject) {
  memory.asked = subject;
  memory.measured = nullptr;
  memory.error.clear();
  memory.task.request(
      [operands = projectionOperands(trace, subject.part)](const std::atomic<bool>& cancelled) {
        return comparePerHead(operands, {0, &cancelled});
      });
}

void takeResult(PerHeadMemory& memory) {
  auto outcome = memory.task.take();
  if (!outcome) return;
  memory.error = std::move(outcome->error);
  if (!outcome->result) return;
  memory.measured = std::make_shared<const PerHeadComparison>(std::move(*outcome->result));
  ++memory.measurements;
}

std::string differenceInWords(const PerHeadComparison& c) {
  if (c.largestDifference == 0.0) return "largest difference 0: the same, bit for bit";
  const std::string found = fmt::format("largest difference {} of values up to {}",
                                        number(c.largestDifference, 2), number(c.largestValue, 3));
  return found +
         (c.agrees() ? ": rounding, the sums are added in another order" : ": more than rounding");
}

std::string timesInWords(const PerHeadComparison& c, Index heads) {
  const std::string runs = c.runs == 1 ? "one run" : fmt::format("the best of {} runs", c.runs);
  return fmt::format("combined {} ms · {} {} ms · {}", number(c.togetherMs, 3),
                     heads == 1 ? "1 head" : fmt::format("{} heads one by one", heads),
                     number(c.perHeadMs, 3), runs);
}

/// Which projection, its figures, and measuring again.
void controls(const Panel& panel, PerHeadMemory& memory, const PerHeadSubject& subject) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ViewState& view = panel.view;
  constexpr TensorId kParts[] = {TensorId::q, TensorId::k, TensorId::v};
  const int chosen = subject.part == TensorId::k ? 1 : subject.part == TensorId::v ? 2 : 0;
  const int clicked = choices(look, "per head part", {"Q", "K", "V"}, chosen);
  if (clicked >= 0) view.part = kParts[clicked];
  ImGui::SameLine(0.0F, look.px(10));
  const bool busy = memory.measured == nullptr && memory.error.empty();
  if (pill(look, "measure again", false, !busy)) measure(memory, panel.trace, subject);
  ImGui::SameLine(0.0F, look.px(12));

  const float room = ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = fontSize(look.fonts.small) + look.px(1);
  const float y = at.y + (ImGui::GetFrameHeight() - 2 * line) * 0.5F;
  const auto write = [&](float top, ImU32 color, const std::string& text) {
    drawText(list, look.fonts.small, {at.x, top}, color, elided(look.fonts.small, text, room));
  };
  if (!memory.error.empty()) {
    write(y + line * 0.5F, t.bad, memory.error);
  } else if (memory.measured == nullptr) {
    write(y + line * 0.5F, t.textMuted, "measuring…");
  } else {
    const PerHeadComparison& c = *memory.measured;
    write(y, c.agrees() ? t.good : t.bad, differenceInWords(c));
    write(y + line, t.text, timesInWords(c, subject.heads));
  }
  ImGui::Dummy({room, ImGui::GetFrameHeight()});
  if (memory.measured) {
    tip(look,
        differenceInWords(*memory.measured) + "\n" + timesInWords(*memory.measured, subject.heads));
  }
}

}  // namespace

void perHeadPanel(const Panel& panel, PerHeadMemory& memory, Magnitudes& magnitudes) {
  const Look& look = panel.look;
  takeResult(memory);
  const PerHeadSubject subject = subjectOf(panel.trace, panel.view.part);
  if (memory.asked != subject) measure(memory, panel.trace, subject);
  controls(panel, memory, subject);
  ImGui::Dummy({1, look.px(2)});
  const PerHeadResults results{subject.part, memory.measured.get(), memory.measurements};
  perHeadPicture(panel, magnitudes, results, ImGui::GetCursorScreenPos(),
                 ImGui::GetContentRegionAvail());
}

}  // namespace headscope::ui
