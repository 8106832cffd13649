#include "app/session_store.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace headscope {
namespace {

constexpr double kAutosaveDelay = 0.4;  // seconds after a change, for those that follow at once
constexpr double kViewDelay = 3.0;      // where only the view has changed

}  // namespace

SessionStore::SessionStore(Start start)
    : path_(std::move(start.path)),
      scenes_(std::move(start.scenes)),
      savedDocument_(std::move(start.document)) {
  if (start.stateFolder.empty()) return;
  abandoned_ = abandonedAutosaves(start.stateFolder);
  try {
    slot_ = std::make_unique<AutosaveSlot>(start.stateFolder);
  } catch (const UserError& error) {
    startNews_ = News{error.what(), true};
  }
}

SessionStore::~SessionStore() {
  const bool kept = autosaved_ && (!path_.empty() || !scenes_.empty());
  if (slot_ && !kept) writer_.remove(slot_->path());
  writer_.wait(true);
}

std::string SessionStore::name() const { return path_.empty() ? "" : formats::sessionName(path_); }

bool SessionStore::unsaved(const DocumentPtr& document) const {
  if (scenesUnsaved()) return true;
  return document != savedDocument_ &&
         std::none_of(scenes_.begin(), scenes_.end(),
                      [&](const formats::SavedScene& s) { return s.document == document; });
}

const formats::SavedScene* SessionStore::scene(int number) const {
  const auto found =
      std::find_if(scenes_.begin(), scenes_.end(),
                   [number](const formats::SavedScene& s) { return s.number == number; });
  return found == scenes_.end() ? nullptr : &*found;
}

void SessionStore::setScene(formats::SavedScene scene) {
  const auto at = std::find_if(scenes_.begin(), scenes_.end(), [&](const formats::SavedScene& s) {
    return s.number >= scene.number;
  });
  if (at != scenes_.end() && at->number == scene.number) {
    *at = std::move(scene);
  } else {
    scenes_.insert(at, std::move(scene));
  }
  ++scenesRevision_;
}

void SessionStore::retitleScene(int number, std::string title) {
  for (formats::SavedScene& scene : scenes_) {
    if (scene.number == number) scene.title = title;
  }
  ++scenesRevision_;
}

void SessionStore::removeScene(int number) {
  std::erase_if(scenes_, [number](const formats::SavedScene& s) { return s.number == number; });
  ++scenesRevision_;
}

void SessionStore::save(const std::filesystem::path& path, DocumentPtr document, std::string view) {
  if (!saving_) pathBefore_ = path_;
  path_ = path;
  saving_ = Snapshot{document, view, scenesRevision_};
  writer_.write(path, {std::move(document), std::move(view), scenes_, {}});
}

void SessionStore::opened(const std::filesystem::path& path, const formats::Session& session) {
  path_ = path;
  scenes_ = session.scenes;
  savedDocument_ = session.document;
  savedScenesRevision_ = ++scenesRevision_;
}

std::optional<SessionStore::News> SessionStore::newsOf(const SessionWriter::Done& done) {
  const bool failed = !done.error.empty();
  if (slot_ && done.path == slot_->path()) {
    if (!failed && !done.removed && !restored_.empty()) {
      writer_.remove(std::exchange(restored_, {}));
    }
    if (std::exchange(autosaveError_, done.error) == done.error || !failed) return std::nullopt;
    return News{"not autosaved: " + done.error, true};
  }
  if (done.removed) return failed ? std::optional(News{done.error, true}) : std::nullopt;
  if (failed) {
    savedDocument_.reset();
    if (saving_) path_ = pathBefore_;
    saving_.reset();
    return News{"not saved: " + done.error, true};
  }
  if (saving_ && done.path == path_) {
    savedDocument_ = saving_->document;
    savedScenesRevision_ = saving_->scenesRevision;
    saving_.reset();
  }
  return News{"saved " + done.path.string()};
}

void SessionStore::autosave(const DocumentPtr& document, const std::string& view) {
  if (!slot_) return;
  if (!unsaved(document) && restored_.empty()) {
    if (autosaved_) writer_.remove(slot_->path());
    autosaved_.reset();
    return;
  }
  Snapshot now{document, view, scenesRevision_};
  if (autosaved_ == now) return;
  const bool viewOnly = autosaved_ && autosaved_->document == document &&
                        autosaved_->scenesRevision == scenesRevision_;
  writer_.write(slot_->path(), {document, view, scenes_, path_.string()},
                viewOnly ? kViewDelay : kAutosaveDelay);
  autosaved_ = std::move(now);
}

std::optional<SessionStore::News> SessionStore::update(const DocumentPtr& document,
                                                       const std::string& view) {
  std::optional<News> news = std::exchange(startNews_, std::nullopt);
  while (const auto done = writer_.take()) {
    if (auto more = newsOf(*done)) news = std::move(more);
  }
  autosave(document, view);
  return news;
}

formats::Session SessionStore::restore(Index memoryBudget) {
  const AbandonedAutosave first = abandoned_.front();
  abandoned_.erase(abandoned_.begin());
  formats::Session session = formats::loadSession(first.path, memoryBudget);
  opened(first.origin, session);
  savedDocument_.reset();  // the file of before does not hold it
  savedScenesRevision_ = -1;
  if (!restored_.empty()) writer_.remove(restored_);
  restored_ = first.path;
  return session;
}

void SessionStore::discard() {
  writer_.remove(abandoned_.front().path);
  abandoned_.erase(abandoned_.begin());
}

}  // namespace headscope
