#include "app/ui/control_focus.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

/// Moves to the card `by` places further, in a cycle.
void moveFocus(ControlFocus& focus, std::ptrdiff_t by, std::string_view first) {
  const auto count = static_cast<std::ptrdiff_t>(focus.cards.size());
  if (count == 0) return;
  const auto at = std::find(focus.cards.begin(), focus.cards.end(), focus.card);
  auto next = at - focus.cards.begin() + by;
  if (!focus.on || at == focus.cards.end()) {
    const auto start = std::find(focus.cards.begin(), focus.cards.end(), first);
    next = start == focus.cards.end() ? 0 : start - focus.cards.begin();
  }
  focus.card = focus.cards[static_cast<std::size_t>((next + count) % count)];
  focus.on = focus.arriving = true;
}

/// Gives the keyboard to the first control of the current window and shows the focus.
void focusFirstControl() {
  ImGuiWindow* window = ImGui::GetCurrentWindow();
  ImGui::FocusWindow(window);
  ImGui::NavInitWindow(window, true);
#if IMGUI_VERSION_NUM >= 19140
  ImGui::SetNavCursorVisible(true);
#else
  GImGui->NavDisableHighlight = false;
#endif
}

}  // namespace

void joinNavigation() {
  ImGuiWindow* window = ImGui::GetCurrentWindow();
#if IMGUI_VERSION_NUM >= 19090
  window->ChildFlags |= ImGuiChildFlags_NavFlattened;
#else
  window->Flags |= ImGuiWindowFlags_NavFlattened;
#if IMGUI_VERSION_NUM >= 18900
  ImGui::PopFocusScope();  // such a window has no scope of its own, and its end pops none
#endif
#endif
  if (window->ParentWindow != nullptr) {
    window->RootWindowForNav = window->ParentWindow->RootWindowForNav;
  }
}

bool controlKeys(ControlFocus& focus, std::string_view first, bool byTab) {
  const bool begins = byTab && !focus.on && keyPressed(Key::tab, false);
  if (begins || keyPressed(Key::f2)) {
    moveFocus(focus, ImGui::GetIO().KeyShift ? -1 : 1, first);
    return true;
  }
  if (!focus.on) return false;
  if (keyPressed(Key::escape, false)) {
    focus.on = false;
    ImGui::SetWindowFocus(nullptr);
    return true;
  }
  constexpr std::array kWalking{Key::left,        Key::right, Key::up,     Key::down,
                                Key::home,        Key::end,   Key::space,  Key::enter,
                                Key::keypadEnter, Key::tab,   Key::pageUp, Key::pageDown};
  return std::any_of(kWalking.begin(), kWalking.end(), [](Key key) { return keyPressed(key); });
}

void beginCards(ControlFocus& focus) {
  const bool gone =
      std::find(focus.cards.begin(), focus.cards.end(), focus.card) == focus.cards.end();
  if (ImGui::IsMouseClicked(0) || gone) focus.on = false;
  focus.cards.clear();
  ImGuiIO& io = ImGui::GetIO();
  if (focus.on) {
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  } else {
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  }
}

void offerCard(ControlFocus& focus, std::string_view card, const FrameContext& look) {
  focus.cards.emplace_back(card);
  if (!focus.on || focus.card != card) return;
  if (focus.arriving) focusFirstControl();
  focus.arriving = false;
  const ImVec2 a = ImGui::GetWindowPos();
  const ImVec2 b(a.x + ImGui::GetWindowSize().x, a.y + ImGui::GetWindowSize().y);
  ImGui::PushClipRect(a, b, false);
  ImGui::GetWindowDrawList()->AddRect(a, b, look.theme.accent, look.px(8), 0, look.px(1.5F));
  ImGui::PopClipRect();
}

void ringControl(const ControlFocus& focus, const FrameContext& look) {
  const ImGuiContext& g = *GImGui;
  if (!focus.on || g.NavWindow == nullptr || g.NavId == 0 || g.ActiveId == g.NavId) return;
  if (!g.NavIdIsAlive) return;  // a press may have removed its own button
  const ImGuiWindow& window = *g.NavWindow;
  const ImRect& inside = window.NavRectRel[ImGuiNavLayer_Main];
  const ImVec2 at = ImGui::WindowRectRelToAbs(g.NavWindow, inside).Min;
  const float out = look.px(3);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  list->PushClipRect(window.InnerRect.Min, window.InnerRect.Max);
  list->AddRect({at.x - out, at.y - out},
                {at.x + inside.GetWidth() + out, at.y + inside.GetHeight() + out},
                look.theme.accent, look.px(5), 0, look.space.thin);
  list->PopClipRect();
}

std::string controlHint(const ControlFocus& focus) {
  if (!focus.on) return {};
  return tr(
      "keyboard on the controls: arrows go to the next, space presses, F2 next card, esc leaves");
}

bool pictureArea(const char* id, ImVec2 size) {
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  const bool clicked = ImGui::InvisibleButton(id, size);
  ImGui::PopItemFlag();
  return clicked;
}

}  // namespace headscope::ui
