#include "app/ui/cells/cell_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/cells/cell_access.h"
#include "app/ui/cells/cell_focus.h"
#include "app/ui/cells/cell_menu.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "app/ui/parts/matrix_marks.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr const char* kMaskTool = "mask";

/// Draws text that is wrapped to a width.
void wrappedLine(const FrameContext& look, ImU32 color, const std::string& text, float width) {
  label(look.fonts.small, color, wrapped(look.fonts.small, text, width));
}

class CellValueField {
 public:
  CellValueField(const PanelContext& panel, Magnitudes& magnitudes, CellEditing& editing,
                 const CellRef& cell)
      : panel_(panel),
        look_(panel.look),
        magnitudes_(magnitudes),
        editing_(editing),
        cell_(cell),
        access_(cellAccess(panel.trace, cell)),
        pin_(access_.kind == CellKind::pinnable ? panel.document.pins.at(access_.target)
                                                : std::nullopt) {}

  void draw() {
    const float width = std::min(look_.px(140), ImGui::GetContentRegionAvail().x - look_.px(118));
    if (editing_.typing == TypingPlace::inspector && editing_.typedAt == cell_) {
      typingField(panel_, editing_, width);
    } else {
      field(width);
    }
    ImGui::SameLine(0.0F, look_.px(9));
    const auto [origin, more] = stateText();
    std::string state = origin + " · " + more;
    const float room = ImGui::GetContentRegionAvail().x;
    const bool oneLine = textSize(look_.fonts.small, state).x <= room;
    if (oneLine) {
      const float frame = ImGui::GetFrameHeight();
      ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (frame - fontSize(look_.fonts.small)) * 0.5F);
    } else {
      state = origin + "\n" + more;
    }
    wrappedLine(look_, pin_ ? look_.theme.accentText : look_.theme.textMuted, state, room);
    buttons();
    notes();
  }

 private:
  float magnitude() {
    if (access_.target.tensor == TensorId::weights) return 1.0F;
    return magnitudes_.of(panel_.trace, cell_.tensor, cell_.item, cell_.head);
  }

  /// Draws the value, which can be clicked, dragged or scrolled.
  void field(float width) {
    const Theme& t = look_.theme;
    const float height = ImGui::GetFrameHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("cell value", {width, height});
    const bool hovered = ImGui::IsItemHovered();
    const bool wasDragging = editing_.dragging;
    if (access_.editable()) {
      dragCell(panel_, editing_, access_, magnitude(), {1.0F, 0.0F});
      if (hovered) scrollCell(panel_, editing_, access_, magnitude());
      if (hovered || editing_.dragging) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
      if (ImGui::IsItemDeactivated() && hovered && !wasDragging) {
        panel_.selection.cell = cell_;
        beginTyping(panel_, editing_, TypingPlace::inspector, cell_);
      }
      tip(look_, tr("Click to type; drag or scroll to change. Shift: finer, Ctrl: coarser."));
    }
    const ImVec2 end(at.x + width, at.y + height);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool lit = access_.editable() && (hovered || pin_);
    list->AddRectFilled(at, end, access_.editable() ? t.panel : t.field, look_.px(5));
    list->AddRect(at, end, lit ? t.accent : t.panelBorder, look_.px(5), 0, look_.px(1.5F));
    const float value = access_.editable() ? heldValue(panel_.document, panel_.trace, access_)
                                           : panel_.trace.value(cell_);
    drawText(list, look_.fonts.mono,
             {at.x + look_.px(10), at.y + (height - fontSize(look_.fonts.mono)) * 0.5F}, t.text,
             shownValue(value));
  }

  /// The shortest exact text of a value; six digits where that has more than eight characters.
  static std::string shownValue(float value) {
    const std::string exact = fieldText(value);
    return exact.size() <= 8 ? exact : number(static_cast<double>(value), 6);
  }

  /// Returns where the value comes from, and what else is said of it.
  std::pair<std::string, std::string> stateText() {
    switch (access_.kind) {
      case CellKind::operand:
        return {tr("yours"), tr("type to change")};
      case CellKind::readOnly:
        return {tr("computed"), tr("read only")};
      case CellKind::pinnable:
        break;
    }
    if (!pin_) return {tr("computed"), tr("type to pin")};
    return {access_.target == cell_ ? tr("pinned") : tr("pinned in scores"),
            trFormat("computed {}", number(unpinned(), 4))};
  }

  double unpinned() {
    const CellRef& cell = access_.target;
    if (editing_.unpinnedPass != panel_.trace.pass() || !(editing_.unpinnedOf == cell)) {
      editing_.unpinned = explainCell(panel_.trace, cell).computed();
      editing_.unpinnedOf = cell;
      editing_.unpinnedPass = panel_.trace.pass();
    }
    return editing_.unpinned;
  }

  void buttons() {
    const bool operand = access_.kind == CellKind::operand;
    if (pill(look_, tr("edit ▾"))) {
      const ImVec2 below(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + look_.px(3));
      openCellMenu(panel_, editing_.menu, cell_, &below);
    }
    tip(look_,
        operand
            ? tr("Commands for its row, column, head or matrix: zero, scale, draw again, copy, "
                 "paste (shift+Enter)")
            : tr("Commands for its row, column or matrix: copy the numbers, unpin (shift+Enter)"));
    whatIf();
    if (pin_) {
      ImGui::SameLine(0.0F, look_.px(6));
      if (pill(look_, tr("unpin"))) panel_.commands.push(RemovePin{access_.target});
      tip(look_, tr("Back to the computed value (Delete)"));
    }
    for (std::size_t i = 0; i < access_.sources.size(); ++i) {
      ImGui::SameLine(0.0F, look_.px(6));
      const CellRef& source = access_.sources[i];
      const std::string name = fmt::format("{} →##{}", info(source.tensor).name, i);
      if (pill(look_, name.c_str())) showCell(panel_.view, panel_.trace.config(), source);
      tip(look_, tr("Go to ") + toString(source));
    }
    cellMenu(panel_, editing_.menu);
  }

  /// Draws the experiments on a computed value: pin it, mask it, or switch its head.
  void whatIf() {
    if (access_.kind != CellKind::pinnable || cell_.gradient) return;
    if (flowingPill(look_, tr("pin"),
                    tr("Type another value to see what follows from it (enter)"))) {
      panel_.selection.cell = cell_;
      beginTyping(panel_, editing_, TypingPlace::inspector, cell_);
    }
    if (flowingPill(look_, tr("mask"),
                    tr("Opens the mask painter, where you can forbid this pair"))) {
      panel_.selection.tool = kMaskTool;
    }
    const Index head = cell_.head;
    if (head < 0 || head >= panel_.document.config.numHeads) return;
    const bool off = panel_.document.config.gain(head) == 0.0F;
    if (flowingPill(look_, off ? tr("head on") : tr("head off"),
                    tr("Switches this head off to see what is lost (x, for the chosen head)"))) {
      panel_.commands.push(SetHeadGain{head, off ? 1.0F : 0.0F});
    }
  }

  void notes() {
    const Theme& t = look_.theme;
    const float room = ImGui::GetContentRegionAvail().x;
    if (!editing_.problem.empty() && editing_.refused == access_.target) {
      wrappedLine(look_, t.bad, editing_.problem, room);
    }
    if (!access_.why.empty()) wrappedLine(look_, t.textMuted, access_.why, room);
    const std::string_view coordinate = coordinateName(panel_.trace, cell_);
    if (!coordinate.empty()) {
      wrappedLine(look_, t.textMuted, trFormat("column {} of X: {}", cell_.col, coordinate), room);
    }
    const std::string masked = whyFullyMasked(panel_.trace, cell_);
    if (!masked.empty()) {
      wrappedLine(look_, t.bad, masked, room);
    } else if (cell_.tensor == TensorId::weights &&
               rowsMayNotSumToOne(panel_.trace, cell_.item, cell_.head)) {
      const double sum = rowSum(panel_.trace, cell_.item, cell_.head, cell_.row);
      wrappedLine(look_, t.textMuted, trFormat("its row sums to {:.3f}", sum), room);
    }
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  Magnitudes& magnitudes_;
  CellEditing& editing_;
  CellRef cell_;
  CellAccess access_;
  std::optional<float> pin_;
};

}  // namespace

void cellValue(const PanelContext& panel, Magnitudes& magnitudes, CellEditing& editing,
               const CellRef& cell) {
  CellValueField(panel, magnitudes, editing, cell).draw();
}

}  // namespace headscope::ui
