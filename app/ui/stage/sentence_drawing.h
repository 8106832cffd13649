// Sentence drawing: the words of a sentence in large type, tinted by the weights on them, and arcs
// from a query to the keys it looks at, as thick as the weights. Every page that shows a sentence
// with arcs uses these.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/frame_context.h"
#include "app/ui/stage/sentence_layout.h"
#include "app/ui/stage/stage_story.h"

namespace headscope::ui {

/// Draws text in letters of a height, from the loaded font that suits it best.
void drawLetters(const FrameContext& look, ImDrawList* list, ImVec2 at, float height, bool bold,
                 ImU32 color, std::string_view text);
ImVec2 lettersSize(const FrameContext& look, float height, bool bold, std::string_view text);
/// Draws a line of letters centred on `centre`, smaller where it is wider than `width`.
void drawLettersCentred(const FrameContext& look, ImDrawList* list, ImVec2 centre, float width,
                        float height, bool bold, ImU32 color, std::string_view text);

/// The widths of words for layoutSentence().
std::vector<WordWidth> widthsOf(const FrameContext& look, std::span<const std::string> tokens);

/// The words to draw. A query and a key are words of the same sentence, or of two in
/// cross-attention.
struct DrawnSentence {
  const SentenceLayout* layout = nullptr;
  std::span<const std::string> tokens;
  int chosen = -1;                     // framed and bold; −1: none
  int hovered = -1;                    // −1: none
  std::span<const float> tints = {};   // 0 … 1 per word; empty: none
  std::span<const char> unknown = {};  // nonzero: the word is not in the lexicon; empty: all are
  float strength = 1.0F;               // of all but the chosen word
};
void drawWords(const FrameContext& look, ImDrawList* list, const DrawnSentence& sentence,
               ImU32 color);

struct Arc {
  int from = 0, to = 0;    // words: of `from` the one that looks
  float thickness = 1.0F;  // points of the display
  float strength = 1.0F;   // 0 … 1: opacity
  std::string share = {};  // the text at its top: "86 %"; empty: none
};
/// Draws arcs between the words of two layouts, which may be the same. The first arc is drawn last,
/// on top.
void drawArcs(const FrameContext& look, ImDrawList* list, const SentenceLayout& from,
              const SentenceLayout& to, std::span<const Arc> arcs, ImU32 color);
/// The thickness of the arc of a weight in letters of this height.
float arcThickness(const FrameContext& look, const SentenceLayout& layout, float weight);

/// The four points of a cubic curve, and a point on it, `share` 0 … 1 of the way.
using Curve = std::array<ImVec2, 4>;
ImVec2 pointOn(const Curve& curve, float share);

}  // namespace headscope::ui
