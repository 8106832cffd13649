// Text field: a line of text to type into; the one place that hands text to Dear ImGui's.
//
// Dear ImGui may hold characters of 16 bits only (Debian's does). What it cannot hold (emoji, old
// scripts) is carried by stand-ins, characters for private use, while it lies in a field, and comes
// back whole: typed, pasted, copied, or there before.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

/// Which characters stand in for which in one field. There are 6400 of them; once there are no more
/// the set is full, and U+FFFD stands for the others.
class StandIns {
 public:
  /// A text (UTF-8) as Dear ImGui can hold it.
  std::string held(std::string_view text);
  /// What a text that is held means.
  std::string meant(std::string_view held) const;
  /// The one character that holds a code point.
  ImWchar holder(char32_t codePoint);
  bool full() const { return full_; }

 private:
  std::vector<char32_t> meant_;  // by stand-in
  std::unordered_map<char32_t, ImWchar> holders_;
  bool full_ = false;
};

/// What is remembered of the field that is typed into.
struct TypedText {
  ImGuiID field = 0;  // 0: none
  StandIns standIns;
  char32_t highHalf = 0;  // of a character whose second half is still to come
};

struct TextField {
  const char* id;
  ImGuiInputTextFlags flags = 0;
  const char* hint = "";
  /// Called in every frame while the field has the keyboard; may change what stands in it.
  std::function<void(ImGuiInputTextCallbackData&)> always{};
  int lines = 0;  // that are seen at once, where several can be typed; 0: a single line
};

/// A field for a text that may have several lines, as high as the text has lines, up to eight; more
/// are scrolled. Enter leaves it, ctrl+enter begins a line.
TextField textOfLines(const char* id, std::string_view text);

/// The field at the cursor. As Dear ImGui's own: true where the text was edited, or with
/// ImGuiInputTextFlags_EnterReturnsTrue where Enter was pressed; it is the last item afterwards.
bool textField(const FrameContext& look, const TextField& field, std::string& text);

/// Hands over a character that was typed: `add` gets it, or where Dear ImGui cannot hold it its two
/// halves in UTF-16, which a text field puts together again.
void typeCharacter(char32_t codePoint, const std::function<void(unsigned)>& add);
/// The characters of a text (UTF-8) in order, up to the first bytes that are none.
void eachCharacterOf(std::string_view utf8, const std::function<void(char32_t)>& add);

}  // namespace headscope::ui
