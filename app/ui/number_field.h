// Number field: a whole number typed or stepped; what is typed stays on screen while it cannot be
// used, marked red.
#pragma once

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
};

struct NumberField {
  const char* name;
  Index value;          // the document's
  bool bad = false;     // marked red
  float width = 58.0F;  // of the box, at scale 1
};

struct NumberChange {
  std::optional<Index> value;  // a new whole number was typed
  int stepped = 0;             // +1 or −1: an arrow was clicked, or ↑ ↓ pressed in the field
  bool notANumber = false;     // what stands there is not a whole number
  bool left = false;           // typing has ended
};

/// The colours and border of a field, red where `bad`; pop after it.
void pushFieldStyle(const Look& look, bool bad);
void popFieldStyle();

/// The whole number that a text is, spaces around it aside.
std::optional<Index> wholeNumber(std::string_view text);

NumberChange numberField(const Look& look, const NumberField& field, NumberDraft& draft);

}  // namespace headscope::ui
