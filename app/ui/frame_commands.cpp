#include "app/ui/frame_commands.h"

#include <utility>

namespace headscope::ui {

FrameCommand::FrameCommand(const FrameCommand&) = default;
FrameCommand::FrameCommand(FrameCommand&&) noexcept = default;
FrameCommand& FrameCommand::operator=(const FrameCommand&) = default;
FrameCommand& FrameCommand::operator=(FrameCommand&&) noexcept = default;
FrameCommand::~FrameCommand() = default;

void FrameCommands::add(FrameCommand command) { commands_.push_back(std::move(command)); }

void FrameCommands::push(Edit edit, std::string gesture) {
  add(PushEdit{std::move(edit), std::move(gesture)});
}

void FrameCommands::say(std::string sentence, bool error) { add(Say{std::move(sentence), error}); }

}  // namespace headscope::ui
