// Brackets: which opening bracket does this one close?
#include <array>
#include <string>

#include "core/training/tasks/example.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {
namespace {

class Brackets final : public Task {
 public:
  std::string_view id() const override { return "brackets"; }
  std::string_view title() const override { return "Brackets"; }
  std::string_view words() const override {
    return "Sixteen balanced brackets, each with a letter and its nesting depth. A closing bracket "
           "names the letter of the one that opened it; every bracket names the letter before.";
  }
  std::string_view lookFor() const override {
    return "The matching bracket is the latest opening one of the same depth: its head has to "
           "match the depth and prefer near brackets. The other head draws a diagonal.";
  }
  TaskSettings settings() const override {
    return {.model = {.layers = 1, .dModel = 32, .heads = 2, .causal = true},
            .learningRate = 1e-2,
            .batch = 64,
            .steps = 250};
  }

  std::span<const Question> questions() const override {
    static constexpr std::array<Question, 2> kQuestions{{
        {"match", "the letter of the matching opening bracket", kLetters},
        {"previous", "the letter before", kLetters},
    }};
    return kQuestions;
  }
  std::span<const Relation> relations() const override {
    static constexpr std::array<Relation, 2> kRelations{{
        {"match", "from a closing bracket to its opening one"},
        {"previous", "the bracket before"},
    }};
    return kRelations;
  }

  Index length() const override { return 16; }
  std::vector<Index> features() const override { return {2, kLetters, length() / 2 + 1}; }

  std::string word(std::span<const Index> symbols) const override {
    const std::string name = answerWord(match, symbols[letter]);
    return symbols[kind] == opens ? "(" + name : name + ")";
  }
  std::string answerWord(Index /*question*/, Index answer) const override {
    return {static_cast<char>('a' + answer)};
  }

 private:
  static constexpr Index kLetters = 8;

  enum Feature { kind, letter, depth };
  enum Kind { opens, closes };
  enum Asked { match, previous };

  void generate(Example& example, Draws& draws) const override {
    std::vector<Index> open;
    for (Index i = 0; i < length(); ++i) {
      const auto depthBefore = static_cast<Index>(open.size());
      const bool mustClose = depthBefore == length() - i;
      const bool opening = depthBefore == 0 || (!mustClose && draws.chance(0.5));
      if (opening) open.push_back(i);
      example.symbol(i, kind) = opening ? opens : closes;
      example.symbol(i, letter) = draws.below(kLetters);
      example.symbol(i, depth) = static_cast<Index>(open.size());
      if (i > 0) example.copy(previous, i, i - 1, letter);
      if (opening) continue;
      example.copy(match, i, open.back(), letter);
      open.pop_back();
    }
  }
};

}  // namespace

const Task& bracketsTask() {
  static const Brackets task;
  return task;
}

}  // namespace headscope::training
