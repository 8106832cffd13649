// Session store: the sessions that are open along the history (each with its file, its scenes, and
// whether it is saved), the autosave of the one shown, and what earlier programs have left to be
// restored.
#pragma once

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
    std::filesystem::path path;  // empty: not a session's yet
    std::vector<formats::SavedScene> scenes;
    std::filesystem::path stateFolder;  // of autosaves; empty: none
    std::string noStateFolder = {};     // why there is none; empty: none is wanted
    int mark = 0;                       // of the document's state in the history
    formats::SavedModels models{};
    std::optional<formats::FileContent> content{};  // of the file at `path` when it was read
    double retrySeconds = 5.0;                      // after autosaving has failed
  };
  struct News {
    std::string sentence;
    bool isError = false;
    std::filesystem::path changed{};  // somebody else has saved this file: to be asked about
  };

  explicit SessionStore(Start start);
  /// What is being saved is finished. At a clean exit the autosave goes, unless it has changes to a
  /// session that has a file or scenes: those are offered at the next start. Where an exception
  /// ends the program it stays.
  ~SessionStore();
  SessionStore(const SessionStore&) = delete;
  SessionStore& operator=(const SessionStore&) = delete;

  void onWake(std::function<void()> wake) { writer_.setWake(std::move(wake)); }

  const std::filesystem::path& path() const { return shown().path; }
  /// What the session is called: "" before its first save.
  std::string name() const;
  /// Something is not in the file: scenes, a document that is neither the saved one nor a scene's,
  /// one that was left for a scene, or edits of a model.
  bool unsaved(const DocumentPtr& document) const;
  /// What that is, as a sentence begins; empty where nothing is unsaved.
  std::string unsavedInWords(const DocumentPtr& document) const;

  const std::vector<formats::SavedScene>& scenes() const { return shown().scenes; }
  const formats::SavedScene* scene(int number) const;
  void setScene(formats::SavedScene scene);
  void rewordScene(int number, const formats::SceneWords& words);
  void removeScene(int number);

  /// The edits of models as they are now, which are saved with the session.
  void setModels(formats::SavedModels models) { shown().models = std::move(models); }
  const formats::SavedModels& models() const { return shown().models; }

  /// Hands the session over to be saved; `path` is its file from then on.
  void save(std::filesystem::path path, DocumentPtr document, std::string view,
            SessionWriter::Replace replace = SessionWriter::Replace::any);
  /// A session was loaded from its file, and is shown from now on. Gives the mark of its states in
  /// the history.
  int opened(const std::filesystem::path& path, const formats::Session& session);
  /// The session shown is the one that the history's current state belongs to; those that no state
  /// belongs to are forgotten. True where it is another one than before.
  bool follow(const History& history);
  /// A scene takes the document's place: its unsaved changes are kept until the next save.
  void leaveFor(const formats::SavedScene& scene, const DocumentPtr& document, std::string view);

  /// Once a frame: autosaves what has changed, and tells what has happened. `computed`: the
  /// document has its pass.
  std::optional<News> update(const DocumentPtr& document, const std::string& view, bool computed);
  /// Why what is not saved is not autosaved, and what to do; empty where it is.
  std::string whyNotAutosaved() const;
  /// Waits for the writer.
  void finish() { writer_.wait(true); }

  const std::vector<AbandonedAutosave>& abandoned() const { return abandoned_; }
  struct Restoring {
    formats::Session session;
    std::filesystem::path origin;  // its own file, where it had one
    std::filesystem::path autosave;
  };
  /// Loads the newest of them. Throws UserError, and then it is no longer offered by this program.
  Restoring load(Index memoryBudget);
  /// It is shown from now on, as `opened`; its autosave goes once it is autosaved anew.
  int restored(const Restoring& restoring);
  void discard();

 private:
  struct Seen {
    DocumentPtr document;
    std::string view;

    bool operator==(const Seen&) const = default;
  };
  /// Of the models' edits.
  using Versions = std::vector<std::shared_ptr<const void>>;
  static Versions versionsOf(const formats::SavedModels& models);
  struct Open {  // a session
    std::filesystem::path path;
    std::vector<formats::SavedScene> scenes;
    int scenesRevision = 0;
    DocumentPtr savedDocument;
    int savedScenesRevision = 0;
    std::optional<Seen> left{};  // unsaved, when a scene took its place
    formats::SavedModels models{};
    Versions savedVersions{};
  };
  struct Saving {
    SessionWriter::Ticket ticket;
    int mark;
    std::filesystem::path path, before;  // before: the session's file where the saving goes wrong
    DocumentPtr document, left;
    int scenesRevision;
    Versions versions;
  };
  struct Autosaved {
    int mark;
    Seen seen;
    int scenesRevision;
    Versions versions;

    bool operator==(const Autosaved&) const = default;
  };
  struct Restored {
    int mark;
    DocumentPtr document;
    std::filesystem::path autosave;    // to be removed once the own one is there
    SessionWriter::Ticket ticket = 0;  // of the own one; 0: it is not wanted yet
  };
  Open& shown() { return open_.at(mark_); }
  const Open& shown() const { return open_.at(mark_); }
  /// The document itself, whatever was left for it.
  static bool unsavedIn(const Open& session, const DocumentPtr& document);
  static bool modelsUnsavedIn(const Open& session) {
    return versionsOf(session.models) != session.savedVersions;
  }
  bool awaitsAutosave() const { return restored_ && restored_->mark == mark_; }
  int show(Open session);
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
  std::optional<Autosaved> failed_;  // what could not be autosaved, and is tried again
  std::string autosaveError_;
  double retrySeconds_;
  double slotTried_ = 0.0;  // clockSeconds()
  std::vector<AbandonedAutosave> abandoned_;
  std::optional<Restored> restored_;
  std::optional<News> startNews_;

  int exceptions_;  // under way when this was made

  SessionWriter writer_;  // last: gone before what it could still touch
};

}  // namespace headscope
