// Pace: when a window draws its next frame, and which keys that frame is given.
#pragma once

#include <deque>
#include <functional>
#include <variant>

namespace headscope::host {

struct PaceInput {
  bool visible = true;
  int owedFrames = 0;       // after an event
  bool wantsFrame = false;  // an animation runs
  double nextChange = 0.0;  // seconds from the last frame until the picture changes by itself
  bool mouseHeld = false;   // buttons repeat
  bool textEdited = false;  // the caret blinks
  double sinceFrame = 0.0;  // seconds
};

/// Pure: no clock, no window. Seconds to wait for events before the next frame; 0: draw at once,
/// infinite: none until an event.
double secondsToWait(const PaceInput& input);

/// Hands the keyboard to Dear ImGui so that nothing is lost where a key goes down and up
/// between two frames, and nothing waits that could be taken in one.
///
/// Up to 1.86 ImGui only knows what is held at the moment of a frame: a short tap during a slow
/// frame would never be seen. From 1.87 on it spreads such events over frames itself, a typed
/// letter over two or three.
class KeyQueue {
 public:
  struct KeyEvent {  // as GLFW tells it
    int key, scancode, action, mods;
  };

  void addKey(int key, int scancode, int action, int mods) {
    events_.emplace_back(KeyEvent{key, scancode, action, mods});
  }
  void addCharacter(unsigned codepoint) { events_.emplace_back(codepoint); }

  /// Before a frame: passes events on up to the first that must wait for the next. True where some
  /// wait.
  bool feed(const std::function<void(const KeyEvent&)>& toKey,
            const std::function<void(unsigned)>& toCharacter);

 private:
  using Event = std::variant<KeyEvent, unsigned>;

  std::deque<Event> events_;
  int pause_ = 0;  // frames still to go by
};

}  // namespace headscope::host
