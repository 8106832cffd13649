#include "app/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <utility>

#include "app/ui/compat.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"

namespace headscope {
namespace {

// commands that must be given twice
constexpr const char* kRestore = "restore";
constexpr const char* kDiscard = "discard";

/// A model's name as that of a file.
std::string asFileName(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == '/' || c == '\\' || c == ':'; }, '-');
  return name;
}

}  // namespace

/// Opens a document whose view is applied with its trace, because the present trace may have fewer
/// heads. A lesson that is open ends with it.
void Sessions::show(DocumentPtr document, std::string newView, const std::string& name) {
  documents_.returnToOwn();
  if (document != documents_.newest()) documents_.open(document, name);
  viewToCome_ = ViewToCome{std::move(document), std::move(newView)};
}

/// Shows an opened session with its edits of models.
void Sessions::show(const formats::Session& session, const std::string& name) {
  show(session.document, session.view, name);
  viewToCome_->opensModel = true;
  model_.take(session.models, session.document);
}

void Sessions::showWith(const DocumentPtr& document, const ui::ViewState& view) {
  viewToCome_ = ViewToCome{document, viewToJson(view)};
}

bool Sessions::takeViewToCome() {
  if (!viewToCome_) return false;
  const bool awaited = viewToCome_->document == documents_.newest();
  if (awaited && !documents_.isComputed()) return false;
  if (awaited) view_ = viewFromJson(viewToCome_->view, view_);
  if (awaited && viewToCome_->opensModel) modelAsked_ = true;
  viewToCome_.reset();
  return awaited;
}

/// Returns true when a command is given for the second time; the first time it shows the warning.
bool Sessions::askedTwice(const std::string& wish, const std::string& sentence) {
  const bool again = warns(wish).has_value();
  warned_ = again ? Warned{} : Warned{wish, sentence, documents_.ownNewest()};
  if (!again) documents_.say(sentence, true);
  return again;
}

/// Returns the warning shown for a command; nothing once the document has changed.
std::optional<std::string> Sessions::warns(const std::string& wish) const {
  if (warned_.wish != wish || warned_.document != documents_.ownNewest()) return std::nullopt;
  return warned_.sentence;
}

void Sessions::open(const std::filesystem::path& path, bool asked) {
  const std::string unsaved = store_.unsavedInWords(documents_.ownNewest());
  if (!asked && !unsaved.empty() &&
      !askedTwice("open " + path.string(),
                  trFormat("{}: save it (ctrl+s), or open {} again to discard the changes", unsaved,
                           path.filename().string()))) {
    return;
  }
  documents_.attempt([&] {
    std::error_code code;
    const auto whole = std::filesystem::absolute(path, code);
    const formats::Session session =
        formats::loadSession(code ? path : whole, documents_.memoryBudget());
    show(session, "open " + path.filename().string());
    documents_.history().setMark(store_.opened(whole, session));
    shownScene_ = 0;
    documents_.say("opened " + path.string());
  });
}

void Sessions::openLink(const std::string& link) {
  link_.open(link, documents_.memoryBudget());
  documents_.say(tr("opening the link"));
}

void Sessions::copyLink() {
  link_.make({documents_.newest(), viewToJson(view_), store_.scenes(), {}, model_.saved()},
             documents_.memoryBudget());
  documents_.say(tr("making the link"));
}

void Sessions::stopLink() {
  if (!link_.busy()) return;
  link_.stop();
  documents_.say(tr("stopped: no link was copied or opened"));
}

void Sessions::takeLink() {
  auto outcome = link_.take();
  if (!outcome) return;
  if (!outcome->error.empty()) return documents_.say(outcome->error, true);
  if (!outcome->result) return;
  if (const auto& session = outcome->result->session) {
    return documents_.attempt([&] {
      show(*session, tr("open a link"));
      documents_.history().setMark(store_.opened({}, *session));
      shownScene_ = 0;
      documents_.say(tr("opened a link"));
    });
  }
  const std::string& link = outcome->result->link;
  ImGui::SetClipboardText((linkBase_ + "#" + link).c_str());
  documents_.say(linkBase_.empty()
                     ? tr("copied: append it to the address of a page with headscope (web.sh)")
                     : trFormat("copied a link of {} characters", withThousands(std::ssize(link))));
}

