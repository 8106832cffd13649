// Session store: the sessions that the history contains (each with its file, its scenes and its
// saved state), the autosave of the shown one, and the autosaves that earlier processes left.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/autosave.h"
#include "app/session_writer.h"
#include "core/editing/history.h"
#include "core/formats/session.h"

namespace headscope {

class SessionStore {
 public:
  struct Start {
    DocumentPtr document;
    std::filesystem::path path;  // empty: the session has no file yet
    std::vector<formats::SavedScene> scenes;
    std::filesystem::path stateFolder;  // the folder of autosaves; empty: none
    std::string noStateFolder = {};     // why there is no state folder; empty: none is wanted
    int mark = 0;                       // the mark of the document's state in the history
    formats::SavedModels models{};
    std::optional<formats::FileContent> content{};  // the file's content when it was read
    std::string view{};         // the view's text in the file; empty: there is no file
    double retrySeconds = 5.0;  // the delay of a retry after a failed autosave
  };
  struct News {
    std::string sentence;
    bool isError = false;
    std::filesystem::path changed{};  // saved by another process: ask before replacing
  };

  SessionStore(Scheduler& scheduler, Start start);
  /// Finishes saving. A clean exit removes the autosave, unless it holds changes to a session that
  /// has a file or scenes: the next start offers those, though not a chain alone. An exception
  /// keeps the autosave.
  ~SessionStore();
  SessionStore(const SessionStore&) = delete;
  SessionStore& operator=(const SessionStore&) = delete;

  void onWake(std::function<void()> wake) { writer_.setWake(std::move(wake)); }

  const std::filesystem::path& path() const { return shown().path; }
  /// The name of the session: "" before its first save.
  std::string name() const;
  /// Returns whether the file lacks anything: scenes, a document that is neither the saved one nor
  /// a scene's, one that was left for a scene, or edits of a model.
  bool unsaved(const DocumentPtr& document) const;
  /// The unsaved parts as a sentence without a full stop; empty where everything is saved.
  std::string unsavedInWords(const DocumentPtr& document) const;

  const std::vector<formats::SavedScene>& scenes() const { return shown().scenes; }
  const formats::SavedScene* scene(int number) const;
  void setScene(formats::SavedScene scene);
  void rewordScene(int number, const formats::SceneWords& words);
  void removeScene(int number);

  /// Sets the current edits of models, which are saved with the session.
  void setModels(formats::SavedModels models) { shown().models = std::move(models); }
  const formats::SavedModels& models() const { return shown().models; }

  /// Saves the session in the background; `path` becomes its file.
  void save(std::filesystem::path path, DocumentPtr document, std::string view,
            SessionWriter::Replace replace = SessionWriter::Replace::any);
  /// Shows a session loaded from its file. Returns the mark of its states in the history.
  int opened(const std::filesystem::path& path, const formats::Session& session);
  /// Notes that a document is only a file as it was opened: nothing of it is unsaved, unless
  /// something was before, or the session has a file of its own.
  void noteAsOpened(const DocumentPtr& document);
  /// Shows the session of the history's current state, and forgets sessions without any state.
  /// Returns whether the shown session has changed.
  bool follow(const History& history);
  /// The number of files that are compared before they are replaced.
  std::size_t knownFiles() const { return writer_.knownFiles(); }
  /// Records that a scene replaces the document, whose unsaved changes are kept until the next
  /// save.
  void leaveFor(const formats::SavedScene& scene, const DocumentPtr& document, std::string view);

  /// Autosaves changes, and a chain that is followed on the page Model, and returns news, if any.
  /// Call it once a frame. `computed`: the document has
  /// its pass.
  std::optional<News> update(const DocumentPtr& document, const std::string& view, bool computed);
  /// The reason why unsaved changes are not autosaved, with the remedy; empty where they are.
  std::string whyNotAutosaved() const;
  /// Waits until the writer has finished.
  void finish() { writer_.wait(true); }

  const std::vector<AbandonedAutosave>& abandoned() const { return abandoned_; }
  struct Restoring {
    formats::Session session;
    std::filesystem::path origin;  // the session's own file, if it has one
    std::filesystem::path autosave;
  };
  /// Loads the newest abandoned autosave. Throws UserError on failure, after which this process no
  /// longer offers it; SessionLocked, after which it still does.
  Restoring load(Index memoryBudget);
  /// Shows the restored session, as `opened` does. Its old autosave is removed once a new one is
  /// written.
  int restored(const Restoring& restoring);
  void discard();

 private:
  struct Seen {
    DocumentPtr document;
    std::string view;

    bool operator==(const Seen&) const = default;
  };
  /// The identities of the models' edits, for comparison.
  using Versions = std::vector<std::shared_ptr<const void>>;
  static Versions versionsOf(const formats::SavedModels& models);
  struct Open {  // a session
    std::filesystem::path path;
    std::vector<formats::SavedScene> scenes;
    int scenesRevision = 0;
    DocumentPtr savedDocument;
    int savedScenesRevision = 0;
    std::optional<Seen> left{};  // the unsaved state that a scene replaced
    formats::SavedModels models{};
    Versions savedVersions{};
    std::string savedWork{};  // workInView() of the saved view
  };
  struct Saving {
    SessionWriter::Ticket ticket;
    int mark;
    std::filesystem::path path, before;  // before: the session's file if saving fails
    DocumentPtr document, left;
    int scenesRevision;
    Versions versions;
    std::string work;
  };
  struct Autosaved {
    int mark;
    Seen seen;
    int scenesRevision;
    Versions versions;
    std::string work;

    bool operator==(const Autosaved&) const = default;
  };
  struct Restored {
    int mark;
    DocumentPtr document;
    std::filesystem::path autosave;    // removed once this process has its own autosave
    SessionWriter::Ticket ticket = 0;  // the ticket of the own autosave; 0: not requested yet
  };
  Open& shown() { return open_.at(mark_); }
  const Open& shown() const { return open_.at(mark_); }
  /// Returns whether the document is unsaved, regardless of a state that was left for a scene.
  static bool unsavedIn(const Open& session, const DocumentPtr& document);
  static bool modelsUnsavedIn(const Open& session) {
    return versionsOf(session.models) != session.savedVersions;
  }
  bool awaitsAutosave() const { return restored_ && restored_->mark == mark_; }
  int show(Open session);
  /// Forgets the contents of files that no open session has.
  void forgetFiles();
  void takeSlot();
  void autosave(const DocumentPtr& document, const std::string& view, bool computed);
  std::optional<News> autosaveNews(const SessionWriter::Done& done);
  std::optional<News> newsOf(const SessionWriter::Done& done);

  std::map<int, Open> open_;  // by their marks in the history
  int mark_ = 0;
  int lastMark_ = 0;
  std::vector<Saving> saving_;

  std::filesystem::path stateFolder_;
  std::string noStateFolder_;
  std::unique_ptr<AutosaveSlot> slot_;
  std::string slotError_;  // why there is no slot
  std::optional<Autosaved> autosaved_;
  std::optional<Autosaved> failed_;  // the state whose autosave failed and is retried
  std::string autosaveError_;
  double retrySeconds_;
  double slotTried_ = 0.0;  // clockSeconds()
  std::vector<AbandonedAutosave> abandoned_;
  std::optional<Restored> restored_;
  std::optional<News> startNews_;
  bool unsavedBefore_ = false;           // at the last update()
  std::string viewBefore_, workBefore_;  // likewise

  int exceptions_;  // the number of exceptions in flight at construction

  SessionWriter writer_;  // last: destroyed before the members that it uses
};

}  // namespace headscope
