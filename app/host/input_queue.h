// Input queue: the events of keyboard and mouse, in order, passed to Dear ImGui frame by frame, so
// that every key, click and wheel step acts exactly once, however long frames take.
//
// Dear ImGui knows only the state at the moment of a frame (up to 1.86), or spreads events over
// frames by rules of its own (from 1.87 on). In both cases it repeats a key by the time for which
// it was held, which one slow frame exceeds, and measures a double click from frame to frame. Here
// a frame gets one press at a time, a key repeats when the window system repeats it, and the time
// between two clicks is that of the events.
#pragma once

#include <imgui.h>

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace headscope::host {

/// The actions of a key, numbered as in GLFW.
enum class KeyAction : int { release = 0, press = 1, repeat = 2 };
inline constexpr int kModShift = 1;
inline constexpr int kModCtrl = 2;
inline constexpr int kModAlt = 4;
inline constexpr int kModSuper = 8;

class InputQueue {
 public:
  struct KeyEvent {
    int key;  // GLFW's code; 0: only the modifiers changed
    int scancode;
    KeyAction action;
    int mods;  // kMod…, the modifiers held at that moment
  };

  InputQueue() { clickedAt_.fill(-std::numeric_limits<double>::infinity()); }

  /// Sets the function that passes a key to Dear ImGui; by default compat.h's injectKey.
  void onKey(std::function<void(const KeyEvent&)> toKey) { toKey_ = std::move(toKey); }

  // Events in the order in which they happened.
  void addKey(KeyEvent event);
  void addCharacter(unsigned codepoint) { events_.emplace_back(Character{codepoint}); }
  void addText(std::string_view utf8);
  void addMousePosition(ImVec2 at) { events_.emplace_back(Position{at}); }
  /// Adds that the mouse has left the window.
  void loseMouse() { addMousePosition({kNowhere, kNowhere}); }
  void addMouseButton(int button, bool down);
  void addWheel(ImVec2 lines) { events_.emplace_back(Wheel{lines}); }
  /// Adds whether the window has the keyboard focus.
  void addFocus(bool has);
  /// Sets the interval, in seconds, in which the events added next happened.
  void setTime(double from, double to) { time_ = {from, to}; }

  /// Passes the events of the next frame to Dear ImGui. Call it once before each frame.
  void feed();
  /// Counts a held key as pressed again where the window system has repeated it since the last
  /// frame. Call it before each ImGui::NewFrame().
  void repeatKeys();
  /// Returns whether events wait for a later frame.
  bool waiting() const { return !events_.empty(); }

 private:
  struct TimelineSegment {
    double from, to;
  };
  struct Character {
    unsigned codepoint;
  };
  struct Position {
    ImVec2 at;
  };
  struct Button {
    int button;
    bool down;
    TimelineSegment time;
  };
  struct Wheel {
    ImVec2 lines;
  };
  struct Focus {
    bool has;
  };
  using Event = std::variant<KeyEvent, Character, Position, Button, Wheel, Focus>;
  struct Frame;

  // Returns whether the frame takes the event; otherwise it and all later events wait.
  bool take(const KeyEvent& event, Frame& frame);
  bool take(const Character& event, Frame& frame);
  bool take(const Position& event, Frame& frame);
  bool take(const Button& event, Frame& frame);
  bool take(const Wheel& event, Frame& frame);
  bool take(const Focus& event, Frame& frame);

  bool takeRepeat(const KeyEvent& event, const Frame& frame);
  void toKey(const KeyEvent& event) const;

  static constexpr float kNowhere = -std::numeric_limits<float>::max();

  std::deque<Event> events_;
  std::set<int> held_;  // the keys held after the newest event
  TimelineSegment time_{0.0, 0.0};
  std::function<void(const KeyEvent&)> toKey_;

  // The state after the newest event passed to a frame.
  ImVec2 position_{kNowhere, kNowhere};
  std::array<bool, 5> buttons_{};
  std::array<double, 5> clickedAt_;
  int modifiers_ = 0;
  int framesToOpen_ = 0;  // the number of frames until an opened field gets the keys
  bool repeats_ = false;
};

}  // namespace headscope::host
