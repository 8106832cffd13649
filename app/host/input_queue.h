// Input queue: what keyboard and mouse did, in order, handed to Dear ImGui frame by frame, so that
// every key, click and notch of the wheel acts as often as it was given, however long frames take.
//
// Dear ImGui knows only the state at the moment of a frame (up to 1.86), or spreads events over
// frames by rules of its own (from 1.87 on); either way it repeats a key by the time that the key
// has been held, which one slow frame exceeds, and measures a double click from frame to frame.
// Here a frame gets one press at a time, a key repeats where the window system says so, and the
// time between two clicks is that of the events.
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

/// As GLFW numbers them.
enum class KeyAction : int { release = 0, press = 1, repeat = 2 };
inline constexpr int kModShift = 1;
inline constexpr int kModCtrl = 2;
inline constexpr int kModAlt = 4;
inline constexpr int kModSuper = 8;

class InputQueue {
 public:
  struct KeyEvent {
    int key;  // GLFW's code; 0: none, the modifiers alone
    int scancode;
    KeyAction action;
    int mods;  // kMod…, held at that moment
  };

  InputQueue() { clickedAt_.fill(-std::numeric_limits<double>::infinity()); }

  /// How a key reaches Dear ImGui; compat.h's injectKey where nothing is set.
  void onKey(std::function<void(const KeyEvent&)> toKey) { toKey_ = std::move(toKey); }

  // Events in the order in which they happened.
  void addKey(KeyEvent event);
  void addCharacter(unsigned codepoint) { events_.emplace_back(Character{codepoint}); }
  void addText(std::string_view utf8);
  void addMousePosition(ImVec2 at) { events_.emplace_back(Position{at}); }
  /// The mouse has left the window.
  void loseMouse() { addMousePosition({kNowhere, kNowhere}); }
  void addMouseButton(int button, bool down);
  void addWheel(ImVec2 lines) { events_.emplace_back(Wheel{lines}); }
  /// Whether the window has the keyboard.
  void addFocus(bool has);
  /// Events that are added from now on happened between these two moments, in seconds.
  void setTime(double from, double to) { time_ = {from, to}; }

  /// Once before a frame: hands over what that frame may get.
  void feed();
  /// Before each ImGui::NewFrame(): a key that is held counts as pressed again where the window
  /// system has repeated it since the last one.
  void repeatKeys();
  /// Whether events wait for a later frame.
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

  // True where the frame takes the event; else it waits, and all that follow it.
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
  std::set<int> held_;  // keys, as of the newest event
  TimelineSegment time_{0.0, 0.0};
  std::function<void(const KeyEvent&)> toKey_;

  // As of the newest event that a frame was given.
  ImVec2 position_{kNowhere, kNowhere};
  std::array<bool, 5> buttons_{};
  std::array<double, 5> clickedAt_;
  int modifiers_ = 0;
  int framesToOpen_ = 0;  // until keys go to what was opened
  bool repeats_ = false;
};

}  // namespace headscope::host
