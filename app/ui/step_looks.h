// Step looks: the appearance of each step, which is its operands and its result side by side on the
// screen, the signs between them, their colours, and the glossary's terms. Plain data, one table
// for all steps, so that the step view, the flow and the timeline agree.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/ui/hover.h"
#include "app/ui/theme.h"
#include "core/attention/steps/step_id.h"

namespace headscope::ui {

/// The kind of colour of a matrix's name.
enum class Ink { plain, input, query, key, value, head, output, accent };

/// The colour of text on a panel; `head` selects the colour for Ink::head.
ImU32 inkColor(const Theme& theme, Ink ink, Index head);
/// The colour of an area; `head` selects the colour for Ink::head.
ImU32 areaColor(const Theme& theme, Ink ink, Index head);

struct TensorLook {
  Ink ink;
  std::string_view term;  // term of the glossary; empty where there is none
};
const TensorLook& lookOf(TensorId tensor);

/// The name of a tensor on the screen as rich text: "Q", "S'", "W^Q".
std::string_view stepViewSymbol(TensorId tensor);

/// Q, K or V, with the tensors that it is computed from and that are computed from it.
struct ProjectedPart {
  TensorId part;                 // q, k or v, as in Selection::part
  TensorId whole, weight, bias;  // the projected tensor, its weight and its bias, of all heads
  TensorId normalized, rotated;  // per head; v has neither
  const char* letter;
  const char* word;  // "query"
  Lane rows;
};
std::span<const ProjectedPart> projectedParts();
/// Returns the part of q, k or v.
const ProjectedPart& projectedPart(TensorId part);
/// Returns the part that a tensor belongs to, or null where it belongs to several or to none.
const ProjectedPart* partWith(TensorId tensor);

/// Returns the part whose matrices a step shows; q in place of v for steps that do not involve V.
const ProjectedPart& partShownBy(StepId step, TensorId part);
/// The number of parts of which a step shows one at a time: q, k and v, or q and k.
std::size_t partCount(StepId step);

/// The result of a step, for the part that it shows.
TensorId shownResult(StepId step, TensorId part);

/// The part of a matrix that belongs to the chosen head.
enum class HeadShare {
  none,
  only,    // only its columns are shown, unless all heads are
  marked,  // its columns are outlined
  placed,  // the whole matrix; along the inner lane it stands at the head's columns
};

/// A matrix or a sign of a step. `project`, `split`, `normalize` and `rotate` are written for Q and
/// also apply to K; the first two apply to V.
struct StepPiece {
  enum class Kind {
    matrix,
    mask,       // the mask itself, as 0 or −∞
    sign,       // `text`
    combine,    // the sign that applies the mask: + or ⊙
    operation,  // the step's own sign (Step::sign), or none
  };
  enum How : unsigned {
    transposed = 1,  // as textbooks write X·W and Q·Kᵀ
    ofBias = 2,      // only where there are biases
    plain = 4,       // without colour: an operand whose result has its colour
    result = 8,      // the result of the step
    ifPresent = 16,  // only where the configuration has the tensor
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
  std::string_view term;  // term of the glossary
  std::span<const StepPiece> pieces;
};
const StepLook& lookOf(StepId step);

}  // namespace headscope::ui
