// Sentence strip: a sentence in the largest letters that fit, to be read from the last row; and a
// question with what there is to choose from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

struct SentenceStrip {
  std::string text = {};                  // rich text
  std::vector<std::string> choices = {};  // of a question, plain
  std::optional<std::size_t> right = {};  // of them, once it is told

  bool empty() const { return text.empty(); }
};

/// The height it should be given in a room of so much, for a strip so wide.
float sentenceStripHeight(const FrameContext& look, const SentenceStrip& strip, float width,
                          float room);
/// Fills the place.
void drawSentenceStrip(const FrameContext& look, const SentenceStrip& strip, const Rect& at);

}  // namespace headscope::ui
