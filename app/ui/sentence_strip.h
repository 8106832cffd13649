// Sentence strip: a sentence in the largest letters that fit, legible from the last row, or a
// question with its choices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/frame_context.h"

namespace headscope::ui {

struct SentenceStrip {
  std::string text = {};                  // rich text
  std::vector<std::string> choices = {};  // the choices of a question, as plain text
  std::optional<std::size_t> right = {};  // index of the right choice, once revealed

  bool empty() const { return text.empty(); }
};

/// The height for a strip of this width within a room of this height.
float sentenceStripHeight(const FrameContext& look, const SentenceStrip& strip, float width,
                          float room);
/// Draws the strip; it fills the rectangle.
void drawSentenceStrip(const FrameContext& look, const SentenceStrip& strip, const Rect& at);

}  // namespace headscope::ui
