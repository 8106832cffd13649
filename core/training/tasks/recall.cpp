// Recall: which number followed this letter? Associative recall, which takes two layers: see Ba et
// al. 2016, "Using fast weights to attend to the recent past", for the task.
#include <array>
#include <string>

#include "core/training/tasks/example.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {
namespace {

class Recall final : public Task {
 public:
  std::string_view id() const override { return "recall"; }
  std::string_view title() const override { return "Recall"; }
  std::string_view words() const override {
    return "Six different letters, each followed by a number; then six of these letters again, in "
           "any order: each names the number that followed it. Their numbers follow them, so a "
           "letter that is asked twice can also be looked up there.";
  }
  std::string_view lookFor() const override {
    return "At first the model only guesses among the numbers it has seen, and the loss stays "
           "constant. Then it falls within some fifty steps: in layer 1 each number has learned to "
           "look at the letter before it, and in layer 2 the asked letter finds the number that "
           "carries it. Neither helps without the other.";
  }
  TaskSettings settings() const override {
    return {.model = {.layers = 2, .dModel = 32, .heads = 1, .causal = true},
            .learningRate = 5e-3,
            .batch = 32,
            .steps = 350};
  }

  std::span<const Question> questions() const override {
    static constexpr std::array<Question, 1> kQuestions{{
        {"value", "the number that followed this letter", kValues},
    }};
    return kQuestions;
  }
  std::span<const Relation> relations() const override {
    static constexpr std::array<Relation, 2> kRelations{{
        {"previous", "from a number to the letter before it"},
        {"induction", "from a letter that is asked to the number that followed it"},
    }};
    return kRelations;
  }

  Index length() const override { return 2 * kPairs + 2 * kQueries - 1; }
  std::vector<Index> features() const override { return {kKeys + kValues}; }

  std::string word(std::span<const Index> symbols) const override {
    const Index symbol = symbols.front();
    if (symbol >= kKeys) return answerWord(value, symbol - kKeys);
    return {static_cast<char>('A' + symbol)};
  }
  std::string answerWord(Index /*question*/, Index answer) const override {
    return std::to_string(answer + 1);
  }

 private:
  static constexpr Index kKeys = 8;
  static constexpr Index kValues = 8;
  static constexpr Index kPairs = 6;
  static constexpr Index kQueries = 6;

  enum Asked { value };
  enum Looked { previous, induction };

  void generate(Example& example, Draws& draws) const override {
    const std::vector<Index> keys = draws.shuffled(kKeys);
    for (Index pair = 0; pair < kPairs; ++pair) {
      example.symbol(2 * pair) = keys[static_cast<std::size_t>(pair)];
      example.symbol(2 * pair + 1) = kKeys + draws.below(kValues);
      example.partner(previous, 2 * pair + 1, 2 * pair);
    }
    for (Index asked = 2 * kPairs; asked < length(); asked += 2) {
      const Index pair = draws.below(kPairs);
      const Index known = example.symbol(2 * pair + 1);
      example.symbol(asked) = example.symbol(2 * pair);
      if (asked + 1 < length()) example.symbol(asked + 1) = known;
      example.answer(value, asked, static_cast<double>(known - kKeys));
      for (Index key = 0; key < asked; key += 2) {
        if (example.symbol(key) == example.symbol(asked)) {
          example.partner(induction, asked, key + 1);
        }
      }
    }
  }
};

}  // namespace

const Task& recallTask() {
  static const Recall task;
  return task;
}

}  // namespace headscope::training
