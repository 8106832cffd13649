// Last words: a text written when the program dies by an assertion, a signal or a sanitizer.
#pragma once

#include <functional>
#include <string>

namespace headscope::monkey {

/// While it lives, `words` are written to stderr before the process goes down.
class LastWords {
 public:
  explicit LastWords(std::function<std::string()> words);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
};

}  // namespace headscope::monkey
