// Number fields: numbers of the configuration that are typed, stepped or dragged. Typed text that
// cannot be used stays on screen, marked red and explained below, and the document does not change.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/frame_context.h"
#include "core/base/index.h"
#include "core/base/translation.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::ui {

struct PanelContext;

struct NumberDraft {
  std::string text;      // as typed
  std::string problem;   // why the text cannot be used, where the field's panel reports it
  bool typing = false;   // the field has the keyboard
  bool stepped = false;  // … and ↑ or ↓ was pressed: the new value replaces the text
  std::optional<double> editedAt;  // time of the last edit, until the text is applied
  bool entered = false;  // Enter applied the text: if refused, the field keeps the keyboard
};

struct NumberField {
  const char* name;
  Index value;          // the value in the document
  bool bad = false;     // marked red
  float width = 58.0F;  // width of the box, at scale 1
};

struct NumberChange {
  std::optional<Index> value;  // the number typed, once left, entered or unchanged for a while
  int stepped = 0;             // +1 or −1: an arrow, ↑ ↓ in the field, or the wheel over it
  bool notANumber = false;     // the text is not a whole number
  bool left = false;           // typing has ended
};

/// Pushes the colours and border of a field, red where `bad`; popFieldStyle() removes them.
void pushFieldStyle(const FrameContext& look, bool bad);
void popFieldStyle();

/// Parses a text as a whole number, ignoring spaces around it.
std::optional<Index> wholeNumber(std::string_view text);

NumberChange numberField(const FrameContext& look, const NumberField& field, NumberDraft& draft);

/// The problem of a field in a proposed configuration; empty where there is none.
std::string problemOf(std::string_view field, const AttentionConfig& config);

/// Draws below a field why its text cannot be used.
void problemBelow(const FrameContext& look, const NumberDraft& draft);

struct WholeNumber {
  const char* name;  // the field's name in core's problems
  Index value;       // the value in the document
  Index most;        // the largest value that a step may reach
  std::string wayOut;
};

/// Draws a field for a whole number, without its problem. Returns the typed or stepped value for
/// which `problem(n)` is empty.
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
    draft.problem = std::string(setting.name) + ": '" + draft.text +
                    tr("' is not a whole number; ") + setting.wayOut;
  } else if (change.value) {
    draft.problem = problem(*change.value);
    if (draft.problem.empty()) next = change.value;
  }
  return next;
}

/// Draws a box that shows `value`, or the draft while it is typed or cannot be used. Returns true
/// if edited.
bool textBox(const FrameContext& look, const char* id, float width, const std::string& value,
             NumberDraft& draft);

/// Draws a box for a number. Returns the typed number. Other text becomes the draft's problem,
/// "name: 'x' is not a number; wayOut".
std::optional<double> realField(const FrameContext& look, const char* name, float width,
                                double value, NumberDraft& draft, const char* wayOut);

/// Draws the temperature's box and slider (0.05 to 20) on one line, without the problem.
void temperatureFields(const PanelContext& panel, NumberDraft& draft, float sliderWidth);
inline constexpr double kLowestTemperature = 0.05;
inline constexpr double kHighestTemperature = 20.0;

}  // namespace headscope::ui
