// Frame commands: what the panels of a frame ask the application to do. They are collected in order
// and run at the end of the frame:
//
//   panel.commands.push(SetCell{cell, 0.5F});
//   panel.commands.add(OpenDocument{document, "lesson: Two heads"});
//
// A new command is a struct here, a member of FrameCommand and a case in App::State::run(); a
// forgotten case does not compile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/document/fwd.h"
#include "core/editing/edit.h"

namespace headscope {
struct Preset;
}  // namespace headscope

namespace headscope::formats {
struct SceneWords;
}  // namespace headscope::formats

namespace headscope::ui {

enum class ExportKind;

// The document and its history.

struct PushEdit {
  Edit edit;
  std::string gesture;  // a name; one undo entry for a whole drag or typing
};
/// Keeps the last gesture open after this frame: later edits may join its entry.
struct KeepGesture {};
struct Undo {};
struct Redo {};
struct JumpTo {
  std::size_t state;  // of the history
};
/// Makes a state of the history the one that "Changes" compares with.
struct CompareWith {
  std::size_t state;
};
struct OpenDocument {
  DocumentPtr document;
  std::string name;  // name of the history's entry
  /// The cell that is chosen, with its head, once the document's pass is there: the present pass
  /// may have fewer heads and tokens.
  std::optional<CellRef> chosen = {};
};
/// Opens a preset, or an example in the form of one: a whole state that replaces everything.
struct OpenPreset {
  std::shared_ptr<const Preset> preset;
  std::string name;  // name of the history's entry
};
struct StopLearning {};  // or the other work whose progress the status bar shows

// The model.

/// Runs the open model on another text.
struct SetModelText {
  std::string text;
};

// Files and exports.

struct OpenFile {
  std::filesystem::path path;
};
/// Opens the host's dialog for files or for a folder (see PanelContext::hostHasDialog).
struct ChooseFiles {
  bool folder = false;
};
struct SaveTrace {};
struct ExportAs {  // opens the export dialog
  ExportKind kind;
};
struct CopyPicture {};  // onto the clipboard; needs PanelContext::copiesPictures

// The session and its scenes.

struct AskToOpen {};  // opens the dialog that opens files and folders
struct SaveSession {
  bool elsewhere = false;  // asks for a path, even if the session has one
};
struct CopyLink {};
struct RecallScene {
  int number;
};
struct SetScene {
  int number;
};
struct RemoveScene {
  int number;
};
struct RewordScene {
  int number;
  std::string formats::SceneWords::*part;  // the one to replace
  std::string text;
};

// The window.

struct BeginLesson {
  std::string id;  // of a shipped lesson
};
struct OpenHelp {
  int page = 0;
};
struct OpenSearch {};
struct CloseStart {};  // closes the start panel for good
struct Say {           // in the status bar: a result, or the reason for a failure
  std::string sentence;
  bool isError = false;
};

/// One of the commands above. frame_commands.cpp compiles its copies once, as edit.cpp does.
struct FrameCommand
    : std::variant<PushEdit, KeepGesture, Undo, Redo, JumpTo, CompareWith, OpenDocument, OpenPreset,
                   StopLearning, SetModelText, OpenFile, ChooseFiles, SaveTrace, ExportAs,
                   CopyPicture, AskToOpen, SaveSession, CopyLink, RecallScene, SetScene,
                   RemoveScene, RewordScene, BeginLesson, OpenHelp, OpenSearch, CloseStart, Say> {
  using variant::variant;
  FrameCommand(const FrameCommand&);
  FrameCommand(FrameCommand&&) noexcept;
  FrameCommand& operator=(const FrameCommand&);
  FrameCommand& operator=(FrameCommand&&) noexcept;
  ~FrameCommand();
};

class FrameCommands {
 public:
  void add(FrameCommand command);
  void push(Edit edit, std::string gesture = {});
  void say(std::string sentence, bool error = false);

  /// In the order in which they were added.
  const std::vector<FrameCommand>& all() const { return commands_; }
  template <typename Command>
  bool has() const {
    return std::any_of(commands_.begin(), commands_.end(), [](const FrameCommand& command) {
      return std::holds_alternative<Command>(command);
    });
  }

 private:
  std::vector<FrameCommand> commands_;
};

}  // namespace headscope::ui
