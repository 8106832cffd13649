// Injected input reaches ImGui unchanged with every supported version.
#include "app/ui/compat.h"

#include <gtest/gtest.h>

#include <array>

namespace headscope::ui {
namespace {

class Compat : public testing::Test {
 protected:
  Compat() : context_(ImGui::CreateContext()) {
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {200, 100};
    io.DeltaTime = 1.0F / 60;
    prepareInjectedInput(io);
    io.Fonts->Build();
  }
  ~Compat() override { ImGui::DestroyContext(context_); }

  template <typename Check>
  void frame(Check check) {
    ImGui::NewFrame();
    check();
    ImGui::EndFrame();
  }
  void frame() {
    frame([] {});
  }

  ImGuiContext* context_;
};

constexpr std::array kKeys{
    Key{'A'},   Key{'X'},      Key{'Z'},   Key{'0'},   Key{'9'},    Key::space,    Key::comma,
    Key::minus, Key::period,   Key::slash, Key::equal, Key::escape, Key::enter,    Key::tab,
    Key::right, Key::left,     Key::down,  Key::up,    Key::home,   Key::end,      Key::pageUp,
    Key::del,   Key::pageDown, Key::f1,    Key::f5,    Key::f11,    Key::backspace};

TEST_F(Compat, AKeyIsItselfAndNoOther) {
  for (const Key pressed : kKeys) {
    frame();
    injectKey(ImGui::GetIO(), pressed, true);
    frame([&] {
      for (const Key key : kKeys) {
        EXPECT_EQ(keyPressed(key, false), key == pressed)
            << static_cast<int>(key) << " while pressing " << static_cast<int>(pressed);
        EXPECT_EQ(keyDown(key), key == pressed);
      }
    });
    frame([&] { EXPECT_FALSE(keyPressed(pressed, false)) << "held, not pressed again"; });
    injectKey(ImGui::GetIO(), pressed, false);
    frame();
    EXPECT_FALSE(keyDown(pressed));
  }
}

TEST_F(Compat, CtrlTakesPartWhereItIsAskedFor) {
  ImGuiIO& io = ImGui::GetIO();
  frame();
  injectKey(io, Key{'Z'}, true);
  frame([] { EXPECT_FALSE(ctrlPressed(Key{'Z'})); });
  injectKey(io, Key{'Z'}, false);
  frame();
  injectModifiers(io, true, false, false);
  injectKey(io, Key{'Z'}, true);
  frame();
  injectKey(io, Key{'Z'}, false);
  frame();
  injectKey(io, Key{'Z'}, true);
  frame([] { EXPECT_TRUE(ctrlPressed(Key{'Z'})); });
}

TEST_F(Compat, MouseMovesClicksAndTurnsItsWheel) {
  ImGuiIO& io = ImGui::GetIO();
  injectMousePosition(io, {30, 40});
  frame([&] {
    EXPECT_EQ(io.MousePos.x, 30);
    EXPECT_EQ(io.MousePos.y, 40);
  });
  injectMouseButton(io, 0, true);
  frame([] { EXPECT_TRUE(ImGui::IsMouseClicked(0)); });
  injectMouseButton(io, 0, false);
  frame([] { EXPECT_TRUE(ImGui::IsMouseReleased(0)); });
  injectWheel(io, 2);
  frame([&] { EXPECT_EQ(io.MouseWheel, 2); });
}

}  // namespace
}  // namespace headscope::ui
