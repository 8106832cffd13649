// Speaker notes: the window that only the lecturer sees: the notes, the next key's effect, and the
// elapsed time.
#pragma once

#include <imgui.h>

#include <string>

#include "app/ui/frame_context.h"

namespace headscope::ui {

/// A picture of a slide, of a size in pixels; without a texture there is none.
struct SlidePicture {
  ImTextureID texture{};
  ImVec2 size{0.0F, 0.0F};
};

struct SpeakerNotes {
  std::string heading;  // "Attention in ten minutes · 3 of 13"; empty: no lecture is open
  std::string title;    // title of the scene
  std::string say;      // rich text
  std::string next;     // the effect of the next key
  std::string nextSentence = {};  // … and what the audience will read then; rich text
  SlidePicture nextSlide = {};    // … and see
  double seconds = 0.0;
  int minutes = 0;  // intended duration; 0: unknown
};

/// Draws the whole window of this size into an empty draw list.
void drawSpeakerNotes(ImDrawList& list, const FrameContext& look, const SpeakerNotes& notes,
                      ImVec2 size);

}  // namespace headscope::ui
