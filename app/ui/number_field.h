// Number fields: numbers of the configuration as they are typed, stepped or dragged. What is typed
// stays on screen while it cannot be used, marked red and explained below; the document stays as it
// is.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/panel.h"

namespace headscope::ui {

struct NumberDraft {
  std::string text;      // as typed
  std::string problem;   // why that cannot be used, where the field's panel says so
  bool typing = false;   // the field has the keyboard
  bool stepped = false;  // … and ↑ or ↓ was pressed: the new value takes the place of the text
  std::optional<double> editedAt;  // when it was last typed in, until that is handed on
  bool entered = false;  // the enter key handed it on: where it is refused, it is typed anew
};

struct NumberField {
  const char* name;
  Index value;          // the document's
  bool bad = false;     // marked red
  float width = 58.0F;  // of the box, at scale 1
};

struct NumberChange {
  std::optional<Index> value;  // a new whole number was typed, and left, entered or let stand
  int stepped = 0;             // +1 or −1: an arrow was clicked, or ↑ ↓ pressed in the field
  bool notANumber = false;     // what stands there is not a whole number
  bool left = false;           // typing has ended
};

/// The colours and border of a field, red where `bad`; pop after it.
void pushFieldStyle(const FrameContext& look, bool bad);
void popFieldStyle();

/// The whole number that a text is, spaces around it aside.
std::optional<Index> wholeNumber(std::string_view text);

NumberChange numberField(const FrameContext& look, const NumberField& field, NumberDraft& draft);

/// What is wrong with a field of the configuration as it would be; empty: nothing.
std::string problemOf(std::string_view field, const AttentionConfig& config);

/// Below a field: why what stands there cannot be used.
void problemBelow(const FrameContext& look, const NumberDraft& draft);

struct WholeNumber {
  const char* name;  // as in core's problems
  Index value;       // the document's
  Index most;        // of a step
  std::string wayOut;
};

/// A field for a whole number, without its problem; gives the one typed, or stepped to, for which
/// `problem(n)` is empty.
template <typename ProblemWith>
std::optional<Index> wholeNumberField(const FrameContext& look, const WholeNumber& setting,
                                      NumberDraft& draft, const ProblemWith& problem) {
  const NumberChange change =
      numberField(look, {setting.name, setting.value, !draft.problem.empty()}, draft);
  std::optional<Index> next;
  if (change.stepped != 0) {
    draft.problem.clear();
    for (Index n = setting.value; !next && (change.stepped > 0 ? n < setting.most : n > 0);) {
      n += change.stepped;
      if (problem(n).empty()) next = n;
    }
  } else if (change.notANumber) {
    draft.problem = std::string(setting.name) + ": '" + draft.text + "' is not a whole number; " +
                    setting.wayOut;
  } else if (change.value) {
    draft.problem = problem(*change.value);
    if (draft.problem.empty()) next = change.value;
  }
  return next;
}

/// A box that shows `value`, or what is typed while it is typed or cannot be used; true when
/// edited.
bool textBox(const FrameContext& look, const char* id, float width, const std::string& value,
             NumberDraft& draft);

/// A box for a number; gives the one typed. What is not a number becomes the draft's problem,
/// "name: 'x' is not a number; wayOut".
std::optional<double> realField(const FrameContext& look, const char* name, float width,
                                double value, NumberDraft& draft, const char* wayOut);

/// The temperature's box and slider (0.05 to 20), on one line; without its problem.
void temperatureFields(const PanelContext& panel, NumberDraft& draft, float sliderWidth);
inline constexpr double kLowestTemperature = 0.05;
inline constexpr double kHighestTemperature = 20.0;

}  // namespace headscope::ui
