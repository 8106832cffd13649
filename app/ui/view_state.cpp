#include "app/ui/view_state.h"

namespace headscope::ui {

void resetSelection(ViewState& view) {
  const ViewState fresh;
  view.item = fresh.item;
  view.head = fresh.head;
  view.part = fresh.part;
  view.scope = fresh.scope;
  view.gradients = fresh.gradients;
  view.hovered = fresh.hovered;
  view.selected = fresh.selected;
  view.trail = fresh.trail;
  view.playing = fresh.playing;
  view.playTime = fresh.playTime;
  view.playQuery = fresh.playQuery;
  view.decodePosition = fresh.decodePosition;
  view.decodePlaying = fresh.decodePlaying;
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

}  // namespace headscope::ui
