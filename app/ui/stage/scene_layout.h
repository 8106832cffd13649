// Scene layout: the places of the words at a moment of the journey: a sentence in large type; the
// memory above the queries in cross-attention; marks with curves for a series; the patches of an
// image.
#pragma once

#include "app/ui/parts/layout.h"
#include "app/ui/stage/journey.h"
#include "app/ui/stage/sentence_layout.h"

namespace headscope::ui {

struct PanelContext;

constexpr float kNumberRoom = 22.0F;  // points below a bar, for its number

/// The places of the words at a moment.
struct SceneLayout {
  SentenceLayout queries;  // the sentence
  SentenceLayout keys;     // the memory in cross-attention; else the same as `queries`
};
SceneLayout layoutScene(const PanelContext& panel, const JourneyMoment& moment, const Rect& room);

}  // namespace headscope::ui
