// Text field: a line of text to type into; the only place that passes text to Dear ImGui's fields.
//
// Dear ImGui may store characters of 16 bits only (Debian's does). In a field, other characters
// (emoji, ancient scripts) are replaced by stand-ins, which are private-use characters, and
// restored afterwards, whether typed, pasted, copied or already present.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/ui/frame_context.h"

namespace headscope::ui {

/// The stand-ins of one field and the characters they replace. There are 6400 of them; once all are
/// used the set is full, and U+FFFD replaces further characters.
class StandIns {
 public:
  /// Encodes a text (UTF-8) as Dear ImGui can store it.
  std::string held(std::string_view text);
  /// Decodes a text from held(): restores the characters that stand-ins replace.
  std::string meant(std::string_view held) const;
  /// The 16-bit character that represents a code point.
  ImWchar holder(char32_t codePoint);
  bool full() const { return full_; }

 private:
  std::vector<char32_t> meant_;  // the replaced characters, by stand-in
  std::unordered_map<char32_t, ImWchar> holders_;
  bool full_ = false;
};

/// The state of the field that has the keyboard.
struct TypedText {
  ImGuiID field = 0;  // 0: none
  StandIns standIns;
  char32_t highHalf = 0;  // first UTF-16 half of a character, until the second arrives
};

struct TextField {
  const char* id;
  ImGuiInputTextFlags flags = 0;
  const char* hint = "";
  /// Called in every frame while the field has the keyboard; may change its text.
  std::function<void(ImGuiInputTextCallbackData&)> always{};
  int lines = 0;  // number of visible lines of a field of several lines; 0: a single line
};

/// Returns a field for a text of several lines, as high as the text, up to eight lines; longer
/// texts scroll. Enter leaves it, ctrl+enter begins a line.
TextField textOfLines(const char* id, std::string_view text);

/// Draws the field at the cursor. Returns true if the text was edited, or with
/// ImGuiInputTextFlags_EnterReturnsTrue if Enter was pressed, as Dear ImGui does. The field is the
/// last item afterwards.
bool textField(const FrameContext& look, const TextField& field, std::string& text);

/// Passes a typed character to `add`. Where Dear ImGui cannot store it, passes its two UTF-16
/// halves, which a text field joins.
void typeCharacter(char32_t codePoint, const std::function<void(unsigned)>& add);
/// Passes the characters of a text (UTF-8) in order to `add`, up to the first invalid bytes.
void eachCharacterOf(std::string_view utf8, const std::function<void(char32_t)>& add);

}  // namespace headscope::ui
