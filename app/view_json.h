// View JSON: the view as a session stores it. It excludes the theme and the interface scale, which
// belong to the machine, and playing, hovering and a panel drawn alone, which are momentary. The
// timeline is restored paused at its position.
#pragma once

#include <optional>
#include <string>

#include "app/ui/view_state.h"
#include "core/base/json.h"

namespace headscope {

std::string viewToJson(const ui::ViewState& view);
/// Returns the view as an object with a field for each choice.
Json viewFields(const ui::ViewState& view);

/// The text of a view that is asked for in every frame: it is written again where the view has
/// changed.
class ViewText {
 public:
  const std::string& of(const ui::ViewState& view);

 private:
  std::optional<ui::ViewState> view_;
  std::string text_;
};

/// Returns `base` with the fields of the text. Unknown fields and those of a wrong type are
/// ignored; numbers out of range are clamped. All other fields of `base` stay.
ui::ViewState viewFromJson(const std::string& json, ui::ViewState base);

/// The work in a view's text that no document has: the chain of the page Model, as its model,
/// texts, question and steps. Empty where no step was taken and no score chosen.
std::string workInView(const std::string& json);

}  // namespace headscope
