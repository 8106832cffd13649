#include "app/ui/number_field.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/platform/from_chars.h"

namespace headscope::ui {
namespace {

/// Writes a stepped value into the field. Dear ImGui keeps a text of its own while the field has
/// the keyboard.
void takeStepped(NumberDraft& draft, ImGuiInputTextCallbackData& data) {
  if (!draft.stepped) return;
  draft.stepped = false;
  data.DeleteChars(0, data.BufTextLen);
  data.InsertChars(0, draft.text.c_str());
  data.SelectAll();
}

/// The seconds without a key after which a typed number counts as complete.
constexpr double kTypingPause = 0.45;

bool stepArrow(const FrameContext& look, const char* id, ImVec2 at, ImVec2 size, bool up) {
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(id, size);
  const ImU32 color = ImGui::IsItemHovered() ? look.theme.accent : look.theme.textMuted;
  const ImVec2 c(at.x + size.x * 0.5F, at.y + size.y * 0.5F);
  const float r = look.px(3.2F);
  const float tipY = up ? -r * 0.75F : r * 0.75F;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 left(c.x - r, c.y - tipY);
  const ImVec2 right(c.x + r, c.y - tipY);
  const ImVec2 peak(c.x, c.y + tipY);
  if (up) {
    list->AddTriangleFilled(left, right, peak, color);
  } else {
    list->AddTriangleFilled(right, left, peak, color);
  }
  return clicked;
}

}  // namespace

void pushFieldStyle(const FrameContext& look, bool bad) {
  const Theme& t = look.theme;
  ImGui::PushStyleColor(ImGuiCol_FrameBg, bad ? t.badSoft : t.field);
  ImGui::PushStyleColor(ImGuiCol_Text, bad ? t.bad : t.text);
  ImGui::PushStyleColor(ImGuiCol_Border, bad ? t.bad : t.field);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, look.space.hair);
}

void popFieldStyle() {
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(3);
}

std::optional<Index> wholeNumber(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  Index value = 0;
  const auto [end, error] = platform::fromChars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

NumberChange numberField(const FrameContext& look, const NumberField& field, NumberDraft& draft) {
  NumberChange change;
  ImGui::PushID(field.name);
  if ((!draft.typing || draft.stepped) && !field.bad) draft.text = std::to_string(field.value);

  const float arrows = look.px(16);
  const float frame = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  pushFieldStyle(look, field.bad);
  pushFont(look.fonts.mono);
  const float drop = (frame - ImGui::GetFrameHeight()) * 0.5F;
  ImGui::SetCursorScreenPos({at.x, at.y + drop});
  ImGui::SetNextItemWidth(look.px(field.width));
  if (std::exchange(draft.entered, false) && field.bad) ImGui::SetKeyboardFocusHere();
  const bool edited =
      textField(look,
                {"##number", ImGuiInputTextFlags_AutoSelectAll, "",
                 [&draft](ImGuiInputTextCallbackData& data) { takeStepped(draft, data); }},
                draft.text);
  draft.typing = ImGui::IsItemActive();
  const float notches = ImGui::IsItemHovered() ? ImGui::GetIO().MouseWheel : 0.0F;
  change.left = ImGui::IsItemDeactivated();
  draft.entered = change.left && keyPressed(Key::enter, false);
  ImGui::PopFont();
  popFieldStyle();
  if (draft.typing && keyPressed(Key::up)) change.stepped = 1;
  if (draft.typing && keyPressed(Key::down)) change.stepped = -1;
  if (notches != 0.0F) change.stepped = notches > 0.0F ? 1 : -1;
  draft.stepped = change.stepped != 0;

  // applies a typed number once it is complete, so that "12" does not pass through 1
  if (edited) draft.editedAt = look.now;
  const float x = at.x + look.px(field.width) + look.space.thin;
  if (stepArrow(look, "up", {x, at.y}, {arrows, frame * 0.5F}, true)) change.stepped = 1;
  if (stepArrow(look, "down", {x, at.y + frame * 0.5F}, {arrows, frame * 0.5F}, false)) {
    change.stepped = -1;
  }
  if (draft.editedAt) {
    const double left = *draft.editedAt + kTypingPause - look.now;
    if (change.left || change.stepped != 0 || left <= 0.0) {
      draft.editedAt.reset();
      *look.wantsFrame = true;  // no event would draw the result
      change.stepped = 0;       // the first step only applies the typed text
      change.value = wholeNumber(draft.text);
      change.notANumber = !change.value;
    } else {
      look.changesIn(left);
    }
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({look.px(field.width) + arrows + look.space.thin, frame});
  noteControl(look, field.name);
  ImGui::PopID();
  return change;
}

std::string problemOf(std::string_view field, const AttentionConfig& config) {
  for (const Problem& problem : validate(config)) {
    if (problem.field == field) return problem.message;
  }
  return {};
}

void problemBelow(const FrameContext& look, const NumberDraft& draft) {
  if (draft.problem.empty()) return;
  label(look.fonts.small, look.theme.bad, wrapped(look.fonts.small, draft.problem, look.px(340)));
}

bool textBox(const FrameContext& look, const char* id, float width, const std::string& value,
             NumberDraft& draft) {
  const bool bad = !draft.problem.empty();
  if (!draft.typing && !bad) draft.text = value;
  pushFieldStyle(look, bad);
  ImGui::SetNextItemWidth(look.px(width));
  const bool edited = textField(look, {id}, draft.text);
  draft.typing = ImGui::IsItemActive();
  popFieldStyle();
  return edited;
}

std::optional<double> realField(const FrameContext& look, const char* name, float width,
                                double value, NumberDraft& draft, const char* wayOut) {
  const std::string id = std::string("##") + name;
  if (!textBox(look, id.c_str(), width, fmt::format("{:g}", value), draft)) return std::nullopt;
  double typed = 0.0;
  const char* end = draft.text.data() + draft.text.size();
  const auto result = platform::fromChars(draft.text.data(), end, typed);
  if (result.ec != std::errc() || result.ptr != end) {
    draft.problem = trFormat("{}: '{}' is not a number; {}", name, draft.text, wayOut);
    return std::nullopt;
  }
  return typed;
}

void temperatureFields(const PanelContext& panel, NumberDraft& draft, float sliderWidth) {
  const double value = panel.document.config.switches->temperature;
  const auto typed = realField(panel.look, "temperature", 92, value, draft,
                               tr("give a number above 0 (1 leaves the scores unchanged)"));
  if (typed) {
    AttentionConfig config = panel.document.config;
    config.switches->temperature = *typed;
    draft.problem = problemOf("temperature", config);
    if (draft.problem.empty())
      panel.commands.push(SetSwitch{&Switches::temperature, *typed}, "temperature");
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(panel.look.px(sliderWidth));
  auto slid = static_cast<float>(value);
  if (ImGui::SliderFloat("##slide", &slid, static_cast<float>(kLowestTemperature),
                         static_cast<float>(kHighestTemperature), "",
                         ImGuiSliderFlags_Logarithmic)) {
    draft.problem.clear();
    panel.commands.push(SetSwitch{&Switches::temperature, static_cast<double>(slid)},
                        "temperature");
  }
}

}  // namespace headscope::ui
