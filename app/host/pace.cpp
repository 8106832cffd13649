#include "app/host/pace.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <limits>
#include <set>

#include "app/ui/text_field.h"

namespace headscope::host {

namespace {

// Seconds between frames.
constexpr double kAnimation = 1.0 / 60;
constexpr double kHeldButton = 1.0 / 30;
constexpr double kCaretBlink = 0.4;
constexpr double kShortest = 1.0 / 120;  // for what changes by itself

/// True where a text field has no use for the key: its character says it all.
bool onlyTypes(int key, int mods) {
  constexpr int kCommands = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
  return key >= GLFW_KEY_SPACE && key <= GLFW_KEY_WORLD_2 && (mods & kCommands) == 0;
}

/// True where a key may give the keyboard to a text field, or take it away.
bool movesKeyboard(int key, int mods) {
  return (mods & GLFW_MOD_CONTROL) != 0 || key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER ||
         key == GLFW_KEY_ESCAPE || key == GLFW_KEY_TAB;
}

}  // namespace

double secondsToWait(const PaceInput& input) {
  double next = std::numeric_limits<double>::infinity();
  if (!input.visible) return next;
  if (input.owedFrames > 0) return 0.0;
  if (input.wantsFrame) next = kAnimation;
  if (input.mouseHeld) next = std::min(next, kHeldButton);
  if (input.textEdited) next = std::min(next, kCaretBlink);
  next = std::min(next, std::max(input.nextChange, kShortest));
  return std::max(next - input.sinceFrame, 0.0);
}

bool KeyQueue::feed(const std::function<void(const KeyEvent&)>& toKey,
                    const std::function<void(unsigned)>& toCharacter) {
  // A frame sees one key go down, with the modifiers held at that moment; characters belong to it.
  // A text that is typed faster than frames are drawn goes into its field at once.
  // A command may open a field, which takes the keyboard two frames later.
  constexpr int kFramesToOpen = 2;
  if (pause_ > 0) {
    --pause_;
    return true;
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (io.AppFocusLost) return !events_.empty();  // this frame lets go of every key
  bool pressed = false;
  std::set<int> released;
  while (!events_.empty()) {
    if (const auto* key = std::get_if<KeyEvent>(&events_.front())) {
      if (pressed) return true;
      if (io.WantTextInput && key->action != GLFW_RELEASE && onlyTypes(key->key, key->mods)) {
        events_.pop_front();
        continue;
      }
      // a key that goes up and down again before one frame would seem held throughout
      if (key->action == GLFW_PRESS && released.contains(key->key)) return true;
      pressed = key->action == GLFW_PRESS;
      if (key->action == GLFW_RELEASE) released.insert(key->key);
      if (pressed && movesKeyboard(key->key, key->mods)) pause_ = kFramesToOpen;
      toKey(*key);
    } else {
      ui::typeCharacter(std::get<unsigned>(events_.front()), toCharacter);
    }
    events_.pop_front();
  }
  return false;
}

}  // namespace headscope::host
