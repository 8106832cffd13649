// Sessions and scenes: opening, saving, restoring, and going back to a scene.
#include <fmt/format.h>

#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "app/app_state.h"
#include "app/ui/compat.h"
#include "app/ui/session_controls.h"
#include "app/view_json.h"

namespace headscope {
namespace {

// wishes that are asked for twice
constexpr const char* kRestore = "restore";
constexpr const char* kDiscard = "discard";

}  // namespace

/// The view comes with the trace it is of: the one before may have fewer heads.
void App::State::show(DocumentPtr document, std::string newView, const std::string& name) {
  if (document != history.current()) {
    history.apply(Open{document, name});
    worker.request(document);
  }
  viewToCome = ViewToCome{std::move(document), std::move(newView)};
}

void App::State::takeViewToCome() {
  if (!viewToCome) return;
  if (viewToCome->document != history.current()) {
    viewToCome.reset();
  } else if (trace && trace->documentPtr() == viewToCome->document) {
    view = viewFromJson(viewToCome->view, view);
    viewOpened();
    playback = {};  // the timeline's position is the view's own, whatever was played before
    viewToCome.reset();
  }
}

/// True the second time that the same is wished; the first time it says what to know before.
bool App::State::askedTwice(const std::string& wish, const std::string& sentence) {
  const bool again = warns(wish).has_value();
  warned = again ? Warned{} : Warned{wish, sentence, history.current()};
  if (!again) say(sentence, true);
  return again;
}

/// What was said when that was wished; nothing once the document is another one.
std::optional<std::string> App::State::warns(const std::string& wish) const {
  if (warned.wish != wish || warned.document != history.current()) return std::nullopt;
  return warned.sentence;
}

/// `asked`: whether what is not saved may be left, which the dialog asks by itself.
void App::State::openSession(const std::filesystem::path& path, bool asked) {
  const std::string unsaved = store.unsavedInWords(history.current());
  if (!asked && !unsaved.empty() &&
      !askedTwice("open " + path.string(),
                  fmt::format("{}: save it (ctrl+s), or open {} once more to leave it", unsaved,
                              path.filename().string()))) {
    return;
  }
  attempt([&] {
    std::error_code code;
    const auto whole = std::filesystem::absolute(path, code);
    const formats::Session session = formats::loadSession(code ? path : whole, memoryBudget);
    show(session.document, session.view, "open " + path.filename().string());
    history.setMark(store.opened(whole, session));
    say("opened " + path.string());
  });
}

void App::State::saveSession(bool elsewhere) {
  if (!elsewhere && !store.path().empty()) {
    store.save(store.path(), history.current(), viewToJson(view));
    say("saving " + store.path().string());
    return;
  }
  const std::string& preset = history.current()->preset;
  ui::askToSave(sessionDialog, !store.name().empty() ? store.name()
                               : preset.empty()      ? "session"
                                                     : preset);
}

void App::State::recallScene(int number) {
  const formats::SavedScene* scene = store.scene(number);
  if (scene == nullptr) {
    say(fmt::format("scene {} is not set: ctrl+{} sets it", number, number), true);
    return;
  }
  const std::string title = scene->title.empty() ? "" : ": " + scene->title;
  say(fmt::format("scene {}{}", number, title));
  store.leaveFor(*scene, history.current(), viewToJson(view));
  show(scene->document, scene->view, fmt::format("scene {}", number));
}

void App::State::setScene(int number) {
  const formats::SavedScene* before = store.scene(number);
  const std::string title = before != nullptr ? before->title : ui::firstTitle(view);
  store.setScene({number, title, history.current(), viewToJson(view)});
  say(fmt::format("scene {} is set: {} recalls it", number, number));
}

void App::State::doSceneWishes(const ui::SceneWishes& wishes) {
  if (wishes.recall > 0) recallScene(wishes.recall);
  if (wishes.set > 0) setScene(wishes.set);
  if (wishes.remove > 0) store.removeScene(wishes.remove);
  if (wishes.retitle > 0) store.retitleScene(wishes.retitle, wishes.title);
}

void App::State::sessionKeys() {
  using ui::ctrlPressed;
  using ui::Key;
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  const bool shift = ImGui::GetIO().KeyShift;
  if (ctrlPressed(Key{'S'}, false)) saveSession(shift);
  if (ctrlPressed(Key{'O'}, false)) ui::askToOpen(sessionDialog);
  if (shift && ctrlPressed(Key{'T'}, false)) saveWhenDone = true;
}

/// Single keys, where nothing is being typed.
void App::State::sceneKeys() {
  for (int number = 1; number <= formats::kScenes; ++number) {
    const auto key = static_cast<ui::Key>('0' + number);
    if (ImGui::GetIO().KeyAlt || !ui::keyPressed(key, false)) continue;
    ImGui::GetIO().KeyCtrl ? setScene(number) : recallScene(number);
  }
  if (store.abandoned().empty() || ImGui::GetIO().KeyCtrl) return;
  if (ui::keyPressed(ui::Key{'X'}, false)) discard();
}

/// While the banner is shown its R comes before a tool's.
bool App::State::restoreKey() {
  if (store.abandoned().empty() || !ui::keyPressed(ui::Key{'R'}, false)) return false;
  restore();
  return true;
}

void App::State::restore() {
  const std::string unsaved = store.unsavedInWords(history.current());
  if (!unsaved.empty() &&
      !askedTwice(kRestore, unsaved + ": save it (ctrl+s), or restore once more (R) to leave it")) {
    return;
  }
  attempt([&] {
    const SessionStore::Restoring restoring = store.load(memoryBudget);
    show(restoring.session.document, restoring.session.view, "restore");
    history.setMark(store.restored(restoring));
    say("restored what was not saved");
  });
}

void App::State::discard() {
  if (!askedTwice(kDiscard,
                  "Discarding cannot be undone: discard once more (X) to lose it for good")) {
    return;
  }
  store.discard();
  say("discarded what was not saved");
}

void App::State::sessionWindows(const ui::Look& look) {
  const ui::SessionDialogAnswer answer =
      ui::sessionDialog(look, sessionDialog, store.path(), store.unsavedInWords(history.current()));
  if (answer.open) openSession(*answer.open, true);
  if (answer.save) {
    store.save(*answer.save, history.current(), viewToJson(view));
    say("saving " + answer.save->string());
  }
  const float heightBefore = std::exchange(offerHeight, 0.0F);
  if (store.abandoned().empty()) return;
  const AbandonedAutosave& first = store.abandoned().front();
  const std::string what = first.origin.empty()
                               ? std::string("What was changed")
                               : fmt::format("'{}'", formats::sessionName(first.origin));
  std::string question =
      fmt::format("{} was not saved before headscope ended. Restore it as of {}?", what,
                  timeInWords(first.written, std::time(nullptr)));
  for (const char* wish : {kRestore, kDiscard}) question = warns(wish).value_or(question);
  switch (ui::recoveryBanner(look, question, offerTop, offerHeight)) {
    case ui::Recovery::restore:
      restore();
      break;
    case ui::Recovery::discard:
      discard();
      break;
    case ui::Recovery::undecided:
      break;
  }
  if (offerHeight != heightBefore) look.changesIn(0.0);  // the body makes room for it
}

void App::State::followSession() {
  store.follow(history);
  takeViewToCome();
  ui::ViewState kept = view;
  if (kept.playing) kept.playTime.reset();  // where it stands is kept once it halts
  const DocumentPtr& now = history.current();
  const auto news =
      store.update(now, viewToJson(kept), trace != nullptr && trace->documentPtr() == now);
  if (news) say(news->sentence, news->isError);
}

}  // namespace headscope
