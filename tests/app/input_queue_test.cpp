// The input queue: the keyboard and mouse events given to each frame after a slow one.
#include "app/host/input_queue.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "app/ui/compat.h"

namespace headscope::ui {
namespace {

using host::InputQueue;
using host::KeyAction;

constexpr double kSlow = 0.3;  // seconds of a frame

class Input : public testing::Test {
 protected:
  Input() : context_(ImGui::CreateContext()) {
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {200, 100};
    prepareInjectedInput(io);
    io.Fonts->Build();
  }
  ~Input() override { ImGui::DestroyContext(context_); }

  void key(Key key, KeyAction action, int mods = 0) {
    input_.setTime(now_ - frameTime_, now_);
    input_.addKey({static_cast<int>(key), 0, action, mods});
  }
  void tap(Key which, int mods = 0) {
    key(which, KeyAction::press, mods);
    key(which, KeyAction::release, mods);
  }
  void ctrl(bool down) {
    constexpr Key kLeftCtrl{341};
    // X11 reports the modifiers held before the event
    key(kLeftCtrl, down ? KeyAction::press : KeyAction::release, down ? 0 : host::kModCtrl);
  }
  void click(int button = 0) {
    for (const bool down : {true, false}) {
      input_.setTime(now_ - frameTime_, now_);
      input_.addMouseButton(button, down);
    }
  }

  void begin() {
    ImGui::GetIO().DeltaTime = static_cast<float>(frameTime_);
    input_.feed();
    input_.repeatKeys();
    ImGui::NewFrame();
  }
  void end() {
    ImGui::EndFrame();
    now_ += frameTime_;
  }
  /// The number of frames in which the condition holds. Runs until no event waits, and `more`
  /// frames after that.
  template <typename Holds>
  int frames(Holds holds, int more = 3) {
    int count = 0;
    for (int left = more; left > 0; left = input_.waiting() ? more : left - 1) {
      begin();
      if (holds()) ++count;
      end();
    }
    return count;
  }
  int presses(Key key, bool repeat = true) {
    return frames([=] { return keyPressed(key, repeat); });
  }

