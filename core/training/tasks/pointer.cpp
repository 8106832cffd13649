// Pointer: which letter is at the place that a number gives?
#include <string>

#include "core/base/translation.h"
#include "core/training/tasks/example_writer.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {

Task pointerTask() {
  static constexpr Index kPlaces = 16;
  static constexpr Index kLetters = 16;
  enum Feature { letter, place };
  enum Asked { pointer, previous };

  return {
      .id = "pointer",
      .title = trLater("Pointer"),
      .words = trLater(
          "Sixteen positions, each with a letter and the number of a position, perhaps its own. "
          "Each names the letter at the position it points to, and the letter before."),
      .lookFor = trLater(
          "The quickest of the tasks: about sixty steps. One head reads the number and looks at "
          "that position, with a new picture for each example. The other draws the same diagonal "
          "for all."),
      .settings = {.model = {.layers = 1, .dModel = 64, .heads = 2},
                   .learningRate = 1e-2,
                   .batch = 64,
                   .steps = 120},
      .questions = {{"pointer", trLater("the letter at the position it points to"), kLetters},
                    {"previous", trLater("the letter before"), kLetters}},
      .relations = {{"pointer", trLater("the position it points to")},
                    {"previous", trLater("the place before")}},
      .length = kPlaces,
      .features = {kLetters, kPlaces},
      .generate =
          [](ExampleWriter& example, Draws& draws) {
            for (Index i = 0; i < kPlaces; ++i) {
              example.symbol(i, letter) = draws.below(kLetters);
              example.symbol(i, place) = draws.below(kPlaces);
            }
            for (Index i = 0; i < kPlaces; ++i) {
              example.copy(pointer, i, example.symbol(i, place), letter);
              if (i > 0) example.copy(previous, i, i - 1, letter);
            }
          },
      .word =
          [](std::span<const Index> symbols) {
            return std::string(1, static_cast<char>('a' + symbols[letter])) + "→" +
                   std::to_string(symbols[place] + 1);
          },
  };
}

}  // namespace headscope::training
