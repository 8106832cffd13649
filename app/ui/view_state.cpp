#include "app/ui/view_state.h"

namespace headscope::ui {

void resetSelection(ViewState& view) {
  const ViewState fresh;
  Selection& chosen = view.selection;
  chosen.item = fresh.selection.item;
  chosen.head = fresh.selection.head;
  chosen.part = fresh.selection.part;
  chosen.scope = fresh.selection.scope;
  chosen.gradients = fresh.selection.gradients;
  chosen.cell = fresh.selection.cell;
  chosen.trail = fresh.selection.trail;
  chosen.playTime = fresh.selection.playTime;
  chosen.playQuery = fresh.selection.playQuery;
  chosen.decodePosition = fresh.selection.decodePosition;
  view.stage.word = fresh.stage.word;
  view.stage.at = fresh.stage.at;
  view.frame.hovered.reset();
  view.frame.playing = false;
  view.frame.decodePlaying = false;
  HeadsView& heads = view.heads;
  heads.compared = fresh.heads.compared;
  heads.queries = fresh.heads.queries;
  heads.keys = fresh.heads.keys;
  heads.lineHeads = fresh.heads.lineHeads;
  heads.linesPicked = fresh.heads.linesPicked;
  heads.query = fresh.heads.query;
  heads.key = fresh.heads.key;
  heads.averageItems = fresh.heads.averageItems;
  heads.relationPair = fresh.heads.relationPair;
}

/// Copies the preferences that the user alone sets: no scene of a lesson has them.
static void copyPreferences(Preferences& to, const Preferences& from) {
  to.theme = from.theme;
  to.palette = from.palette;
  to.language = from.language;
  to.scale = from.scale;
  to.colorMaps = from.colorMaps;
  to.animate = from.animate;
  to.playSpeed = from.playSpeed;
  to.learnHeads = from.learnHeads;
}

ViewState lessonView(const ViewState& own) {
  ViewState view;
  copyPreferences(view.preferences, own.preferences);
  view.model = own.model;
  return view;
}

ViewState withPreferencesOf(ViewState aside, const ViewState& now) {
  copyPreferences(aside.preferences, now.preferences);
  aside.model = now.model;
  aside.frame.playing = aside.frame.stagePlaying = aside.frame.decodePlaying = false;
  aside.frame.hovered.reset();
  aside.frame.pointed.clear();
  return aside;
}

}  // namespace headscope::ui