  ImGuiContext* context_;
  InputQueue input_;
  double frameTime_ = kSlow;
  double now_ = 0.0;
};

TEST_F(Input, AKeyThatIsHeldThroughSlowFramesIsPressedOnce) {
  key(Key::down, KeyAction::press);
  EXPECT_EQ(frames([] { return keyPressed(Key::down); }, 20), 1);
  EXPECT_TRUE(keyDown(Key::down));
  key(Key::down, KeyAction::release);
  EXPECT_EQ(presses(Key::down), 0);
  EXPECT_FALSE(keyDown(Key::down));
}

TEST_F(Input, TapsWithinOneFrameAllCount) {
  for (int i = 0; i < 3; ++i) tap(Key{'Z'});
  EXPECT_EQ(presses(Key{'Z'}), 3);
  tap(Key::enter);
  tap(Key{'2'});
  tap(Key::enter);
  std::vector<Key> order;
  frames([&] {
    for (const Key key : {Key::enter, Key{'2'}}) {
      if (keyPressed(key)) order.push_back(key);
    }
    return true;
  });
  EXPECT_EQ(order, (std::vector{Key::enter, Key{'2'}, Key::enter}));
}

TEST_F(Input, CtrlIsHeldForItsOwnKeyThoughItIsUpByNow) {
  ctrl(true);
  tap(Key{'Z'}, host::kModCtrl);
  ctrl(false);
  tap(Key{'Y'});
  int undone = 0;
  int plain = 0;
  frames([&] {
    undone += ctrlPressed(Key{'Z'}) ? 1 : 0;
    plain += keyPressed(Key{'Y'}) && !ImGui::GetIO().KeyCtrl ? 1 : 0;
    return true;
  });
  EXPECT_EQ(undone, 1);
  EXPECT_EQ(plain, 1);
  EXPECT_FALSE(ImGui::GetIO().KeyCtrl);
}

TEST_F(Input, OneOfTwoCtrlKeysIsStillHeldWhenTheOtherGoesUp) {
  ctrl(true);
  key(Key{345}, KeyAction::press, host::kModCtrl);
  ctrl(false);
  frames([] { return true; });
  EXPECT_TRUE(ImGui::GetIO().KeyCtrl);
  key(Key{345}, KeyAction::release, host::kModCtrl);
  frames([] { return true; });
  EXPECT_FALSE(ImGui::GetIO().KeyCtrl);
}

TEST_F(Input, AKeyRepeatsWhereTheWindowSystemSaysSo) {
  for (const double frameTime : {1.0 / 120, 1.0 / 60, kSlow, 2.0}) {
    frameTime_ = frameTime;
    key(Key::down, KeyAction::press);
    EXPECT_EQ(presses(Key::down), 1) << frameTime;
    for (int i = 0; i < 4; ++i) {
      key(Key::down, KeyAction::repeat);
      EXPECT_EQ(presses(Key::down), 1) << frameTime;
      key(Key::down, KeyAction::repeat);
      EXPECT_EQ(presses(Key::down, false), 0) << "asked for without repeats";
    }
    key(Key::down, KeyAction::release);
    EXPECT_EQ(presses(Key::down), 0) << frameTime;
  }
}

TEST_F(Input, RepeatsThatPileUpEndWithTheKey) {
  key(Key::down, KeyAction::press);
  EXPECT_EQ(presses(Key::down), 1);
  for (int i = 0; i < 10; ++i) key(Key::down, KeyAction::repeat);
  EXPECT_EQ(presses(Key::down), 1) << "one a frame";
  for (int i = 0; i < 10; ++i) key(Key::down, KeyAction::repeat);
  key(Key::down, KeyAction::release);
  EXPECT_EQ(presses(Key::down), 0) << "the key is up";
}

TEST_F(Input, KeyboardNavigationRepeatsOnceAsWell) {
  constexpr float kFactors[] = {0.72F, 1.0F, 1.25F};  // of Dear ImGui's key delay
  for (const double frameTime : {1.0 / 144, 1.0 / 60, kSlow, 5.0}) {
    frameTime_ = frameTime;
    const ImGuiIO& io = ImGui::GetIO();
    const auto steps = [&](float factor) {
#if IMGUI_VERSION_NUM >= 18700
      return ImGui::GetKeyPressedAmount(ImGuiKey_DownArrow, factor * io.KeyRepeatDelay,
                                        factor * io.KeyRepeatRate);
#else
      return ImGui::GetKeyPressedAmount(static_cast<int>(Key::down), factor * io.KeyRepeatDelay,
                                        factor * io.KeyRepeatRate);
#endif
    };
    key(Key::down, KeyAction::press);
    frames([] { return true; });
    begin();
    for (const float factor : kFactors) EXPECT_EQ(steps(factor), 0) << frameTime;
    end();
    key(Key::down, KeyAction::repeat);
    begin();
    for (const float factor : kFactors) EXPECT_EQ(steps(factor), 1) << frameTime;
    end();
    key(Key::down, KeyAction::release);
    frames([] { return true; });
  }
}

TEST_F(Input, EveryClickCountsWhereItWasGiven) {
  const ImGuiIO& io = ImGui::GetIO();
  std::vector<float> at;
  input_.addMousePosition({30, 40});
  click();
  input_.addMousePosition({150, 40});
  click();
  click();
  input_.addMousePosition({10, 10});
  frames([&] {
    if (ImGui::IsMouseClicked(0)) at.push_back(io.MousePos.x);
    return true;
  });
  EXPECT_EQ(at, (std::vector{30.0F, 150.0F, 150.0F}));
  EXPECT_EQ(io.MousePos.x, 10.0F);
  EXPECT_FALSE(ImGui::IsAnyMouseDown());
}

TEST_F(Input, AClickComesAFrameAfterTheMouse) {
  input_.addMousePosition({30, 40});
  click();
  begin();
  EXPECT_FALSE(ImGui::IsMouseClicked(0));
  EXPECT_EQ(ImGui::GetIO().MousePos.x, 30.0F);
  end();
  begin();
  EXPECT_TRUE(ImGui::IsMouseClicked(0)) << "what it is over was known before";
  end();
}

TEST_F(Input, ADoubleClickIsTwoClicksThatCameSoon) {
  const auto doubles = [this] { return frames([] { return ImGui::IsMouseDoubleClicked(0); }); };
  click();
  click();
  EXPECT_EQ(doubles(), 1) << "within one frame";
  now_ += 5.0;
  click();
  EXPECT_EQ(doubles(), 0) << "five seconds later";
  now_ += 5.0;
  input_.setTime(now_, now_);
  input_.addMouseButton(0, true);
  begin();
  end();
  input_.addMouseButton(0, false);
  click();
  EXPECT_EQ(doubles(), 1) << "the second while the first was drawn";
  now_ += 5.0;
  for (const double later : {0.0, 1.0}) {
    input_.setTime(now_ + later, now_ + later);
    input_.addMouseButton(0, true);
    input_.addMouseButton(0, false);
  }
  frameTime_ = 1.0 / 60;
  EXPECT_EQ(doubles(), 0) << "a second between them, though frames were fast";
}

TEST_F(Input, EveryNotchOfTheWheelCountsWhereItWasGiven) {
  const ImGuiIO& io = ImGui::GetIO();
  std::vector<std::pair<float, float>> turned;
  input_.addMousePosition({30, 40});
  for (int i = 0; i < 3; ++i) input_.addWheel({0, 1});
  input_.addMousePosition({150, 40});
  input_.addWheel({0, -1});
  frames([&] {
    if (io.MouseWheel != 0.0F) turned.emplace_back(io.MousePos.x, io.MouseWheel);
    return true;
  });
  EXPECT_EQ(turned, (std::vector<std::pair<float, float>>{{30.0F, 3.0F}, {150.0F, -1.0F}}));
}

/// The input of a text field, frame by frame: characters, then the key pressed.
class Typing : public Input {
 protected:
  std::string typed() {
    std::string all;
    frames([&] {
      const ImGuiIO& io = ImGui::GetIO();
      for (const ImWchar c : io.InputQueueCharacters) {
        all += io.KeyCtrl ? '!' : static_cast<char>(c);
      }
      if (keyPressed(Key::backspace)) all += '<';
      if (keyPressed(Key::enter)) all += '\n';
      if (ctrlPressed(Key{'A'})) all += "[all]";
      return true;
    });
    return all;
  }
  void type(const std::string& text) {
    for (const char c : text) {
      key(Key{c >= 'a' ? c - 'a' + 'A' : c}, KeyAction::press);
      input_.addCharacter(static_cast<unsigned>(c));
      key(Key{c >= 'a' ? c - 'a' + 'A' : c}, KeyAction::release);
    }
  }
  void typeAll() {
    type("ab");
    tap(Key::backspace);
    type("c");
    ctrl(true);
    tap(Key{'A'}, host::kModCtrl);
    ctrl(false);
    type("d");
    tap(Key::enter);
    tap(Key::enter);
  }
};

TEST_F(Typing, StaysInOrder) {
  typeAll();
  EXPECT_EQ(typed(), "ab<c[all]d\n\n");
}

TEST_F(Typing, StaysInOrderInAField) {
  ImGui::GetIO().WantTextInput = true;
  const auto all = [this] {
    std::string result;
    while (input_.waiting()) {
      begin();
      ImGuiIO& io = ImGui::GetIO();
      for (const ImWchar c : io.InputQueueCharacters) {
        result += io.KeyCtrl ? '!' : static_cast<char>(c);
      }
      if (keyPressed(Key::backspace)) result += '<';
      if (keyPressed(Key::enter)) result += '\n';
      if (ctrlPressed(Key{'A'})) result += "[all]";
      end();
      io.WantTextInput = true;
    }
    return result;
  };
  typeAll();
  EXPECT_EQ(all(), "ab<c[all]d\n\n");
  for (int i = 0; i < 50; ++i) type("x");
  int frames = 0;
  std::string text;
  while (input_.waiting()) {
    ++frames;
    begin();
    for (const ImWchar c : ImGui::GetIO().InputQueueCharacters) text += static_cast<char>(c);
    end();
    ImGui::GetIO().WantTextInput = true;
  }
  EXPECT_EQ(text, std::string(50, 'x'));
  EXPECT_LE(frames, 3) << "a text goes into its field at once";
}

TEST_F(Input, TheKeyboardThatIsLostLetsGoOfEveryKey) {
  ctrl(true);
  key(Key{'Z'}, KeyAction::press, host::kModCtrl);
  input_.addFocus(false);
  tap(Key{'Z'});
  input_.addFocus(true);
  std::string seen;
  frames([&] {
    if (keyPressed(Key{'Z'})) seen += ImGui::GetIO().KeyCtrl ? "ctrl+z " : "z ";
    return true;
  });
  EXPECT_EQ(seen, "ctrl+z z ");
  EXPECT_FALSE(keyDown(Key{'Z'}));
}

TEST_F(Input, AKeyWhoseReleaseWasNeverReportedIsPressedAgain) {
  key(Key{'S'}, KeyAction::press);
  EXPECT_EQ(presses(Key{'S'}, false), 1);
  key(Key{'S'}, KeyAction::press);
  EXPECT_EQ(presses(Key{'S'}, false), 1);
}

}  // namespace
}  // namespace headscope::ui