void Sessions::save(bool elsewhere) {
  if (!elsewhere && !store_.path().empty()) return saveTo(store_.path(), false);
  const std::string& preset = documents_.ownNewest()->preset;
  const auto moment = model_.moment();
  const std::string name = ownView().selection.page == ui::kModelPage && moment != nullptr
                               ? asFileName(moment->trace->document().model->name())
                               : preset;
  dialog_.askToSave(!store_.name().empty() ? store_.name() : name.empty() ? "session" : name);
}

void Sessions::saveTo(const std::filesystem::path& path, bool over) {
  using Replace = SessionWriter::Replace;
  store_.setModels(model_.saved());
  store_.save(path, documents_.ownNewest(), viewToJson(ownView()),
              over ? Replace::any : Replace::unchanged);
  documents_.say("saving " + path.string() +
                 (documents_.ownIsAside() ? tr(": your own work, without the lesson") : ""));
}

void Sessions::recallScene(int number) {
  const formats::SavedScene* scene = store_.scene(number);
  if (scene == nullptr) {
    documents_.say(trFormat("scene {} is not set: ctrl+{} sets it", number, number), true);
    return;
  }
  const std::string title = scene->words.title.empty() ? "" : ": " + scene->words.title;
  documents_.say(trFormat("scene {}{}", number, title));
  shownScene_ = number;
  store_.leaveFor(*scene, documents_.ownNewest(), viewToJson(ownView()));
  show(scene->document, scene->view, trFormat("scene {}", number));
}

void Sessions::setScene(int number, bool presented) {
  const formats::SavedScene* before = store_.scene(number);
  formats::SceneWords words{ui::firstTitle(view_.selection)};
  if (before != nullptr) words = before->words;
  ui::ViewState kept = view_;
  if (!presented) kept.selection.presented.clear();  // the card of an earlier presentation
  store_.setScene({number, std::move(words), documents_.newest(), viewToJson(kept)});
  shownScene_ = number;
  documents_.say(trFormat("scene {} is set: {} recalls it", number, number));
}

const formats::SavedScene* Sessions::sceneShown() const { return store_.scene(shownScene_); }

bool Sessions::showsScene() const {
  const formats::SavedScene* scene = sceneShown();
  return scene != nullptr && scene->document == documents_.newest() &&
         scene->view == viewToJson(view_);
}

const formats::SavedScene* Sessions::neighbouringScene(int by) const {
  const auto& scenes = store_.scenes();
  const auto shown = std::find_if(scenes.begin(), scenes.end(), [this](const auto& scene) {
    return scene.number == shownScene_;
  });
  if (shown == scenes.end()) return scenes.empty() ? nullptr : &scenes.front();
  const auto place = (shown - scenes.begin()) + by;
  return place >= 0 && place < std::ssize(scenes) ? &scenes[static_cast<std::size_t>(place)]
                                                  : nullptr;
}

void Sessions::recallNeighbour(int by) {
  if (const formats::SavedScene* scene = neighbouringScene(by)) recallScene(scene->number);
}

void Sessions::rewordScene(int number, std::string formats::SceneWords::*part, std::string text) {
  const formats::SavedScene* scene = store_.scene(number);
  if (scene == nullptr) return;
  formats::SceneWords words = scene->words;
  words.*part = std::move(text);
  store_.rewordScene(number, words);
}

void Sessions::keys() {
  using ui::ctrlPressed;
  using ui::Key;
  if (ctrlPressed(Key{'S'}, false)) save(ImGui::GetIO().KeyShift);
  if (ctrlPressed(Key{'O'}, false)) askToOpen();
}

