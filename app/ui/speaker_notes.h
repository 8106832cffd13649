// Speaker notes: what the lecturer sees and the audience does not: what to say, what comes next,
// and the time that has passed.
#pragma once

#include <imgui.h>

#include <string>

#include "app/ui/panel.h"

namespace headscope::ui {

struct SpeakerNotes {
  std::string
      heading;        // "Multi-head attention in ten minutes · 3 of 13"; empty: no lecture is open
  std::string title;  // of the scene
  std::string say;    // rich text
  std::string next;   // what the next key does
  double seconds = 0.0;
  int minutes = 0;  // that it is meant to take; 0: not known
};

/// The whole of a window of this size, into a draw list of its own that is empty.
void drawSpeakerNotes(ImDrawList& list, const FrameContext& look, const SpeakerNotes& notes,
                      ImVec2 size);

}  // namespace headscope::ui
