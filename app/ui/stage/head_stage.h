// Head stage: one head as a small stage, for every page that shows several heads side by side: the
// words of the sentence, or dots in their place, with the head's strong links as arcs; an image
// with its row over it.
#pragma once

#include "app/ui/parts/layout.h"
#include "app/ui/stage/head_story.h"
#include "app/ui/stage/sentence_layout.h"

namespace headscope::ui {

struct PanelContext;

struct HeadStage {
  Index head = 0;
  const HeadStory* story = nullptr;
  Rect room;
  Index word = -1;  // the query whose arcs stand out; −1: the one that shows the head best
};

/// Draws dots for the words, and the strong links of the whole sentence. On a slide those of the
/// best word stand out.
void drawHeadWithDots(const PanelContext& panel, const HeadStage& stage);

/// Draws the words of the sentence, with the arcs of one of them; dots where the words have no
/// room.
void drawHeadWithWords(const PanelContext& panel, const HeadStage& stage);

/// The places of the words that drawHeadWithWords() draws; marks where they have no room.
SentenceLayout headStageLayout(const PanelContext& panel, const Rect& room);

}  // namespace headscope::ui
