#include "app/ui/more_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui_stdlib.h>

#include <array>
#include <charconv>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// A label on the left, the widget's place on the right.
void caption(const Look& look, const char* text, const char* explanation) {
  const float left = ImGui::GetCursorPosX();
  inlineLabel(look, look.fonts.regular, look.theme.text, text);
  tip(look, explanation);
  ImGui::SameLine(left + look.px(150));
}

std::optional<Index> changed(const NumberChange& change, Index value) {
  if (change.value) return change.value;
  if (change.stepped != 0) return value + change.stepped;
  return std::nullopt;
}

void batchAndGroups(const Panel& panel, TopBarMemory& memory) {
  const AttentionConfig& c = panel.document.config;
  caption(panel.look, "Batch", "How many items are computed at once; sentences repeat in turn");
  if (const auto n = changed(numberField(panel.look, {"batch", c.batch}, memory.batch), c.batch)) {
    panel.edits.push(SetBatch{*n}, "batch");
  }
  caption(
      panel.look, "Key/value heads",
      "Fewer than heads: grouped-query attention (GQA); one: multi-query. Heads of a group share "
      "their keys and values, so the cache of a decoder shrinks.");
  const NumberChange kv = numberField(panel.look, {"kv heads", c.numKvHeads}, memory.kvHeads);
  if (kv.value) panel.edits.push(SetDimensions{c.dModel, c.numHeads, *kv.value}, "kv heads");
  for (Index n = c.numKvHeads + kv.stepped; kv.stepped != 0 && n >= 1 && n <= c.numHeads;
       n += kv.stepped) {
    if (c.numHeads % n != 0) continue;
    panel.edits.push(SetDimensions{c.dModel, c.numHeads, n});
    break;
  }
}

void temperature(const Panel& panel, TopBarMemory& memory) {
  const double value = panel.document.config.temperature;
  caption(panel.look, "Temperature",
          "Scores are divided by it: below 1 sharpens the weights, above 1 evens them out");
  if (!memory.typingTemperature) memory.temperature = fmt::format("{:g}", value);
  ImGui::SetNextItemWidth(panel.look.px(70));
  const bool edited = ImGui::InputText("##temperature", &memory.temperature);
  memory.typingTemperature = ImGui::IsItemActive();
  if (edited) {
    double typed = 0.0;
    const char* end = memory.temperature.data() + memory.temperature.size();
    const auto result = std::from_chars(memory.temperature.data(), end, typed);
    if (result.ec == std::errc() && result.ptr == end && typed > 0.0) {
      panel.edits.push(SetTemperature{typed}, "temperature");
    }
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(panel.look.px(110));
  auto slid = static_cast<float>(value);
  if (ImGui::SliderFloat("##slide", &slid, 0.05F, 20.0F, "", ImGuiSliderFlags_Logarithmic)) {
    panel.edits.push(SetTemperature{static_cast<double>(slid)}, "temperature");
  }
}

void maskSettings(const Panel& panel, TopBarMemory& memory) {
  const AttentionConfig& c = panel.document.config;
  caption(panel.look, "Window", "A token sees keys less than this far away; 0: all");
  const NumberChange w = numberField(panel.look, {"window", c.mask.window}, memory.window);
  if (const auto n = changed(w, c.mask.window); n && *n >= 0) {
    Mask mask = c.mask;
    mask.window = *n;
    panel.edits.push(SetMask{std::move(mask)}, "window");
  }
  caption(panel.look, "Padding lengths",
          "One number per batch item, separated by commas: keys past it are padding and get no "
          "weight. Empty: none.");
  if (!memory.typingLengths) memory.lengths = fmt::format("{}", fmt::join(c.mask.lengths, ", "));
  ImGui::SetNextItemWidth(panel.look.px(110));
  const bool done =
      ImGui::InputText("##lengths", &memory.lengths, ImGuiInputTextFlags_EnterReturnsTrue);
  memory.typingLengths = ImGui::IsItemActive();
  if (done || ImGui::IsItemDeactivatedAfterEdit()) {
    Mask mask = c.mask;
    mask.lengths.clear();
    const char* at = memory.lengths.data();
    const char* end = at + memory.lengths.size();
    while (at < end) {
      Index length = 0;
      const auto result = std::from_chars(at, end, length);
      if (result.ec == std::errc()) mask.lengths.push_back(length);
      at = result.ec == std::errc() ? result.ptr : at + 1;
    }
    if (mask != c.mask) panel.edits.push(SetMask{std::move(mask)});
  }
}

void positions(const Panel& panel) {
  caption(panel.look, "Positions",
          "How the input says where a token stands: in coordinates of its own, as Vaswani's "
          "sinusoids over all of them, or not at all (then the output's rows just follow their "
          "tokens)");
  constexpr std::array<const char*, 3> kNames{"own coordinates", "sinusoids over all", "off"};
  const int now = static_cast<int>(panel.document.positions);
  ImGui::SetNextItemWidth(panel.look.px(190));
  if (!ImGui::BeginCombo("##positions", kNames[static_cast<std::size_t>(now)])) return;
  for (int i = 0; i < static_cast<int>(kNames.size()); ++i) {
    if (ImGui::Selectable(kNames[static_cast<std::size_t>(i)], i == now) && i != now) {
      panel.edits.push(SetPositions{static_cast<Positions>(i)});
    }
  }
  ImGui::EndCombo();
}

void weights(const Panel& panel, TopBarMemory& memory) {
  const WeightSource& source = panel.document.weightSource;
  caption(panel.look, "Weights",
          "xavier: nn.MultiheadAttention's own start. normal: mean 0, standard deviation 0.1. "
          "identity: ones on the diagonal.");
  const std::string shown = source.drawn() ? std::string(toString(source.init)) : source.loadedFrom;
  ImGui::SetNextItemWidth(panel.look.px(190));
  if (ImGui::BeginCombo("##init", shown.c_str())) {
    for (const WeightInit init : {WeightInit::xavier, WeightInit::normal, WeightInit::identity}) {
      if (ImGui::Selectable(std::string(toString(init)).c_str(),
                            source.drawn() && init == source.init)) {
        panel.edits.push(DrawWeights{init, source.seed});
      }
    }
    ImGui::EndCombo();
  }
  caption(panel.look, "Seed", "Another seed draws other weights; the same seed always the same");
  const auto seed = static_cast<Index>(source.seed);
  const NumberChange change = numberField(panel.look, {"seed", seed}, memory.seed);
  if (const auto n = changed(change, seed); n && *n >= 0) {
    panel.edits.push(DrawWeights{source.init, static_cast<std::uint64_t>(*n)}, "seed");
  }
}

}  // namespace

void moreSettings(const Panel& panel, TopBarMemory& memory) {
  if (!beginPopup("more")) return;
  batchAndGroups(panel, memory);
  temperature(panel, memory);
  maskSettings(panel, memory);
  positions(panel);
  weights(panel, memory);
  ImGui::EndPopup();
}

}  // namespace headscope::ui
