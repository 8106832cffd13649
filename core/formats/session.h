// Session: a document with the view of it and its scenes, as a pair of files: NAME.headscope.json
// and the tensors beside it in NAME.<hash>.safetensors.
//
// The pair is replaced as one: the tensors are written under a name of their own, made of what they
// hold; renaming the JSON, which names them, is what saves; then the tensors of before go. Killed
// at any moment, what is on the disk is the old session or the new one, and perhaps a file too
// many, which the next save removes. Equal tensors are not written again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/document.h"

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

struct Session {
  DocumentPtr document;
  std::string view = "{}";
  std::vector<SavedScene> scenes;  // by number
  std::string origin;              // of an autosave: the session's own file, "" before the first
};

/// Whether a path has the ending of sessions: ".headscope.json".
bool isSession(const std::filesystem::path& path);
/// "lecture" as "lecture.headscope.json".
std::filesystem::path withSessionEnding(const std::filesystem::path& path);
/// "lecture": what a session's file is called without the ending.
std::string sessionName(const std::filesystem::path& path);

/// Throws UserError naming the path and the reason; what was there before stays.
void saveSession(const std::filesystem::path& path, const Session& session);

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
