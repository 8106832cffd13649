// Scene layout: the places of the words at a moment of the journey: a sentence in large type; the
// memory above the queries in cross-attention; marks with curves for a series; the patches of an
// image.
#pragma once

#include "app/ui/parts/layout.h"
#include "app/ui/stage/journey.h"
#include "app/ui/stage/sentence_layout.h"

namespace headscope::ui {

struct PanelContext;

/// The room below a bar for its number. A slide is read from afar.
float numberRoom(const PanelContext& panel);

/// The places of the words at a moment.
struct SceneLayout {
  SentenceLayout queries;  // the sentence
  SentenceLayout keys;     // the memory in cross-attention; else the same as `queries`
};
SceneLayout layoutScene(const PanelContext& panel, const JourneyMoment& moment, const Rect& room);

}  // namespace headscope::ui
