// Brackets: which opening bracket does this one close?
#include <string>

#include "core/base/translation.h"
#include "core/training/tasks/example_writer.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {

Task bracketsTask() {
  static constexpr Index kPlaces = 16;
  static constexpr Index kLetters = 8;
  enum Feature { kind, letter, depth };
  enum Kind { opens, closes };
  enum Asked { match, previous };

  return {
      .id = "brackets",
      .title = trLater("Brackets"),
      .words = trLater(
          "Sixteen balanced brackets, each with a letter and its nesting depth. A closing bracket "
          "names the letter of the one that opened it; every bracket names the letter before."),
      .lookFor = trLater(
          "The matching bracket is the latest opening one of the same depth: its head has to match "
          "the depth and prefer near brackets. The other head draws a diagonal."),
      .settings = {.model = {.layers = 1, .dModel = 32, .heads = 2, .causal = true},
                   .learningRate = 1e-2,
                   .batch = 64,
                   .steps = 250},
      .questions = {{"match", trLater("the letter of the matching opening bracket"), kLetters},
                    {"previous", trLater("the letter before"), kLetters}},
      .relations = {{"match", trLater("from a closing bracket to its opening one")},
                    {"previous", trLater("the bracket before")}},
      .length = kPlaces,
      .features = {2, kLetters, kPlaces / 2 + 1},
      .generate =
          [](ExampleWriter& example, Draws& draws) {
            std::vector<Index> open;
            for (Index i = 0; i < kPlaces; ++i) {
              const auto depthBefore = static_cast<Index>(open.size());
              const bool mustClose = depthBefore == kPlaces - i;
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
          },
      .word =
          [](std::span<const Index> symbols) {
            const std::string name(1, static_cast<char>('a' + symbols[letter]));
            return symbols[kind] == opens ? "(" + name : name + ")";
          },
  };
}

}  // namespace headscope::training
