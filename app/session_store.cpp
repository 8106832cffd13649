#include "app/session_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "app/view_json.h"
#include "core/base/error.h"
#include "core/base/execution.h"
#include "core/base/translation.h"
#include "core/formats/session_lock.h"

namespace headscope {
namespace {

constexpr double kAutosaveDelay = 0.4;  // seconds after a change, to combine several
constexpr double kViewDelay = 3.0;      // seconds where only the view has changed

}  // namespace

SessionStore::SessionStore(Scheduler& scheduler, Start start)
    : mark_(start.mark),
      lastMark_(start.mark),
      retrySeconds_(start.retrySeconds),
      exceptions_(std::uncaught_exceptions()),
      writer_(scheduler) {
  if (start.content) writer_.know(start.path, *start.content);
  Versions versions = versionsOf(start.models);
  open_[mark_] = {std::move(start.path),
                  std::move(start.scenes),
                  0,
                  std::move(start.document),
                  0,
                  {},
                  std::move(start.models),
                  std::move(versions),
                  workInView(start.view)};
  stateFolder_ = std::move(start.stateFolder);
  noStateFolder_ = std::move(start.noStateFolder);
  if (stateFolder_.empty()) return;
  abandoned_ = abandonedAutosaves(stateFolder_);
  takeSlot();
  if (!slot_) startNews_ = News{slotError_, true};
}

void SessionStore::takeSlot() {
  slotTried_ = clockSeconds();
  try {
    slot_ = std::make_unique<AutosaveSlot>(stateFolder_);
    slotError_.clear();
  } catch (const UserError& error) {
    slotError_ = error.what();
  }
}

std::string SessionStore::whyNotAutosaved() const {
  if (!noStateFolder_.empty()) return noStateFolder_;
  if (!slotError_.empty()) return slotError_;
  return autosaveError_.empty() ? "" : autosaveError_ + tr(". Save often (ctrl+s)");
}

SessionStore::~SessionStore() {
  const bool kept =
      autosaved_ && unsavedBefore_ && (!shown().path.empty() || !shown().scenes.empty());
  const bool clean = std::uncaught_exceptions() == exceptions_;
  if (slot_ && clean && !kept) writer_.remove(slot_->path());
  writer_.wait(true);
}

std::string SessionStore::name() const {
  return path().empty() ? "" : formats::sessionName(path());
}

SessionStore::Versions SessionStore::versionsOf(const formats::SavedModels& models) {
  Versions versions;
  for (const auto& model : models) {
    if (model->edited()) versions.push_back(model->version);
  }
  return versions;
}

bool SessionStore::unsavedIn(const Open& session, const DocumentPtr& document) {
  return document != session.savedDocument &&
         std::none_of(session.scenes.begin(), session.scenes.end(),
                      [&](const formats::SavedScene& s) { return s.document == document; });
}

bool SessionStore::unsaved(const DocumentPtr& document) const {
  const Open& session = shown();
  return session.scenesRevision != session.savedScenesRevision || session.left ||
         unsavedIn(session, document) || modelsUnsavedIn(session);
}

std::string SessionStore::unsavedInWords(const DocumentPtr& document) const {
  if (!unsaved(document)) return "";
  const bool scenesAlone =
      !shown().left && !unsavedIn(shown(), document) && !modelsUnsavedIn(shown());
  if (scenesAlone) return tr("the scenes are not saved yet");
  return name().empty() ? tr("your changes are not saved yet")
                        : trFormat("your changes of '{}' are not saved yet", name());
}

const formats::SavedScene* SessionStore::scene(int number) const {
  const auto found =
      std::find_if(scenes().begin(), scenes().end(),
                   [number](const formats::SavedScene& s) { return s.number == number; });
  return found == scenes().end() ? nullptr : &*found;
}

void SessionStore::setScene(formats::SavedScene scene) {
  std::vector<formats::SavedScene>& scenes = shown().scenes;
  const auto at = std::find_if(scenes.begin(), scenes.end(), [&](const formats::SavedScene& s) {
    return s.number >= scene.number;
  });
  if (at != scenes.end() && at->number == scene.number) {
    *at = std::move(scene);
  } else {
    scenes.insert(at, std::move(scene));
  }
  ++shown().scenesRevision;
}

void SessionStore::rewordScene(int number, const formats::SceneWords& words) {
  for (formats::SavedScene& scene : shown().scenes) {
    if (scene.number == number) scene.words = words;
  }
  ++shown().scenesRevision;
}

void SessionStore::removeScene(int number) {
  std::erase_if(shown().scenes,
                [number](const formats::SavedScene& s) { return s.number == number; });
  ++shown().scenesRevision;
}

void SessionStore::leaveFor(const formats::SavedScene& scene, const DocumentPtr& document,
                            std::string view) {
  if (scene.document != document && unsavedIn(shown(), document)) {
    shown().left = Seen{document, std::move(view)};
  }
}

void SessionStore::save(std::filesystem::path path, DocumentPtr document, std::string view,
                        SessionWriter::Replace replace) {
  Open& session = shown();
  std::filesystem::path before = std::exchange(session.path, path);
  for (const Saving& other : saving_) {
    if (other.mark == mark_) before = other.before;
  }
  std::string work = workInView(view);
  const auto ticket = writer_.write(
      path, {document, std::move(view), session.scenes, {}, session.models}, 0.0, replace);
  std::erase_if(saving_, [&](const Saving& other) { return other.path == path; });
  saving_.push_back({ticket, mark_, std::move(path), std::move(before), std::move(document),
                     session.left ? session.left->document : nullptr, session.scenesRevision,
                     versionsOf(session.models), std::move(work)});
}

int SessionStore::show(Open session) {
  mark_ = ++lastMark_;
  open_[mark_] = std::move(session);
  return mark_;
}

int SessionStore::opened(const std::filesystem::path& path, const formats::Session& session) {
  if (session.content) writer_.know(path, *session.content);
  return show({path,
               session.scenes,
               0,
               session.document,
               0,
               {},
               session.models,
               versionsOf(session.models),
               workInView(session.view)});
}

void SessionStore::noteAsOpened(const DocumentPtr& document) {
  if (unsavedBefore_ || awaitsAutosave() || !shown().path.empty()) return;
  shown().savedDocument = document;
}

bool SessionStore::follow(const History& history) {
  const bool another = std::exchange(mark_, history.mark()) != mark_;
  // a history from another process may return to a session that is unknown here
  open_.try_emplace(mark_);
  if (open_.size() > 1) {
    const auto gone =
        std::erase_if(open_, [&](const auto& session) { return !history.hasMark(session.first); });
    if (gone > 0) forgetFiles();
  }
  return another;
}

void SessionStore::forgetFiles() {
  std::set<std::filesystem::path> open;
  for (const auto& [mark, session] : open_) open.insert(session.path);
  for (const Saving& saving : saving_) open.insert(saving.path);
  writer_.forgetAllBut(open);
}

std::optional<SessionStore::News> SessionStore::autosaveNews(const SessionWriter::Done& done) {
  const bool failed = !done.error.empty();
  const bool has = restored_ && restored_->ticket != 0 && done.ticket >= restored_->ticket;
  if (!failed && !done.removed && has) {
    writer_.remove(restored_->autosave);
    restored_.reset();
  }
  failed_ = failed && !done.removed ? std::exchange(autosaved_, std::nullopt) : std::nullopt;
  const std::string problem = failed                 ? tr("not autosaved: ") + done.error
                              : done.leftOut.empty() ? std::string()
                                                     : tr("autosaved, but without ") + done.leftOut;
  if (std::exchange(autosaveError_, problem) == problem || problem.empty()) return std::nullopt;
  return News{problem, true};
}

std::optional<SessionStore::News> SessionStore::newsOf(const SessionWriter::Done& done) {
  if (slot_ && done.path == slot_->path()) return autosaveNews(done);
  const bool failed = !done.error.empty();
  if (done.removed) return failed ? std::optional(News{done.error, true}) : std::nullopt;
  News news =
      failed ? News{tr("not saved: ") + done.error, true} : News{"saved " + done.path.string()};
  if (done.changed) news.changed = done.path;
  if (!done.leftOut.empty()) {
    news = {trFormat("{}, but without {}", news.sentence, done.leftOut), true};
  }
  const auto found = std::find_if(saving_.begin(), saving_.end(), [&](const Saving& saving) {
    return saving.ticket == done.ticket;
  });
  if (found == saving_.end()) return news;
  const Saving saving = std::move(*found);
  saving_.erase(found);
  const auto of = open_.find(saving.mark);
  if (of == open_.end()) return news;
  Open& session = of->second;
  for (Saving& later : saving_) {
    if (!failed && later.mark == saving.mark) later.before = saving.path;
  }
  if (session.path != saving.path) return news;  // the session was saved under another name since
  if (failed) {
    session.savedDocument.reset();
    session.path = saving.before;
    return news;
  }
  session.savedDocument = saving.document;
  session.savedScenesRevision = saving.scenesRevision;
  session.savedVersions = saving.versions;
  session.savedWork = saving.work;
  if (session.left &&
      (session.left->document == saving.document || session.left->document == saving.left)) {
    session.left.reset();
  }
  return news;
}

void SessionStore::autosave(const DocumentPtr& document, const std::string& view, bool computed) {
  if (!slot_ && !stateFolder_.empty() && clockSeconds() >= slotTried_ + retrySeconds_) takeSlot();
  if (!slot_) return;
  Open& session = shown();
  if (unsavedIn(session, document)) session.left.reset();  // undo reaches it from this document
  if (std::exchange(viewBefore_, view) != view) workBefore_ = workInView(view);
  const bool followed = !workBefore_.empty() && workBefore_ != session.savedWork;
  if (!unsaved(document) && !awaitsAutosave() && !followed) {
    if (autosaved_) writer_.remove(slot_->path());
    autosaved_.reset();
    return;
  }
  // a restored document may still be refused; until its pass is computed its old autosave stays
  if (awaitsAutosave() && restored_->document == document && !computed) return;
  const Seen seen = session.left ? *session.left : Seen{document, view};
  Autosaved now{mark_, seen, session.scenesRevision, versionsOf(session.models), workBefore_};
  if (autosaved_ == now) return;
  const bool viewOnly = autosaved_ && autosaved_->mark == mark_ &&
                        autosaved_->seen.document == seen.document &&
                        autosaved_->scenesRevision == session.scenesRevision &&
                        autosaved_->versions == now.versions && autosaved_->work == now.work;
  const auto ticket = writer_.write(
      slot_->path(),
      {seen.document, seen.view, session.scenes, session.path.string(), session.models},
      failed_ == now ? retrySeconds_
      : viewOnly     ? kViewDelay
                     : kAutosaveDelay);
  if (awaitsAutosave() && restored_->ticket == 0) restored_->ticket = ticket;
  autosaved_ = std::move(now);
}

std::optional<SessionStore::News> SessionStore::update(const DocumentPtr& document,
                                                       const std::string& view, bool computed) {
  std::optional<News> news = std::exchange(startNews_, std::nullopt);
  while (const auto done = writer_.take()) {
    if (auto more = newsOf(*done)) news = std::move(more);
  }
  autosave(document, view, computed);
  unsavedBefore_ = unsaved(document);
  return news;
}

SessionStore::Restoring SessionStore::load(Index memoryBudget) {
  const AbandonedAutosave first = abandoned_.front();
  abandoned_.erase(abandoned_.begin());
  try {
    return {formats::loadSession(first.path, memoryBudget), first.origin, first.path};
  } catch (const formats::SessionLocked&) {
    abandoned_.insert(abandoned_.begin(), first);
    throw;
  }
}

int SessionStore::restored(const Restoring& restoring) {
  // no file contains it; a session restored earlier but not autosaved yet keeps its old autosave
  const formats::Session& session = restoring.session;
  if (session.originContent) writer_.know(restoring.origin, *session.originContent);
  const int mark = show({restoring.origin, session.scenes, 0, nullptr, -1, {}, session.models});
  restored_ = Restored{mark, session.document, restoring.autosave};
  return mark;
}

void SessionStore::discard() {
  writer_.remove(abandoned_.front().path);
  abandoned_.erase(abandoned_.begin());
}

}  // namespace headscope
