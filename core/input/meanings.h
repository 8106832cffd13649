// Meanings: which words of English and German mean the same, by a list of everyday words
// (assets/meanings.json). Where one text attends to another, words of one meaning share an
// identity.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace headscope {

class Meanings {
 public:
  /// Reads the text of a meanings file: the words that carry each meaning, lower-cased. A word has
  /// one meaning. Throws UserError.
  explicit Meanings(std::string_view json);

  /// The meaning of a token: "cat" for "Katze", "Cat" and "cats". A word that is not in the list is
  /// its own meaning, lower-cased.
  std::string of(const std::string& token) const;

 private:
  std::unordered_map<std::string, std::string> meanings_;
};

/// The list that comes with the program.
const Meanings& meanings();

}  // namespace headscope
