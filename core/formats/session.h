// Session: a document with the view of it and its scenes, as a pair of files: NAME.headscope.json
// and the tensors next to it in NAME.<hash>.safetensors.
//
// The pair is replaced as one. The tensors are written under a name made of their hash. Then the
// JSON, which names them, is renamed into place, and the previous tensor file is deleted. If the
// program is killed at any moment, the disk holds the old session or the new one, and perhaps a
// superfluous file that the next save removes. Tensors that have not changed are not written again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/document/fwd.h"
#include "core/model/stacks.h"

namespace headscope::formats {

struct ModelEdits;  // model_edits.h

inline constexpr const char* kSessionEnding = ".headscope.json";
inline constexpr int kScenes = 9;

/// The texts of a scene.
struct SceneWords {
  std::string title;
  std::string sentence = {};  // in large letters while it is presented
  std::string speaker = {};   // notes for the lecturer
};

/// A numbered bookmark of state and view.
struct SavedScene {
  int number = 1;  // 1 … kScenes
  SceneWords words;
  DocumentPtr document;
  std::string view;  // a JSON object, the application's own
};

/// A document that is a layer of a model, as are all documents that its edits produce.
struct ShownLayer {
  DocumentPtr document;
  Index layer = 0;
  model::ModelInput input;  // what the model was given
};

/// The edits of a stack of a model that is open, or those that a file stores.
struct SavedModel {
  std::filesystem::path folder;
  model::Stack stack = model::Stack::decoder;
  model::ModelDocumentPtr document{};  // with its edited layers; null: the model is not open
  std::vector<HeadOfLayer> off{};
  std::shared_ptr<const ModelEdits> kept{};  // where the model is not open
  std::vector<ShownLayer> shown{};
  std::shared_ptr<const void> version{};  // the same for the same edits

  /// Returns whether anything in the model was changed.
  bool edited() const;
};
using SavedModels = std::vector<std::shared_ptr<const SavedModel>>;

/// A hash of the JSON of a session's file. A change shows that another program has saved it.
using FileContent = std::uint64_t;

struct Session {
  DocumentPtr document;
  std::string view = "{}";
  std::vector<SavedScene> scenes;  // by number
  std::string origin;              // of an autosave: the session's own file, "" before the first
  SavedModels models{};
  std::optional<FileContent> content{};        // of the file that it was read from
  std::optional<FileContent> originContent{};  // of an autosave: what `origin` held
};

/// Returns whether a path has the ending of sessions: ".headscope.json".
bool isSession(const std::filesystem::path& path);
/// "lecture" as "lecture.headscope.json".
std::filesystem::path withSessionEnding(const std::filesystem::path& path);
/// The name of a session's file without its ending: "lecture".
std::string sessionName(const std::filesystem::path& path);

/// Thrown where another program has changed the file since it was read or saved.
class SessionChanged : public UserError {
 public:
  using UserError::UserError;
};

struct SessionSaved {
  FileContent content = 0;
  std::string leftOut;  // what could not be kept and why; empty: nothing
};
/// Throws UserError naming the path and the reason; the previous file then stays. Throws
/// SessionChanged where the file exists and its content is not `expected`.
SessionSaved saveSession(const std::filesystem::path& path, const Session& session,
                         std::optional<FileContent> expected = std::nullopt);

/// Throws UserError that names the file and field, also for an unknown field, since numbers could
/// depend on it. Unknown fields of a view are ignored.
Session loadSession(const std::filesystem::path& path, Index memoryBudget);

/// The session's file and those next to it that hold its tensors; empty for an empty path.
std::vector<std::filesystem::path> filesOf(const std::filesystem::path& session);

/// Removes the session's file and its tensors.
void removeSession(const std::filesystem::path& path);

/// Reads only the `origin` of an autosave; "" where it cannot be read.
std::string originOf(const std::filesystem::path& path);

}  // namespace headscope::formats
