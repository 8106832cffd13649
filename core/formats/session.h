// Session: a document with the view of it and its scenes, as a pair of files: NAME.headscope.json
// and the tensors beside it in NAME.<hash>.safetensors.
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
#include "core/document/document.h"
#include "core/formats/model_edits.h"

namespace headscope::formats {

inline constexpr const char* kSessionEnding = ".headscope.json";
inline constexpr int kScenes = 9;

/// What is written and said of a scene.
struct SceneWords {
  std::string title;
  std::string sentence = {};  // in large letters while it is presented
  std::string speaker = {};   // for who gives the lecture
};

/// A numbered bookmark of state and view.
struct SavedScene {
  int number = 1;  // 1 … kScenes
  SceneWords words;
  DocumentPtr document;
  std::string view;  // a JSON object, the application's own
};

/// A document that is a layer of a model; so are those that edits of it lead to.
struct ShownLayer {
  DocumentPtr document;
  Index layer = 0;
  model::ModelInput input;  // what the model was given
};

/// The edits of a model: of one that is open, or as a file keeps them.
struct SavedModel {
  std::filesystem::path folder;
  model::ModelDocumentPtr document{};  // with its edited layers; null: the model is not open
  std::vector<model::HeadOfLayer> off{};
  std::shared_ptr<const ModelEdits> kept{};  // where the model is not open
  std::vector<ShownLayer> shown{};
  std::shared_ptr<const void> version{};  // the same for the same edits

  /// Something in the model was changed.
  bool edited() const;
};
using SavedModels = std::vector<std::shared_ptr<const SavedModel>>;

/// A hash of the JSON of a session's file: another one has saved it where that has changed.
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

/// Whether a path has the ending of sessions: ".headscope.json".
bool isSession(const std::filesystem::path& path);
/// "lecture" as "lecture.headscope.json".
std::filesystem::path withSessionEnding(const std::filesystem::path& path);
/// "lecture": what a session's file is called without the ending.
std::string sessionName(const std::filesystem::path& path);

/// The file does not hold what is expected: it was saved by somebody else.
class SessionChanged : public UserError {
 public:
  using UserError::UserError;
};

struct SessionSaved {
  FileContent content = 0;
  std::string leftOut;  // what could not be kept and why; empty: nothing
};
/// Throws UserError naming the path and the reason; what was there before stays. SessionChanged
/// where the file is there and does not hold `expected`.
SessionSaved saveSession(const std::filesystem::path& path, const Session& session,
                         std::optional<FileContent> expected = std::nullopt);

/// Throws UserError that names the file and field, also for a field that this program does not
/// know: numbers could depend on it. Those of a view are passed over.
Session loadSession(const std::filesystem::path& path, Index memoryBudget);

/// The session's file and those beside it that hold its tensors; empty for an empty path.
std::vector<std::filesystem::path> filesOf(const std::filesystem::path& session);

/// Both files go.
void removeSession(const std::filesystem::path& path);

/// As `loadSession` of an autosave, of which only `origin` is read; "" where it cannot be.
std::string originOf(const std::filesystem::path& path);

}  // namespace headscope::formats
