// UserError: an error in the user's input; its text names the field, flag or file and the way out.
// Problem: one error of a configuration, with its field. sentenceFor: the sentence that reports any
// exception.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace headscope {

struct Problem {
  std::string field;                      // "d_model", "heads", "temperature", …
  std::string message;                    // one sentence, plain words, with the way out
  std::vector<std::int64_t> suggestions;  // valid values for `field`, nearest first
};

class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message) : std::runtime_error(message) {}
  explicit UserError(std::vector<Problem> problems)
      : std::runtime_error(problems.empty() ? "" : problems.front().message),
        problems_(std::move(problems)) {}

  /// All problems of a refused configuration; empty for other errors.
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// The sentence with which an interface or a command reports an exception: a UserError's own
/// message. Any other exception, whose text is for programmers, gives a plain sentence with the way
/// out.
std::string sentenceFor(const std::exception& error);

}  // namespace headscope
