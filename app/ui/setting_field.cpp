#include "app/ui/setting_field.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <charconv>
#include <system_error>

#include "app/ui/widgets.h"

namespace headscope::ui {

std::string problemOf(std::string_view field, const AttentionConfig& config) {
  for (const Problem& problem : validate(config)) {
    if (problem.field == field) return problem.message;
  }
  return {};
}

void problemBelow(const Look& look, const NumberDraft& draft) {
  if (draft.problem.empty()) return;
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + look.px(340));
  label(look.fonts.small, look.theme.bad, draft.problem);
  ImGui::PopTextWrapPos();
}

bool textBox(const Look& look, const char* id, float width, const std::string& value,
             NumberDraft& draft) {
  const bool bad = !draft.problem.empty();
  if (!draft.typing && !bad) draft.text = value;
  pushFieldStyle(look, bad);
  ImGui::SetNextItemWidth(look.px(width));
  const bool edited = ImGui::InputText(id, &draft.text);
  draft.typing = ImGui::IsItemActive();
  popFieldStyle();
  return edited;
}

std::optional<double> realField(const Look& look, const char* name, float width, double value,
                                NumberDraft& draft, const char* wayOut) {
  const std::string id = std::string("##") + name;
  if (!textBox(look, id.c_str(), width, fmt::format("{:g}", value), draft)) return std::nullopt;
  double typed = 0.0;
  const char* end = draft.text.data() + draft.text.size();
  const auto result = std::from_chars(draft.text.data(), end, typed);
  if (result.ec != std::errc() || result.ptr != end) {
    draft.problem = fmt::format("{}: '{}' is not a number; {}", name, draft.text, wayOut);
    return std::nullopt;
  }
  return typed;
}

void temperatureFields(const Panel& panel, NumberDraft& draft, float sliderWidth) {
  const double value = panel.document.config.temperature;
  const auto typed = realField(panel.look, "temperature", 70, value, draft,
                               "give one above 0 (1 leaves the scores as they are)");
  if (typed) {
    AttentionConfig config = panel.document.config;
    config.temperature = *typed;
    draft.problem = problemOf("temperature", config);
    if (draft.problem.empty()) panel.edits.push(SetTemperature{*typed}, "temperature");
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(panel.look.px(sliderWidth));
  auto slid = static_cast<float>(value);
  if (ImGui::SliderFloat("##slide", &slid, static_cast<float>(kLowestTemperature),
                         static_cast<float>(kHighestTemperature), "",
                         ImGuiSliderFlags_Logarithmic)) {
    draft.problem.clear();
    panel.edits.push(SetTemperature{static_cast<double>(slid)}, "temperature");
  }
}

}  // namespace headscope::ui
