// Recall: which number followed this letter? Associative recall, which takes two layers: see Ba et
// al. 2016, "Using fast weights to attend to the recent past", for the task.
#include <string>

#include "core/base/translation.h"
#include "core/training/tasks/example_writer.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {

Task recallTask() {
  static constexpr Index kKeys = 8;
  static constexpr Index kValues = 8;
  static constexpr Index kPairs = 6;
  static constexpr Index kQueries = 6;
  static constexpr Index kPlaces = 2 * kPairs + 2 * kQueries - 1;
  enum Asked { value };
  enum Looked { previous, induction };

  return {
      .id = "recall",
      .title = trLater("Recall"),
      .words = trLater(
          "Six different letters, each followed by a number; then six of these letters again, in "
          "any order: each names the number that followed it. Their numbers follow them, so a "
          "letter that is asked twice can also be looked up there."),
      .lookFor = trLater(
          "At first the model only guesses among the numbers it has seen, and the loss stays "
          "constant. Then it falls within some fifty steps: in layer 1 each number has learned to "
          "look at the letter before it, and in layer 2 the asked letter finds the number that "
          "carries it. Neither helps without the other."),
      .settings = {.model = {.layers = 2, .dModel = 32, .heads = 1, .causal = true},
                   .learningRate = 5e-3,
                   .batch = 32,
                   .steps = 350},
      .questions = {{"value", trLater("the number that followed this letter"), kValues}},
      .relations = {{"previous", trLater("from a number to the letter before it")},
                    {"induction",
                     trLater("from a letter that is asked to the number that followed it")}},
      .length = kPlaces,
      .features = {kKeys + kValues},
      .generate =
          [](ExampleWriter& example, Draws& draws) {
            const std::vector<Index> keys = draws.shuffled(kKeys);
            for (Index pair = 0; pair < kPairs; ++pair) {
              example.symbol(2 * pair) = keys[static_cast<std::size_t>(pair)];
              example.symbol(2 * pair + 1) = kKeys + draws.below(kValues);
              example.partner(previous, 2 * pair + 1, 2 * pair);
            }
            for (Index asked = 2 * kPairs; asked < kPlaces; asked += 2) {
              const Index pair = draws.below(kPairs);
              const Index known = example.symbol(2 * pair + 1);
              example.symbol(asked) = example.symbol(2 * pair);
              if (asked + 1 < kPlaces) example.symbol(asked + 1) = known;
              example.answer(value, asked, static_cast<double>(known - kKeys));
              for (Index key = 0; key < asked; key += 2) {
                if (example.symbol(key) == example.symbol(asked)) {
                  example.partner(induction, asked, key + 1);
                }
              }
            }
          },
      .word =
          [](std::span<const Index> symbols) {
            const Index symbol = symbols.front();
            return symbol >= kKeys ? std::to_string(symbol - kKeys + 1)
                                   : std::string(1, static_cast<char>('A' + symbol));
          },
  };
}

}  // namespace headscope::training
