#include "app/host/input_queue.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/ui/compat.h"
#include "app/ui/text_field.h"

namespace headscope::host {
namespace {

/// The number of frames after which a field opened by a command or a click has the keyboard.
constexpr int kFramesToOpen = 2;

// GLFW's key codes that ui::Key does not name.
constexpr int kWorld2 = 162;
constexpr int kLeftShift = 340;
constexpr int kRightShift = 344;

/// The bit of a modifier key, left or right; 0 for other keys.
int modifierOf(int key) {
  constexpr std::array kMods{kModShift, kModCtrl, kModAlt, kModSuper};
  if (key < kLeftShift || key >= kRightShift + static_cast<int>(kMods.size())) return 0;
  return kMods[static_cast<std::size_t>(key - kLeftShift) % kMods.size()];
}

/// Returns whether a text field ignores the key, because it gets the character.
bool onlyTypes(const InputQueue::KeyEvent& event) {
  return event.key >= static_cast<int>(ui::Key::space) && event.key <= kWorld2 &&
         (event.mods & ~kModShift) == 0;
}

/// Returns whether a key may move the keyboard focus to or from a text field.
bool movesKeyboard(const InputQueue::KeyEvent& event) {
  constexpr std::array kMoving{ui::Key::enter, ui::Key::keypadEnter, ui::Key::escape, ui::Key::tab};
  return (event.mods & kModCtrl) != 0 ||
         std::find(kMoving.begin(), kMoving.end(), static_cast<ui::Key>(event.key)) !=
             kMoving.end();
}

}  // namespace

/// The events passed to the next frame so far.
struct InputQueue::Frame {
  bool any = false;
  bool opening = false;    // an opened field does not have the keyboard yet
  bool acts = false;       // a key, a button or the wheel acts
  bool wheels = false;     // the wheel acts
  bool characters = true;  // the frame still accepts characters
  bool typed = false;
  bool moved = false;          // the mouse has moved
  bool left = false;           // another program has the keyboard focus
  std::optional<int> pressed;  // the key pressed in this frame
  std::set<int> released;
};

void InputQueue::addKey(KeyEvent event) {
  // a modifier key counts as held on its own press, and as released on its own release
  if (const int own = modifierOf(event.key); own != 0) {
    const bool twin = held_.contains(event.key < kRightShift ? event.key + 4 : event.key - 4);
    const bool on = event.action != KeyAction::release || twin;
    event.mods = on ? event.mods | own : event.mods & ~own;
  }
  if (event.action == KeyAction::press && !held_.insert(event.key).second) {
    events_.emplace_back(KeyEvent{event.key, event.scancode, KeyAction::release, event.mods});
  }
  if (event.action == KeyAction::release) held_.erase(event.key);
  events_.emplace_back(event);
}

void InputQueue::addText(std::string_view utf8) {
  ui::eachCharacterOf(utf8, [this](char32_t c) { addCharacter(static_cast<unsigned>(c)); });
}

void InputQueue::addMouseButton(int button, bool down) {
  if (button < 0 || button >= static_cast<int>(buttons_.size())) return;
  events_.emplace_back(Button{button, down, time_});
}

void InputQueue::addFocus(bool has) {
  if (!has) held_.clear();
  events_.emplace_back(Focus{has});
}

void InputQueue::feed() {
  Frame frame;
  if (framesToOpen_ > 0) {
    --framesToOpen_;
    frame.opening = true;
  }
  const auto taken = [&](const auto& event) { return !frame.left && take(event, frame); };
  while (!events_.empty() && std::visit(taken, events_.front())) {
    frame.any = true;
    events_.pop_front();
  }
  ImGuiIO& io = ImGui::GetIO();
  ui::takeInputAtOnce(io);
  ui::injectModifiers(io, (modifiers_ & kModCtrl) != 0, (modifiers_ & kModShift) != 0,
                      (modifiers_ & kModAlt) != 0);
  ui::injectMousePosition(io, position_);
  for (std::size_t i = 0; i < buttons_.size(); ++i) {
    ui::injectMouseButton(io, static_cast<int>(i), buttons_[i]);
  }
}

void InputQueue::repeatKeys() {
  ui::repeatHeldKeys(ImGui::GetIO(), repeats_);
  repeats_ = false;
}

bool InputQueue::take(const KeyEvent& event, Frame& frame) {
  if (event.action == KeyAction::repeat) return takeRepeat(event, frame);
  // actions and characters in a frame use the modifiers of their own moment
  const int changed = event.mods ^ modifiers_;
  if (changed != 0 && (frame.acts || (frame.typed && (changed & ~kModShift) != 0))) return false;
  if (event.action == KeyAction::release) {
    if (frame.pressed == event.key) return false;
    frame.released.insert(event.key);
  } else if (modifierOf(event.key) == 0) {
    if (frame.acts || frame.opening) return false;
    const bool types = onlyTypes(event);
    if (ImGui::GetIO().WantTextInput && types) {
      modifiers_ = event.mods;
      return true;
    }
    // a release and a press within one frame would look like a held key
    if (frame.released.contains(event.key)) return false;
    frame.acts = true;
    frame.pressed = event.key;
    frame.characters = types;
    if (movesKeyboard(event)) framesToOpen_ = kFramesToOpen;
  }
  toKey(event);
  modifiers_ = event.mods;
  return true;
}

/// Never waits: a repeat only matters while the key is held.
bool InputQueue::takeRepeat(const KeyEvent& event, const Frame& frame) {
  const bool heldOn = std::none_of(events_.begin(), events_.end(), [&](const Event& later) {
    const auto* key = std::get_if<KeyEvent>(&later);
    return key != nullptr && key->key == event.key && key->action == KeyAction::release;
  });
  const bool types = ImGui::GetIO().WantTextInput && onlyTypes(event);
  if (heldOn && !types && !frame.acts && !frame.opening) repeats_ = true;
  return true;
}

void InputQueue::toKey(const KeyEvent& event) const {
  if (toKey_) {
    toKey_(event);
  } else if (event.key != 0) {
    ui::injectKey(ImGui::GetIO(), static_cast<ui::Key>(event.key),
                  event.action != KeyAction::release);
  }
}

/// Characters typed faster than frames are drawn enter the field together.
bool InputQueue::take(const Character& event, Frame& frame) {
  if (frame.opening || !frame.characters) return false;
  frame.typed = true;
  ui::typeCharacter(event.codepoint, [](unsigned c) { ImGui::GetIO().AddInputCharacter(c); });
  return true;
}

bool InputQueue::take(const Position& event, Frame& frame) {
  if (frame.acts) return false;
  frame.moved = frame.moved || event.at.x != position_.x || event.at.y != position_.y;
  position_ = event.at;
  return true;
}

bool InputQueue::take(const Button& event, Frame& frame) {
  // the hovered item is known one frame after the mouse has moved
  if (frame.acts || frame.typed || (event.down && frame.moved)) return false;
  frame.acts = true;
  frame.characters = false;
  framesToOpen_ = kFramesToOpen;
  const auto index = static_cast<std::size_t>(event.button);
  buttons_[index] = event.down;
  if (!event.down) return true;
  // the least time since the last click: events during a frame have no exact time
  const double since = std::max(event.time.from - clickedAt_[index], 0.0);
  clickedAt_[index] = event.time.to;
  ImGuiIO& io = ImGui::GetIO();
  io.MouseClickedTime[index] = std::isfinite(since)
                                   ? ImGui::GetTime() + static_cast<double>(io.DeltaTime) - since
                                   : -std::numeric_limits<float>::max();
  return true;
}

bool InputQueue::take(const Wheel& event, Frame& frame) {
  if ((frame.acts && !frame.wheels) || frame.moved) return false;
  frame.acts = frame.wheels = true;
  ui::injectWheel(ImGui::GetIO(), event.lines.y, event.lines.x);
  return true;
}

bool InputQueue::take(const Focus& event, Frame& frame) {
  if (!event.has && frame.any) return false;  // such a frame releases every key
  ImGui::GetIO().AddFocusEvent(event.has);
  if (event.has) return true;
  frame.left = true;
  modifiers_ = 0;
  return true;
}

}  // namespace headscope::host
