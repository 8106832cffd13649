// Sessions: opening, saving and restoring them, and going back to their scenes: what the session
// store knows, as the user meets it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "app/document_editor.h"
#include "app/link_task.h"
#include "app/live_model.h"
#include "app/session_store.h"
#include "app/ui/scenes_panel.h"
#include "app/ui/session_controls.h"

namespace headscope {

class Sessions {
 public:
  /// What it is given must outlive it.
  Sessions(DocumentEditor& documents, ui::ViewState& view, LiveModel& model,
           SessionStore::Start start)
      : documents_(documents), view_(view), model_(model), store_(std::move(start)) {
    if (!store_.models().empty()) model_.take(store_.models(), documents_.newest());
  }

  SessionStore& store() { return store_; }
  const SessionStore& store() const { return store_; }
  /// As the window's title and the session's menu name it.
  ui::SessionMenu menu() const { return {store_.name(), store_.unsaved(documents_.newest())}; }
  /// What was clicked in the menu.
  void doMenu(const ui::SessionMenu& menu);
  void doSceneWishes(const ui::SceneWishes& wishes);

  /// It is opened at that scene.
  void openedAt(int scene) { shownScene_ = scene; }
  /// The scene that was set or recalled last; null: none, or it is gone.
  const formats::SavedScene* sceneShown() const;
  /// The one so many places after it, or before; the first where none is shown; null: none is
  /// there.
  const formats::SavedScene* sceneBeside(int by) const;
  void recallBeside(int by);

  /// `asked`: whether what is not saved may be left, which the dialog asks by itself.
  void open(const std::filesystem::path& path, bool asked = false);

  /// As `open`, of what stands in an address (link.h). Both are done beside the frames: weights may
  /// have to be learned for them.
  void openLink(const std::string& link);
  void copyLink();
  const LinkTask& linkTask() const { return link_; }
  /// What was asked for last is left.
  void stopLink();
  void setWake(const std::function<void()>& wake) {
    link_.setWake(wake);
    store_.onWake(wake);
  }
  /// True where the next frame has something to take.
  bool finish() {
    const bool news = link_.finish();
    store_.finish();
    return news;
  }
  /// The page's own address, that links begin with.
  void setLinkBase(std::string address) { linkBase_ = std::move(address); }

  /// The keys with ctrl; and single keys, where nothing is being typed.
  void keys();
  void sceneKeys();
  /// The keys that answer the offer to restore what was not saved, where nothing is being typed.
  void recoveryKeys();

  /// As of SessionStore.
  std::string whyNotAutosaved() const { return store_.whyNotAutosaved(); }

  /// Once for each session that was opened and whose view is there: its model is to be opened, also
  /// where the view names the one that is open.
  bool takeModelAsked() { return std::exchange(modelAsked_, false); }

  /// Once a frame, before the panels: keeps what has changed and says what has happened. True where
  /// the view is another one now, that came with a session or a scene.
  bool follow();
  /// After the panels: the dialog, and the offer to restore, from `top` on across the window.
  void windows(const ui::FrameContext& look, float top);
  /// What the offer takes, for which the body makes room.
  float offerHeight() const { return offerHeight_; }

 private:
  void save(bool elsewhere);
  /// `over`: whatever the file holds by now.
  void saveTo(const std::filesystem::path& path, bool over);
  void restore();
  void discard();
  void takeLink();
  void recallScene(int number);
  void setScene(int number);
  void show(DocumentPtr document, std::string newView, const std::string& name);
  void show(const formats::Session& session, const std::string& name);
  bool takeViewToCome();
  bool askedTwice(const std::string& wish, const std::string& sentence);
  std::optional<std::string> warns(const std::string& wish) const;

  struct ViewToCome {
    DocumentPtr document;
    std::string view;
    bool opensModel = false;
  };
  struct Warned {  // what the user was told before it is done, on this document
    std::string wish, sentence;
    DocumentPtr document;
  };

  DocumentEditor& documents_;
  ui::ViewState& view_;
  LiveModel& model_;
  SessionStore store_;
  std::optional<ViewToCome> viewToCome_;
  Warned warned_;
  ui::SessionDialog dialog_;
  float offerHeight_ = 0.0F;
  int shownScene_ = 0;
  std::string linkBase_;
  bool modelAsked_ = false;
  LinkTask link_;
};

}  // namespace headscope
