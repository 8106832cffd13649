#include "app/ui/status_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/mistake_badge.h"
#include "app/ui/widgets.h"
#include "core/ledger.h"
#include "core/steps/step.h"
#include "core/trace.h"

namespace headscope::ui {
namespace {

constexpr double kWorthShowing = 0.1;  // seconds a pass takes before its progress is shown

/// A summary for the trace that is drawn.
std::string figures(const Trace& trace) {
  const Ledger costs = ledger(trace.config());
  return fmt::format("recomputed {} of {} steps in {:.2f} ms · {} parameters · {}",
                     trace.stepsRun(), trace.steps.size(), trace.ms, withThousands(costs.parameters.total),
                     flopsInWords(costs.flops));
}

std::string maskedText(const std::vector<FullyMaskedRow>& rows) {
  return fmt::format("{} row{} fully masked (first: query {} of head {}): weights 0, output b_O",
                     rows.size(), rows.size() == 1 ? " is" : "s are", rows[0].row,
                     rows[0].head + 1);
}

}  // namespace

std::string inWords(const Worker::Progress& progress, const AttentionConfig& config) {
  const auto steps = stepsOf(config);
  const auto at = std::min(static_cast<std::size_t>(progress.stepsDone), steps.size() - 1);
  return fmt::format("computing {} ({} of {}), {:.1f} s", steps[at]->text(config).title, at + 1,
                     steps.size(), progress.seconds);
}

void statusBar(const Panel& panel, const Status& status, ImVec2 position, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const float y = position.y + (size.y - fontSize(font)) * 0.5F;
  const float pad = look.px(20);

  const bool slow = status.progress.busy && status.progress.seconds > kWorthShowing;
  std::string message = slow ? inWords(status.progress, panel.document.config) + "; any edit cancels it" : status.message;
  ImU32 color = slow ? t.accentText : status.isError ? t.bad : t.text;
  if (!slow && !status.isError && !panel.trace.fullyMaskedRows.empty()) {
    if (!message.empty()) message += " · ";
    message += maskedText(panel.trace.fullyMaskedRows);
    color = t.bad;
  }
  const float badge = mistakeBadge(
      panel, {position.x + pad, position.y + (size.y - mistakeBadgeHeight(look)) * 0.5F},
      size.x * 0.4F);
  const float taken = badge > 0.0F ? badge + look.px(12) : 0.0F;
  const float left = position.x + pad + taken;
  float room = size.x - 2 * pad - taken;
  const std::string right = figures(panel.trace);
  const float rightWidth = textSize(font, right).x;
  const float beside = room - rightWidth - look.px(24);
  if (message.empty() || beside > room * 0.4F) {  // else the message needs all of the bar
    drawText(list, font, {left + std::max(0.0F, room - rightWidth), y}, t.textMuted,
             elided(font, right, room));
    room = beside;
  }
  const std::string shown = elided(font, message, room);
  drawText(list, font, {left, y}, color, shown);
  if (shown != message &&
      ImGui::IsMouseHoveringRect(position, {left + room, position.y + size.y})) {
    ImGui::SetTooltip("%s", message.c_str());
  }
  if (status.progress.busy) look.changesIn(kProgressPace);
}

}  // namespace headscope::ui
