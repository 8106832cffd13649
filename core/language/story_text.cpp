#include "core/language/story_text.h"

namespace headscope::language {
namespace {

bool isEnd(char c) { return c == '.' || c == '!' || c == '?'; }

}  // namespace

std::string asPeopleWrite(std::string_view text, bool begins) {
  std::string written;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      if (quoted && written.ends_with(' ')) written.pop_back();  // it closes
      quoted = !quoted;
      begins = quoted;
      written += c;
      if (quoted && i + 1 < text.size() && text[i + 1] == ' ') ++i;
      continue;
    }
    const bool letter = c >= 'a' && c <= 'z';
    written += begins && letter ? static_cast<char>(c - 'a' + 'A') : c;
    if (c != ' ') begins = isEnd(c);
  }
  return written;
}

bool endsSentence(std::string_view text) {
  const std::size_t last = text.find_last_not_of(' ');
  return last == std::string_view::npos || isEnd(text[last]);
}

}  // namespace headscope::language