void Sessions::sceneKeys(bool presented) {
  for (int number = 1; number <= formats::kScenes; ++number) {
    const auto key = static_cast<ui::Key>('0' + number);
    if (ImGui::GetIO().KeyAlt || !ui::keyPressed(key, false)) continue;
    ImGui::GetIO().KeyCtrl ? setScene(number, presented) : recallScene(number);
  }
}

/// Handles keys with ctrl and shift, so that no typed letter triggers them.
void Sessions::recoveryKeys() {
  if (store_.abandoned().empty() || !ImGui::GetIO().KeyShift) return;
  if (ui::ctrlPressed(ui::Key{'R'}, false)) return restore();
  if (ui::ctrlPressed(ui::Key{'X'}, false)) discard();
}

void Sessions::restore() {
  const std::string unsaved = store_.unsavedInWords(documents_.ownNewest());
  if (!unsaved.empty() &&
      !askedTwice(
          kRestore,
          unsaved +
              tr(": save it (ctrl+s), or restore again (ctrl+shift+r) to discard the changes"))) {
    return;
  }
  documents_.attempt([&] {
    const SessionStore::Restoring restoring = store_.load(documents_.memoryBudget());
    show(restoring.session, "restore");
    documents_.history().setMark(store_.restored(restoring));
    documents_.say(tr("restored the unsaved changes"));
  });
}

void Sessions::discard() {
  if (!askedTwice(kDiscard,
                  tr("Discarding cannot be undone: discard again (ctrl+shift+x) to confirm"))) {
    return;
  }
  store_.discard();
  documents_.say(tr("discarded the unsaved changes"));
}

void Sessions::windows(const ui::FrameContext& look, std::optional<float> top,
                       const std::vector<std::string>& recent, ui::FrameCommands& commands) {
  const ui::FileDialog::Answer answer =
      dialog_.draw(look, {store_.path(), store_.unsavedInWords(documents_.ownNewest()), recent});
  if (answer.open && formats::isSession(*answer.open)) {
    open(*answer.open, true);
  } else if (answer.open) {
    commands.add(ui::OpenFile{*answer.open});
  }
  // the dialog has confirmed the replacement of another session's file
  if (answer.save) saveTo(*answer.save, *answer.save != store_.path());
  if (answer.saveOver) saveTo(*answer.saveOver, true);
  if (answer.saveElsewhere) save(true);
  const float heightBefore = std::exchange(offerHeight_, 0.0F);
  if (!top || store_.abandoned().empty()) return;
  const AbandonedAutosave& first = store_.abandoned().front();
  const std::string what = first.origin.empty()
                               ? std::string(tr("What was changed"))
                               : fmt::format("'{}'", formats::sessionName(first.origin));
  std::string question = trFormat("{} was not saved before headscope ended. Restore it as of {}?",
                                  what, timeInWords(first.written, std::time(nullptr)));
  for (const char* wish : {kRestore, kDiscard}) question = warns(wish).value_or(question);
  switch (ui::recoveryBanner(look, question, *top, offerHeight_)) {
    case ui::Recovery::restore:
      restore();
      break;
    case ui::Recovery::discard:
      discard();
      break;
    case ui::Recovery::undecided:
      break;
  }
  if (offerHeight_ != heightBefore) look.changesIn(0.0);  // the body's room changed
}

bool Sessions::follow() {
  takeLink();
  if (store_.follow(documents_.ownHistory())) {  // after undo or redo
    model_.take(store_.models(), documents_.ownNewest());
    modelAsked_ = true;
  }
  const bool viewCame = takeViewToCome();
  store_.setModels(model_.saved());
  ui::ViewState kept = ownView();
  if (documents_.isAsOpened()) store_.noteAsOpened(documents_.ownNewest());
  if (kept.frame.playing)
    kept.selection.playTime.reset();  // its position is saved once it is paused
  const auto news =
      store_.update(documents_.ownNewest(), keptView_.of(kept), documents_.ownIsComputed());
  if (news) documents_.say(news->sentence, news->isError);
  if (news && !news->changed.empty()) dialog_.askToReplace(news->changed);
  return viewCame;
}

}  // namespace headscope
