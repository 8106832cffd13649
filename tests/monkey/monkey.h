// Monkey: a seeded random user of the whole program, on a host without window and GPU. One seed
// gives one sequence of events on every machine: unless it hurries, the monkey waits for the worker
// after each event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "app/app.h"
#include "app/host/headless.h"
#include "last_words.h"
#include "random.h"
#include "watch.h"
#include "zoo.h"

namespace headscope::monkey {

/// `waits`: results are there in the next frame, so that a seed repeats exactly. `hurries`: events
/// arrive while the engine computes.
enum class Pace { waits, hurries };

class Monkey {
 public:
  Monkey(std::uint64_t seed, Pace pace);

  /// Throws Fault, with the last events in its text, where a check fails.
  void run(int events);

  /// A number made of all documents and views that the monkey reached.
  std::uint64_t walked() const { return walked_; }
  int frames() const { return frames_; }
  double slowestFrame() const { return slowest_; }  // seconds

 private:
  void start();
  void event();
  void frame();
  void frames(int count);
  void takeInput();
  void rest();
  void note(std::string what);
  std::string story();

  // what it does (monkey_events.cpp)
  void click();
  void doubleClick();
  void hover();
  void drag();
  void wheel();
  void key();
  void typeText();
  void typeNumber();
  void drop();
  void edit();
  void resize();
  void look();
  void wait();
  void restart();
  void undoToTheStart();

  void press(ui::Key key, bool ctrl = false, bool shift = false, bool alt = false, int held = 1);
  void type(const std::string& text);
  void clickAt(ImVec2 at, int button);
  void letGo();
  ImVec2 anyPlace();
  std::optional<ImVec2> anyWord(bool numbersOnly);
  std::optional<ImVec2> anyCell();
  void drawPicture();

  Random random_;
  std::uint64_t seed_;
  Pace pace_;
  std::deque<std::string> last_;
  int events_ = 0;
  int frames_ = 0;
  double slowest_ = 0.0;
  std::uint64_t walked_ = 0;
  LastWords words_;

  DocumentPtr first_;
  Zoo zoo_;
  bool keeps_ = false;  // whether unsaved work is kept in a state folder
  host::Headless host_;
  std::optional<App> app_;
  DocumentPtr seen_;
  Watch watch_;
};

}  // namespace headscope::monkey
