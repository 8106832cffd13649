#include "core/language/story_text.h"

#include <utility>

namespace headscope::language {
namespace {

/// Writes a text letter by letter.
class StoryWriter {
 public:
  void add(std::string_view text) {
    for (const char c : text) add(c);
  }
  /// Returns the text that was written since the last call.
  std::string taken() { return std::exchange(written_, {}); }

 private:
  void add(char c) {
    if (c == ' ' && opened_) return;  // behind an opening mark
    opened_ = false;
    if (c == '"') {
      if (quoted_ && written_.ends_with(' ')) written_.pop_back();  // it closes
      quoted_ = opened_ = begins_ = !quoted_;
      written_ += c;
      return;
    }
    const bool letter = c >= 'a' && c <= 'z';
    written_ += begins_ && letter ? static_cast<char>(c - 'a' + 'A') : c;
    if (c != ' ') begins_ = c == '.' || c == '!' || c == '?';
  }

  std::string written_;
  bool begins_ = true;   // a sentence
  bool quoted_ = false;  // within quotation marks
  bool opened_ = false;  // directly behind the opening one
};

}  // namespace

std::string asPeopleWrite(std::string_view text, std::string_view before) {
  StoryWriter writer;
  writer.add(before);
  (void)writer.taken();
  writer.add(text);
  return writer.taken();
}

}  // namespace headscope::language
