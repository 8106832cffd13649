// Sessions: opens, saves and restores sessions and recalls their scenes: the user-facing side of
// the session store.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/document_editor.h"
#include "app/link_task.h"
#include "app/live_model.h"
#include "app/session_store.h"
#include "app/ui/file_dialog.h"
#include "app/ui/frame_commands.h"
#include "app/ui/scenes_panel.h"
#include "app/ui/session_controls.h"
#include "app/ui/view_state.h"
#include "app/view_json.h"

namespace headscope {

class Sessions {
 public:
  /// The arguments must outlive this object.
  Sessions(Scheduler& scheduler, DocumentEditor& documents, ui::ViewState& view, LiveModel& model,
           SessionStore::Start start)
      : documents_(documents),
        view_(view),
        model_(model),
        store_(scheduler, std::move(start)),
        link_(scheduler, documents.learnedLayers()) {
    if (!store_.models().empty()) model_.take(store_.models(), documents_.newest());
  }

  SessionStore& store() { return store_; }
  const SessionStore& store() const { return store_; }
  /// The session's name and saved state, for the window's title and the session's menu.
  ui::SessionMenu menu() const { return {store_.name(), store_.unsaved(documents_.ownNewest())}; }
  void askToOpen() { dialog_.askToOpen(); }
  /// Saves the session to its file. Asks for a path where there is none, or `elsewhere`.
  void save(bool elsewhere);
  void recallScene(int number);
  /// Stores what is on the screen: the `presented` card alone, or else the page with its main card.
  void setScene(int number, bool presented);
  /// Shows the view with the pass of a document that is being opened.
  void showWith(const DocumentPtr& document, const ui::ViewState& view);
  void removeScene(int number) { store_.removeScene(number); }
  /// Replaces one of a scene's words.
  void rewordScene(int number, std::string formats::SceneWords::*part, std::string text);

  /// Sets the user's own view, which sessions save, while a lesson shows another; null: none is
  /// aside.
  void setOwnView(const ui::ViewState* aside) { ownView_ = aside; }

  /// Records the scene at which the session was opened.
  void openedAt(int scene) { shownScene_ = scene; }
  /// The scene set or recalled last; null: none, or it was removed.
  const formats::SavedScene* sceneShown() const;
  /// Returns whether the screen still shows that scene as it was kept.
  bool showsScene() const;
  /// The scene `by` places after the shown one (negative: before); the first one where none is
  /// shown; null: no such scene.
  const formats::SavedScene* neighbouringScene(int by) const;
  void recallNeighbour(int by);

  /// Opens a session. `asked`: whether the dialog has already confirmed that unsaved changes may be
  /// lost.
  void open(const std::filesystem::path& path, bool asked = false);

  /// Opens the session in a link, as `open` does, or copies a link (link.h). Both run in the
  /// background, because weights may have to be learned.
  void openLink(const std::string& link);
  void copyLink();
  const LinkTask& linkTask() const { return link_; }
  /// Cancels the last link request.
  void stopLink();
  void setWake(const std::function<void()>& wake) {
    link_.setWake(wake);
    store_.onWake(wake);
  }
  /// Waits for links and saving. Returns whether the next frame has results to take.
  bool finish() {
    const bool news = link_.finish();
    store_.finish();
    return news;
  }
  void stop() { link_.stop(); }
  /// Sets the page's own address, with which links begin.
  void setLinkBase(std::string address) { linkBase_ = std::move(address); }

  /// Handle the keyboard: keys() the commands with ctrl; sceneKeys() the digits of scenes, where no
  /// text field is active.
  void keys();
  void sceneKeys(bool presented);
  /// Handles the keys that answer the offer to restore unsaved work, where no text field is active.
  void recoveryKeys();

  /// See SessionStore.
  std::string whyNotAutosaved() const { return store_.whyNotAutosaved(); }

  /// Returns true once for each opened session whose view is set: its model is to be opened, even
  /// if the view names the open one.
  bool takeModelAsked() { return std::exchange(modelAsked_, false); }

  /// Autosaves changes and reports news. Call it once a frame, before the panels. Returns whether a
  /// session or a scene has replaced the view.
  bool follow();
  /// Draws the dialog, and the offer to restore across the window from `top` down. Call it after
  /// the panels. Adds the commands to open what the dialog's user chose, if it is no session.
  void windows(const ui::FrameContext& look, std::optional<float> top,
               const std::vector<std::string>& recent, ui::FrameCommands& commands);
  /// The height of the offer, which the body leaves free.
  float offerHeight() const { return offerHeight_; }

 private:
  /// `over`: replaces the file whatever it holds.
  void saveTo(const std::filesystem::path& path, bool over);
  void restore();
  void discard();
  void takeLink();
  void show(DocumentPtr document, std::string newView, const std::string& name);
  void show(const formats::Session& session, const std::string& name);
  bool takeViewToCome();
  bool askedTwice(const std::string& wish, const std::string& sentence);
  std::optional<std::string> warns(const std::string& wish) const;

  const ui::ViewState& ownView() const { return ownView_ != nullptr ? *ownView_ : view_; }

  struct ViewToCome {
    DocumentPtr document;
    std::string view;
    bool opensModel = false;
  };
  struct Warned {  // a warning shown before an action, for this document
    std::string wish, sentence;
    DocumentPtr document;
  };

  DocumentEditor& documents_;
  ui::ViewState& view_;
  const ui::ViewState* ownView_ = nullptr;
  LiveModel& model_;
  SessionStore store_;
  std::optional<ViewToCome> viewToCome_;
  ViewText keptView_;  // the text of the view that a session would store now
  Warned warned_;
  ui::FileDialog dialog_;
  float offerHeight_ = 0.0F;
  int shownScene_ = 0;
  std::string linkBase_;
  bool modelAsked_ = false;
  LinkTask link_;
};

}  // namespace headscope
