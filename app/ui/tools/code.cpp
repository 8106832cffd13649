// Code: the pass in PyTorch, step by step, with the shapes of the results. The lines of the chosen
// step are lit, and a click on a line chooses its step.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// The shapes of a step's results: "q_proj (8, 512), k_proj (8, 512)".
std::string shapesOf(const Step& step, const AttentionConfig& config) {
  std::string shapes;
  for (const NamedShape& each : step.outputShapes(config)) {
    shapes += fmt::format("{}{} {}", shapes.empty() ? "" : ", ", info(each.tensor).name,
                          toString(each.shape));
  }
  return shapes;
}

class CodeTool final : public Card {
 public:
  CodeTool()
      : Card({kCodeTool, tr("Code"), tr("the pass in PyTorch, a few lines for each step"), 'Y'}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const AttentionConfig& config = panel.trace.config();
    beginPart("code", {0.0F, 0.0F});
    for (const Step* step : stepsOf(config)) {
      const bool chosen = step->id() == panel.selection.step;
      if (lines(look, *step, config, chosen)) panel.selection.step = step->id();
      if (chosen && panel.selection.step != shown_) ImGui::SetScrollHereY();
    }
    shown_ = panel.selection.step;
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        tr("Export → PyTorch script writes it as a program with this pass's tensors, which "
           "checks every step."));
    ImGui::EndChild();
  }

 private:
  /// Draws the lines of a step. Returns whether they were clicked.
  static bool lines(const FrameContext& look, const Step& step, const AttentionConfig& config,
                    bool chosen) {
    const StepText text = step.text(config);
    const Theme& t = look.theme;
    ImFont* mono = look.fonts.mono;
    const float line = fontSize(mono) + look.space.tight;
    const auto count = static_cast<float>(text.pytorch.size() + 1);
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const bool clicked = ImGui::InvisibleButton(
        std::string(text.id).c_str(), {std::max(1.0F, width), count * line + look.space.small});
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (chosen || hovered) {
      list->AddRectFilled(from, {from.x + width, from.y + count * line + look.space.tight},
                          chosen ? t.accentSoft : t.field, look.space.tight);
    }
    float y = from.y + look.space.thin;
    const float x = from.x + look.space.medium;
    const auto put = [&](const std::string& what, ImU32 color) {
      drawText(list, mono, {x, y}, color, elided(mono, what, width - 2 * look.space.medium));
      y += line;
    };
    put(fmt::format("# {}: {}", text.title, shapesOf(step, config)), t.textMuted);
    for (const std::string& code : text.pytorch) put(code, chosen ? t.accentText : t.text);
    return clicked;
  }

  StepId shown_ = StepId::project;  // the step that was chosen in the last frame
};

}  // namespace

std::unique_ptr<Card> makeCodeTool() { return std::make_unique<CodeTool>(); }

}  // namespace headscope::ui
