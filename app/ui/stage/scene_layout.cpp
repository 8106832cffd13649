#include "app/ui/stage/scene_layout.h"

#include <algorithm>
#include <span>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/patch_picture.h"
#include "app/ui/selection.h"
#include "app/ui/stage/sentence_drawing.h"
#include "app/ui/stage/stage_view.h"
#include "core/attention/config.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// The share of the room that the sentence takes at a place, and what it needs.
struct PlaceRoom {
  float top, bottom;  // shares of the room's height
  float below;        // points below the line for bars and numbers
  bool arcs;
};

PlaceRoom roomOf(StagePlace place) {
  switch (place) {
    case StagePlace::word:
      return {0.2F, 0.8F, 0.0F, false};
    case StagePlace::numbers:
      return {0.08F, 0.42F, 0.0F, false};
    case StagePlace::roles:
    case StagePlace::heads:
    case StagePlace::mixed:
      return {0.0F, 0.26F, 0.0F, false};
    case StagePlace::scores:
    case StagePlace::scaled:
      return {0.0F, 0.97F, 150.0F, true};
    case StagePlace::shares:
      return {0.0F, 0.97F, 34.0F, true};
    case StagePlace::collected:
      return {0.0F, 0.62F, 150.0F, true};
  }
  return {0.0F, 1.0F, 0.0F, false};
}

/// Places the words: in a small room without bars below their lines rather than as marks, which
/// keep room below them for the chosen word.
SentenceLayout placedWords(const PanelContext& panel, std::span<const WordWidth> words,
                           SentenceSpace space) {
  SentenceLayout layout = layoutSentence(words, space);
  for (const float below : {numberRoom(panel), 0.0F}) {
    if (!layout.marks() || space.largest == 0.0F) break;
    space.belowEach = std::min(space.belowEach, below);
    layout = layoutSentence(words, space);
  }
  const float word = panel.look.px(34);
  if (!layout.marks() || space.below >= word) return layout;
  space.largest = 0.0F;
  space.below = word;
  return layoutSentence(words, space);
}

SentenceSpace spaceOf(const PanelContext& panel, StagePlace place, const Rect& room) {
  const FrameContext& look = panel.look;
  PlaceRoom share = roomOf(place);
  if (!panel.stageView.at) share.below = 0.0F;  // no numbers below the words
  const auto y = [&](float at) { return room.a.y + room.height() * at; };
  SentenceSpace space{{{room.a.x, y(share.top)}, {room.b.x, y(share.bottom)}}};
  space.largest = look.px(60);
  space.smallest = look.px(17);
  space.below = std::min(
      look.px(share.below),
      space.room.height() * (place == StagePlace::collected && !panel.alone ? 0.22F : 0.34F));
  space.belowEach = share.below > 0.0F ? numberRoom(panel) + look.px(18) : 0.0F;
  space.arcs = share.arcs;
  return space;
}

SceneLayout layoutPlace(const PanelContext& panel, StagePlace place, const Rect& room) {
  const FrameContext& look = panel.look;
  const Input& input = *panel.trace.document().input;
  const auto item = static_cast<std::size_t>(panel.selection.item);
  const auto& queries = input.tokens[item % input.tokens.size()];
  SentenceSpace space = spaceOf(panel, place, room);
  SceneLayout layout;
  if (const auto picture = PatchPicture::shown(look, input, panel.selection.item)) {
    layout.queries.picture = picture->within(space.room.inset({look.px(4), look.px(4)}));
    layout.queries.words = picture->places(layout.queries.picture, std::ssize(queries));
    layout.keys = layout.queries;
    return layout;
  }
  if (!input.readings.channels.empty()) {  // a series: marks, with its curves below
    space.largest = 0.0F;
    space.below = std::min(look.px(150),
                           space.room.height() * (place == StagePlace::collected ? 0.24F : 0.34F));
  }
  constexpr std::size_t kMostWords = 400;  // more are marks at any size
  if (queries.size() > kMostWords) {
    space.largest = 0.0F;
    layout.queries = layout.keys =
        placedWords(panel, std::vector<WordWidth>(queries.size()), space);
    return layout;
  }
  if (!panel.trace.config().crossAttention()) {
    const std::vector<WordWidth> words = widthsOf(look, queries);
    if (place != StagePlace::shares) {  // lines break alike at all places
      space.lines =
          placedWords(panel, words, spaceOf(panel, StagePlace::shares, room)).firstWords();
    }
    layout.queries = layout.keys = placedWords(panel, words, space);
    return layout;
  }
  const auto& keys = input.memoryTokens[item % input.memoryTokens.size()];
  SentenceSpace above = space;
  above.arcs = false;
  const float cut = space.room.a.y + space.room.height() * (space.below > 0.0F ? 0.62F : 0.45F);
  above.room.b.y = cut;
  SentenceSpace below = space;
  below.arcs = false;
  below.below = below.belowEach = 0.0F;
  below.room.a.y = cut;
  layout.keys = layoutSentence(widthsOf(look, keys), above);
  layout.queries = layoutSentence(widthsOf(look, queries), below);
  if (!layout.keys.words.empty() && !layout.queries.words.empty()) {  // the arcs' room
    const float from = layout.keys.words.back().b.y + layout.keys.below;
    layout.queries.arcRoom = std::max(0.0F, layout.queries.words.front().a.y - from);
  }
  return layout;
}

}  // namespace

float numberRoom(const PanelContext& panel) { return panel.look.px(panel.alone ? 30.0F : 22.0F); }

SceneLayout layoutScene(const PanelContext& panel, const JourneyMoment& moment, const Rect& room) {
  SceneLayout now = layoutPlace(panel, moment.place, room);
  if (!panel.stageView.at || moment.place == StagePlace::word) return now;
  // the words move from their places of the place before
  const float moved = motion(moment, 0.9);
  if (moved >= 1.0F) return now;
  const auto before = static_cast<StagePlace>(static_cast<int>(moment.place) - 1);
  const SceneLayout last = layoutPlace(panel, before, room);
  return {between(last.queries, now.queries, moved), between(last.keys, now.keys, moved)};
}

}  // namespace headscope::ui
