// UserError: something the user gave cannot be used; its text names the field, flag or file and
// the way out. Problem: one such finding about a configuration, tied to the field it concerns.
// sentenceFor: what people are told of any exception.
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
  std::vector<std::int64_t> suggestions;  // values for `field` that would do, nearest first
};

class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message) : std::runtime_error(message) {}
  explicit UserError(std::vector<Problem> problems)
      : std::runtime_error(problems.empty() ? "" : problems.front().message),
        problems_(std::move(problems)) {}

  /// All findings where a configuration was refused; empty for other errors.
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// What an interface or a command says of an exception: a UserError's own words; of any other,
/// whose text is for programmers, a plain sentence with the way out.
std::string sentenceFor(const std::exception& error);

}  // namespace headscope
