// The commands of a frame: they keep their order, and the application runs them in it.
#include "app/ui/frame_commands.h"

#include <gtest/gtest.h>

#include <variant>

#include "core/attention/config.h"
#include "core/attention/switches.h"

namespace headscope::ui {
namespace {

TEST(FrameCommands, KeepTheirOrder) {
  FrameCommands commands;
  commands.push(SetSwitch{&Switches::temperature, 2.0}, "temperature");
  commands.add(Undo{});
  commands.say("done");
  ASSERT_EQ(commands.all().size(), 3U);
  EXPECT_TRUE(std::holds_alternative<PushEdit>(commands.all()[0]));
  EXPECT_TRUE(std::holds_alternative<Undo>(commands.all()[1]));
  EXPECT_TRUE(std::holds_alternative<Say>(commands.all()[2]));
}

TEST(FrameCommands, SayWhichKindsAreThere) {
  FrameCommands commands;
  EXPECT_FALSE(commands.has<OpenDocument>());
  commands.add(OpenDocument{nullptr, "lesson"});
  EXPECT_TRUE(commands.has<OpenDocument>());
  EXPECT_FALSE(commands.has<OpenPreset>());
}

}  // namespace
}  // namespace headscope::ui
