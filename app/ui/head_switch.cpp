#include "app/ui/head_switch.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// Sets all gains at once, as one entry of the history.
void setGains(const PanelContext& panel, std::vector<float> gains, std::string name) {
  Document next = panel.document;
  next.config.headGains = std::move(gains);
  panel.commands.push(Open{std::make_shared<const Document>(std::move(next)), std::move(name)});
}

bool isAlone(const AttentionConfig& c, Index head) {
  for (Index h = 0; h < c.numHeads; ++h) {
    if (isOff(c, h) != (h != head)) return false;
  }
  return true;
}

}  // namespace

bool isOff(const AttentionConfig& config, Index head) {
  return head >= 0 && head < config.numHeads && config.gain(head) == 0.0F;
}

void switchHead(const PanelContext& panel, Index head) {
  panel.commands.push(SetHeadGain{head, isOff(panel.document.config, head) ? 1.0F : 0.0F});
}

void switchOthersOff(const PanelContext& panel, Index head) {
  const AttentionConfig& c = panel.document.config;
  if (head >= c.numHeads) return;
  if (c.numHeads == 1) {
    panel.commands.say(tr("there is only one head: no other can be switched off"));
  } else if (isAlone(c, head)) {
    switchAllOn(panel);
  } else {
    std::vector<float> gains(static_cast<std::size_t>(c.numHeads), 0.0F);
    gains[static_cast<std::size_t>(head)] = isOff(c, head) ? 1.0F : c.gain(head);
    setGains(panel, std::move(gains), trFormat("all heads off but {}", head + 1));
  }
}

void switchAllOn(const PanelContext& panel) {
  if (panel.document.config.headGains.empty()) return;
  setGains(panel, {}, tr("all heads on"));
}

bool headSwitchKeys(const PanelContext& panel) {
  if (!altPressed(Key{'X'}, false)) return false;
  if (ImGui::GetIO().KeyShift) {
    switchOthersOff(panel, panel.selection.head);
  } else {
    switchHead(panel, panel.selection.head);
  }
  return true;
}

ImVec2 headSwitchSize(const FrameContext& look) { return {look.px(24), look.px(13)}; }

void headSwitch(const PanelContext& panel, Index head) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const bool on = !isOff(panel.document.config, head);
  const ImVec2 size = headSwitchSize(look);
  const ImVec2 a = ImGui::GetCursorScreenPos();
  const ImVec2 b(a.x + size.x, a.y + size.y);
  ImGui::PushID(static_cast<int>(head));
  if (ImGui::InvisibleButton("switch", size)) switchHead(panel, head);
  noteControl(look, fmt::format("switch of head {}", head + 1));
  ImGui::PopID();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float radius = size.y * 0.5F;
  list->AddRectFilled(a, b, on ? t.good : t.textMuted, radius);
  if (ImGui::IsItemHovered()) list->AddRect(a, b, t.accent, radius, 0, look.px(1.5F));
  list->AddCircleFilled({on ? b.x - radius : a.x + radius, a.y + radius}, radius - look.space.thin,
                        t.panel);
  tip(look, trFormat("Head {} is {}: switches it {} (alt+x for the chosen head)", head + 1,
                     on ? "on" : "off", on ? "off" : "on"));
}

void drawOff(const PanelContext& panel, ImDrawList* list, Index head, ImVec2 a, ImVec2 b) {
  if (isOff(panel.trace.config(), head)) drawOff(panel.look, list, a, b);
}

void drawOff(const FrameContext& look, ImDrawList* list, ImVec2 a, ImVec2 b) {
  list->AddRectFilled(a, b, withAlpha(look.theme.panel, 0.6F));
  const ImVec2 size = textSize(look.fonts.small, "off");
  if (b.x - a.x < size.x || b.y - a.y < size.y) {
    list->AddLine({a.x, b.y}, {b.x, a.y}, look.theme.bad, look.space.thin);
    return;
  }
  const ImVec2 middle((a.x + b.x) * 0.5F, (a.y + b.y) * 0.5F);
  const ImVec2 half(size.x * 0.5F + look.px(5), size.y * 0.5F + look.space.hair);
  list->AddRectFilled({middle.x - half.x, middle.y - half.y},
                      {middle.x + half.x, middle.y + half.y}, look.theme.panel, half.y);
  drawTextCentred(list, look.fonts.small, middle, look.theme.bad, "off");
}

}  // namespace headscope::ui
