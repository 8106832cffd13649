#include "app/ui/status_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/attention/mistakes.h"
#include "core/attention/steps/step.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr double kWorthShowing = 0.1;  // seconds of a pass before its progress is shown

std::string maskedText(const std::vector<FullyMaskedRow>& rows) {
  return trFormat("{} row{} fully masked (first: query {} of head {}): weights 0, output b_O",
                  rows.size(), rows.size() == 1 ? " is" : "s are", rows[0].row, rows[0].head + 1);
}

/// Draws "Learning heads: step 40 of 120" or "Making a film: picture 40 of 240", a bar and a button
/// that stops it. Returns the width.
float learningBar(const PanelContext& panel, const Status::Learning& learning, const Rect& line) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const auto inWords = [&](Index step) {
    return trFormat("{}: {} {} of {}", learning.what, learning.unit, step, learning.steps);
  };
  const std::string text = inWords(learning.step);
  const std::string widest = inWords(learning.steps);
  Rect rest = line;
  const Rect words = rest.cutLeft(textSize(font, widest).x, look.space.large);
  drawText(list, font, {words.a.x, line.placed({0.0F, fontSize(font)}).a.y}, t.accentText, text);
  const Rect track =
      rest.cutLeft(look.px(120), look.space.large).placed({look.px(120), look.px(5)});
  const float done = static_cast<float>(learning.step) / static_cast<float>(learning.steps);
  drawProgress(look, track.a, track.size(), done);
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  pushFont(font);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.space.medium, look.space.thin));
  const float width = buttonWidth(look, tr("Stop"));
  ImGui::SetCursorScreenPos(rest.placed({0.0F, ImGui::GetFrameHeight()}, 0.0F).a);
  if (pill(look, tr("Stop"))) panel.commands.add(StopLearning{});
  tip(look, learning.whenStopped);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(cursor);
  return rest.a.x + width - line.a.x;
}

struct Badge {
  const char* id;
  std::string text;
  std::string about;  // shown while the mouse is on the badge
};
struct DrawnBadge {
  float width = 0.0F;
  bool clicked = false;
};

/// Draws a warning at a place, no wider than `room`.
DrawnBadge drawBadge(const FrameContext& look, const Badge& badge, ImVec2 at, float room) {
  const float pad = look.space.medium;
  const std::string text = elided(look.fonts.small, badge.text, room - 2 * pad);
  const ImVec2 size(richTextSize(look.fonts, look.fonts.small, text).x + 2 * pad,
                    mistakeBadgeHeight(look));
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(badge.id, size);
  const bool hovered = ImGui::IsItemHovered();
  tip(look, badge.about);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + size.x, at.y + size.y);
  list->AddRectFilled(at, end, look.theme.badSoft, size.y * 0.5F);
  list->AddRect(at, end, hovered ? look.theme.bad : withAlpha(look.theme.bad, 0.5F), size.y * 0.5F);
  drawRichText(list, look.fonts, look.fonts.small, {at.x + pad, at.y + look.px(3)}, look.theme.bad,
               text);
  ImGui::SetCursorScreenPos(cursor);
  return {size.x, clicked};
}

}  // namespace

std::string passFigures(const Trace& trace) {
  const Ledger costs = ledger(trace.config(), trace.document().scoreStorage);
  const std::string time = trace.ms > 0.0 ? trFormat(" in {:.2f} ms", trace.ms) : "";
  return trFormat("recomputed {} of {} steps{} · {} parameters · {}", trace.stepsRun(),
                  trace.steps.size(), time, withThousands(costs.parameters.total),
                  flopsInWords(costs.flops));
}

std::string inWords(const Worker::Progress& progress, const AttentionConfig& config) {
  if (progress.holdsFrames) {
    return tr("computing a long pass: without threads, this page draws nothing until it ends");
  }
  const auto steps = stepsOf(config);
  const auto at = std::min(static_cast<std::size_t>(progress.stepsDone), steps.size() - 1);
  return trFormat("computing {} ({} of {}), {:.1f} s", steps[at]->text(config).title, at + 1,
                  steps.size(), progress.seconds);
}

