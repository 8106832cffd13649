// Session store: the session that is open (its file, its scenes, whether it is saved), its
// autosave, and what earlier programs have left to be restored.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/autosave.h"
#include "app/session_writer.h"
#include "core/formats/session.h"

namespace headscope {

class SessionStore {
 public:
  struct Start {
    DocumentPtr document;
    std::filesystem::path path;  // empty: not a session's yet
    std::vector<formats::SavedScene> scenes;
    std::filesystem::path stateFolder;  // of autosaves; empty: none
  };
  struct News {
    std::string sentence;
    bool isError = false;
  };

  explicit SessionStore(Start start);
  /// A clean exit: what is being saved is finished. The autosave goes, unless it has changes to a
  /// session that has a file or scenes: those are offered at the next start.
  ~SessionStore();
  SessionStore(const SessionStore&) = delete;
  SessionStore& operator=(const SessionStore&) = delete;

  void onWake(std::function<void()> wake) { writer_.setWake(std::move(wake)); }

  const std::filesystem::path& path() const { return path_; }
  /// What the session is called: "" before its first save.
  std::string name() const;
  /// Something is not in the file: scenes, or a document that is neither the saved one nor a
  /// scene's.
  bool unsaved(const DocumentPtr& document) const;
  bool scenesUnsaved() const { return scenesRevision_ != savedScenesRevision_; }

  const std::vector<formats::SavedScene>& scenes() const { return scenes_; }
  const formats::SavedScene* scene(int number) const;
  void setScene(formats::SavedScene scene);
  void retitleScene(int number, std::string title);
  void removeScene(int number);

  /// Hands the session over to be saved; `path` is its file from then on.
  void save(const std::filesystem::path& path, DocumentPtr document, std::string view);
  /// A session was loaded from its file.
  void opened(const std::filesystem::path& path, const formats::Session& session);

  /// Once a frame: autosaves what has changed, and tells what has happened.
  std::optional<News> update(const DocumentPtr& document, const std::string& view);
  /// Waits for the writer.
  void finish() { writer_.wait(true); }

  const std::vector<AbandonedAutosave>& abandoned() const { return abandoned_; }
  /// Loads the newest of them; it goes once it is autosaved anew. Throws UserError, and then it is
  /// no longer offered by this program.
  formats::Session restore(Index memoryBudget);
  void discard();

 private:
  struct Snapshot {  // of what can be saved
    DocumentPtr document;
    std::string view;
    int scenesRevision = 0;

    bool operator==(const Snapshot&) const = default;
  };
  void autosave(const DocumentPtr& document, const std::string& view);
  std::optional<News> newsOf(const SessionWriter::Done& done);

  std::filesystem::path path_;
  std::vector<formats::SavedScene> scenes_;
  int scenesRevision_ = 0;

  DocumentPtr savedDocument_;
  int savedScenesRevision_ = 0;
  std::optional<Snapshot> saving_;
  std::filesystem::path pathBefore_;  // where that saving goes wrong

  std::unique_ptr<AutosaveSlot> slot_;
  std::optional<Snapshot> autosaved_;
  std::string autosaveError_;
  std::vector<AbandonedAutosave> abandoned_;
  std::filesystem::path restored_;  // to be removed once the own autosave is there
  std::optional<News> startNews_;

  SessionWriter writer_;  // last: gone before what it could still touch
};

}  // namespace headscope
