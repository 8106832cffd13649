// Step looks: what each step looks like: its operands and what it gives as they stand beside each
// other on the screen, with signs between them, colours, and the glossary's words. Plain data, one
// table for all steps, so that the stage, the flow and the timeline agree.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/ui/theme.h"
#include "app/ui/view_state.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {

/// What a matrix's name is coloured as.
enum class Ink { plain, input, query, key, value, head, output, accent };

/// Of text on a panel; `head` gives the colour of what belongs to one.
ImU32 inkColor(const Theme& theme, Ink ink, Index head);
/// The same of an area.
ImU32 areaColor(const Theme& theme, Ink ink, Index head);

struct TensorLook {
  Ink ink;
  std::string_view term;  // of the glossary; empty where none is about it
};
const TensorLook& lookOf(TensorId tensor);

/// "Q", "S'", "W^Q": its name on the screen as rich text.
std::string_view stageSymbol(TensorId tensor);

/// Q, K or V, with all that is made of it or makes it.
struct ProjectedPart {
  TensorId part;                 // q, k or v: how the view names it
  TensorId whole, weight, bias;  // of all heads
  TensorId normalized, rotated;  // of each; v is neither
  const char* letter;
  const char* word;  // "query"
  Lane rows;
};
std::span<const ProjectedPart> projectedParts();
/// The part of q, k or v.
const ProjectedPart& projectedPart(TensorId part);
/// The part that a tensor belongs to; null where it belongs to several or to none.
const ProjectedPart* partWith(TensorId tensor);

/// The part whose matrices a step shows: q for steps that do not involve V.
const ProjectedPart& partShownBy(StepId step, TensorId part);
/// Whether a step shows one of q, k and v (or of q and k) at a time; how many there are.
std::size_t partCount(StepId step);

/// What a step gives, of the part it shows.
TensorId shownResult(StepId step, TensorId part);

/// What of a matrix is the chosen head's.
enum class HeadShare {
  none,
  only,    // its columns alone are shown, unless all heads are
  marked,  // its columns are outlined
  placed,  // all of it is; along the inner lane it stands where the head's columns do
};

/// A matrix or a sign of a step. `project`, `split`, `normalize` and `rotate` are written for Q,
/// and hold for K and (the first two) V.
struct StepPiece {
  enum class Kind {
    matrix,
    mask,        // the mask itself, as 0 or −∞
    sign,        // `text`
    combine,     // how the mask is put on: + or ⊙
    multiplier,  // × 1/√d_k
    penalty,     // − the head's slope · distance d, with ALiBi
    gain,        // × the head's gain, where it is not 1
  };
  enum How : unsigned {
    transposed = 1,  // as textbooks write X·W and Q·Kᵀ
    ofBias = 2,      // only where there are biases
    plain = 4,       // in no colour: an operand whose colour its result has
    result = 8,      // what the step gives
  };
  Kind kind = Kind::matrix;
  TensorId tensor = TensorId::x;
  Lane rows = Lane::none, cols = Lane::none;
  HeadShare share = HeadShare::none;
  unsigned how = 0;  // of How
  const char* text = "";

  bool is(How what) const { return (how & what) != 0; }
};

struct StepLook {
  std::string_view term;  // of the glossary
  std::span<const StepPiece> pieces;
};
const StepLook& lookOf(StepId step);

}  // namespace headscope::ui