void statusBar(const PanelContext& panel, const Status& status, const Rect& at) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  if (status.progress.busy) look.changesIn(kProgressPace);
  const Worker::Progress& progress = status.progress;
  const bool slow = progress.busy && (progress.holdsFrames || progress.seconds > kWorthShowing);
  std::string message = slow ? inWords(progress, panel.document.config) : status.message;
  if (slow && !progress.holdsFrames) message += tr("; any edit cancels it");
  const ImU32 color = slow ? t.accentText : status.isError ? t.bad : t.text;
  if (!slow && !status.isError && !panel.trace.fullyMaskedRows.empty()) {
    if (!message.empty()) message += " · ";
    message += maskedText(panel.trace.fullyMaskedRows);
  }
  Rect line = at.inset({look.space.wide, 0.0F});
  const ImVec2 corner = line.placed({0.0F, mistakeBadgeHeight(look)}, 0.0F).a;
  const float badge = mistakeBadge(panel, corner, at.width() * 0.4F);
  if (badge > 0.0F) line.cutLeft(badge, look.px(12));
  if (!status.notAutosaved.empty()) {
    const ImVec2 place = line.placed({0.0F, mistakeBadgeHeight(look)}, 0.0F).a;
    const Badge lasting{
        tr("not autosaved"), tr("autosave fails"),
        tr("Unsaved changes are lost when headscope ends: ") + status.notAutosaved + "."};
    line.cutLeft(drawBadge(look, lasting, place, at.width() * 0.3F).width, look.px(12));
  }

  if (status.learning) {
    line.cutLeft(learningBar(panel, *status.learning, line), look.space.wide);
    message.clear();
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const float y = at.placed({0.0F, fontSize(font)}).a.y;
  if (message.empty() && !status.toTry.empty()) {
    ImFont* larger = look.fonts.regular;
    const std::string text = elided(larger, status.toTry, line.width());
    const Rect words = line.placed(textSize(larger, text), 0.0F);
    const Rect behind = words.outset(look.space.tight);
    list->AddRectFilled(behind.a, behind.b, t.accentSoft, look.space.small);
    drawText(list, larger, words.a, t.accentText, text);
    return;
  }
  const float width = textSize(font, status.figures).x;
  Rect left = line;
  left.cutRight(width, look.px(24));
  // otherwise the message needs the whole bar
  if (message.empty() || left.width() > line.width() * 0.4F) {
    drawText(list, font, {std::max(line.b.x - width, line.a.x), y}, t.textMuted,
             elided(font, status.figures, line.width()));
    line = left;
  }
  if (message.empty()) return;
  const std::string shown = elided(font, message, line.width());
  drawText(list, font, {line.a.x, y}, color, shown);
  if (shown != message && ImGui::IsMouseHoveringRect(at.a, {line.b.x, at.b.y})) {
    showTooltip(message);
  }
}

namespace {

/// Draws a line with one segment per step, lit where the step is done.
void drawSteps(const FrameContext& look, ImVec2 middle, int steps, int done) {
  const float width = look.px(360), height = look.space.tight, gap = look.space.tight;
  const auto count = static_cast<float>(steps);
  const float each = (width - gap * (count - 1)) / count;
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int step = 0; step < steps; ++step) {
    const float x = middle.x - width * 0.5F + static_cast<float>(step) * (each + gap);
    list->AddRectFilled({x, middle.y}, {x + each, middle.y + height},
                        step < done ? look.theme.accent : look.theme.divider, height * 0.5F);
  }
}

}  // namespace

void firstPass(const FrameContext& look, const AttentionConfig& config, const Status& status) {
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImVec2 at{size.x * 0.5F, size.y * 0.42F};
  const auto line = [&](ImFont* font, ImU32 color, const std::string& text, float down) {
    drawTextCentred(list, font, at, color, elided(font, text, size.x - look.px(24)));
    at.y += look.px(down);
  };
  line(look.fonts.title, t.text, "headscope", 32);
  line(look.fonts.regular, t.textMuted,
       trFormat("{} heads × {} tokens · d_model {}", withThousands(config.numHeads),
                withThousands(config.seqLen), withThousands(config.dModel)),
       40);
  if (!status.message.empty()) {
    const float width = std::min(look.px(640), size.x - look.px(48));
    ImGui::SetCursorScreenPos({at.x - width * 0.5F, at.y});
    label(look.fonts.regular, status.isError ? t.bad : t.text,
          wrapped(look.fonts.regular, status.message, width));
  } else if (status.progress.busy) {
    drawSteps(look, at, static_cast<int>(stepsOf(config).size()), status.progress.stepsDone);
    at.y += look.px(28);
    line(look.fonts.regular, t.text, inWords(status.progress, config), 0);
  }
  if (status.progress.busy) look.changesIn(kProgressPace);
}

std::string mistakesInWords(const PanelContext& panel) {
  return panel.frame.hidesMistakes ? std::string() : mistakesInWords(panel.trace.config());
}

std::string mistakesInWords(const AttentionConfig& config) {
  const std::vector<Mistake> on = mistakesOn(config);
  if (on.empty()) return {};
  std::string words = on.size() == 1 ? tr("mistake on: ") : tr("mistakes on: ");
  for (std::size_t i = 0; i < on.size(); ++i) {
    std::string title(textOf(on[i]).title);
    title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
    words += (i > 0 ? ", " : "") + title;
  }
  return words;
}

float mistakeBadgeHeight(const FrameContext& look) {
  return fontSize(look.fonts.small) + look.space.small;
}

float mistakeBadge(const PanelContext& panel, ImVec2 at, float room) {
  const FrameContext& look = panel.look;
  const std::string all = mistakesInWords(panel);
  if (all.empty()) return 0.0F;
  const std::string about =
      all + tr("\nThe picture is wrong on purpose. Click to compare it with the correct one.");
  const DrawnBadge badge = drawBadge(look, {tr("mistake on"), all, about}, at, room);
  if (badge.clicked) {
    panel.selection.tool = kMistakesTool;
    panel.selection.mistake = mistakesOn(panel.trace.config()).front();
  }
  return badge.width;
}

}  // namespace headscope::ui
