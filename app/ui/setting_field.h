// Setting fields: numbers of the configuration as they are typed, stepped or dragged; what cannot
// be used is explained below the field and leaves the document as it is.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/number_field.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// What is wrong with a field of the configuration as it would be; empty: nothing.
std::string problemOf(std::string_view field, const AttentionConfig& config);

/// Below a field: why what stands there cannot be used.
void problemBelow(const Look& look, const NumberDraft& draft);

struct WholeNumber {
  const char* name;  // as in core's problems
  Index value;       // the document's
  Index most;        // of a step
  std::string wayOut;
};

/// A field for a whole number, without its problem; gives the one typed, or stepped to, for which
/// `problem(n)` is empty.
template <typename ProblemWith>
std::optional<Index> wholeNumberField(const Look& look, const WholeNumber& setting,
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
bool textBox(const Look& look, const char* id, float width, const std::string& value,
             NumberDraft& draft);

/// A box for a number; gives the one typed. What is not a number becomes the draft's problem,
/// "name: 'x' is not a number; wayOut".
std::optional<double> realField(const Look& look, const char* name, float width, double value,
                                NumberDraft& draft, const char* wayOut);

/// The temperature's box and slider (0.05 to 20), on one line; without its problem.
void temperatureFields(const Panel& panel, NumberDraft& draft, float sliderWidth);
inline constexpr double kLowestTemperature = 0.05;
inline constexpr double kHighestTemperature = 20.0;

}  // namespace headscope::ui
