#include "app/host/input_queue.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/ui/compat.h"
#include "app/ui/text_field.h"

namespace headscope::host {
namespace {

/// A command or a click may open a field, which takes the keyboard two frames later.
constexpr int kFramesToOpen = 2;

// GLFW's codes that ui::Key does not name.
constexpr int kWorld2 = 162;
constexpr int kLeftShift = 340;
constexpr int kRightShift = 344;

/// The bit of a modifier key, left or right; 0 of all other keys.
int modifierOf(int key) {
  constexpr std::array kMods{kModShift, kModCtrl, kModAlt, kModSuper};
  if (key < kLeftShift || key >= kRightShift + static_cast<int>(kMods.size())) return 0;
  return kMods[static_cast<std::size_t>(key - kLeftShift) % kMods.size()];
}

/// True where a text field has no use for the key: its character says it all.
bool onlyTypes(const InputQueue::KeyEvent& event) {
  return event.key >= static_cast<int>(ui::Key::space) && event.key <= kWorld2 &&
         (event.mods & ~kModShift) == 0;
}

/// True where a key may give the keyboard to a text field, or take it away.
bool movesKeyboard(const InputQueue::KeyEvent& event) {
  constexpr std::array kMoving{ui::Key::enter, ui::Key::keypadEnter, ui::Key::escape, ui::Key::tab};
  return (event.mods & kModCtrl) != 0 ||
         std::find(kMoving.begin(), kMoving.end(), static_cast<ui::Key>(event.key)) !=
             kMoving.end();
}

}  // namespace

/// What the frame to come was given so far.
struct InputQueue::Frame {
  bool any = false;
  bool opening = false;    // what was opened has no keyboard yet
  bool acts = false;       // a key or a button, or the wheel
  bool wheels = false;     // the wheel was what acts
  bool characters = true;  // may still come
  bool typed = false;
  bool moved = false;          // the mouse
  bool left = false;           // the keyboard went to another program
  std::optional<int> pressed;  // a key
  std::set<int> released;
};

void InputQueue::addKey(KeyEvent event) {
  // on its own press and release a modifier key is, and is not, held
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
  // what acts in a frame, and what is typed in it, has the modifiers of its own moment
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
    // up and down again before one frame, it would seem held throughout
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

/// Never waits: a key is held now, or it is not.
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

/// A text that is typed faster than frames are drawn goes into its field at once.
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
  // what lies under the mouse is known in the frame after it has moved
  if (frame.acts || frame.typed || (event.down && frame.moved)) return false;
  frame.acts = true;
  frame.characters = false;
  framesToOpen_ = kFramesToOpen;
  const auto index = static_cast<std::size_t>(event.button);
  buttons_[index] = event.down;
  if (!event.down) return true;
  // since the last click, at least: of what came while a frame was drawn no more is known
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
  if (!event.has && frame.any) return false;  // such a frame lets go of every key
  ImGui::GetIO().AddFocusEvent(event.has);
  if (event.has) return true;
  frame.left = true;
  modifiers_ = 0;
  return true;
}

}  // namespace headscope::host
