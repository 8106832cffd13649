#include "app/ui/first_pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/ledger.h"

namespace headscope::ui {
namespace {

/// A part of the line for each step, lit where it is done.
void drawSteps(const Look& look, ImVec2 middle, int steps, int done) {
  const float width = look.px(360), height = look.px(4), gap = look.px(4);
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

void firstPass(const Look& look, const AttentionConfig& config, const Status& status) {
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
       fmt::format("{} heads × {} tokens · d_model {}", withThousands(config.numHeads),
                   withThousands(config.seqLen), withThousands(config.dModel)),
       40);
  if (!status.message.empty()) {
    const float width = std::min(look.px(640), size.x - look.px(48));
    ImGui::SetCursorScreenPos({at.x - width * 0.5F, at.y});
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    label(look.fonts.regular, status.isError ? t.bad : t.text, status.message);
    ImGui::PopTextWrapPos();
  } else if (status.progress.busy) {
    drawSteps(look, at, static_cast<int>(stepsOf(config).size()), status.progress.stepsDone);
    at.y += look.px(28);
    line(look.fonts.regular, t.text, inWords(status.progress, config), 0);
  }
  if (status.progress.busy) look.changesIn(kProgressPace);
}

}  // namespace headscope::ui
