// Pointer: which letter is at the place that a number gives?
#include <array>
#include <string>

#include "core/training/tasks/example.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {
namespace {

class Pointer final : public Task {
 public:
  std::string_view id() const override { return "pointer"; }
  std::string_view title() const override { return "Pointer"; }
  std::string_view words() const override {
    return "Sixteen positions, each with a letter and the number of a position, perhaps its own. "
           "Each names the letter at the position it points to, and the letter before.";
  }
  std::string_view lookFor() const override {
    return "The quickest of the tasks: about sixty steps. One head reads the number and looks at "
           "that position, with a new picture for each example. The other draws the same diagonal "
           "for all.";
  }
  TaskSettings settings() const override {
    return {.model = {.layers = 1, .dModel = 64, .heads = 2},
            .learningRate = 1e-2,
            .batch = 64,
            .steps = 120};
  }

  std::span<const Question> questions() const override {
    static constexpr std::array<Question, 2> kQuestions{{
        {"pointer", "the letter at the position it points to", kLetters},
        {"previous", "the letter before", kLetters},
    }};
    return kQuestions;
  }
  std::span<const Relation> relations() const override {
    static constexpr std::array<Relation, 2> kRelations{{
        {"pointer", "the position it points to"},
        {"previous", "the place before"},
    }};
    return kRelations;
  }

  Index length() const override { return 16; }
  std::vector<Index> features() const override { return {kLetters, length()}; }

  std::string word(std::span<const Index> symbols) const override {
    return answerWord(pointer, symbols[letter]) + "→" + std::to_string(symbols[place] + 1);
  }
  std::string answerWord(Index /*question*/, Index answer) const override {
    return {static_cast<char>('a' + answer)};
  }

 private:
  static constexpr Index kLetters = 16;

  enum Feature { letter, place };
  enum Asked { pointer, previous };

  void generate(Example& example, Draws& draws) const override {
    for (Index i = 0; i < length(); ++i) {
      example.symbol(i, letter) = draws.below(kLetters);
      example.symbol(i, place) = draws.below(length());
    }
    for (Index i = 0; i < length(); ++i) {
      example.copy(pointer, i, example.symbol(i, place), letter);
      if (i > 0) example.copy(previous, i, i - 1, letter);
    }
  }
};

}  // namespace

const Task& pointerTask() {
  static const Pointer task;
  return task;
}

}  // namespace headscope::training
