// Induction: what followed this letter the last time? Two heads of two layers answer it together
// (Elhage et al. 2021; Olsson et al. 2022).
#include <string>

#include "core/base/translation.h"
#include "core/training/tasks/example_writer.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {

Task inductionTask() {
  static constexpr Index kPlaces = 32;
  static constexpr Index kLetters = 26;
  static constexpr Index kShortest = 6;
  static constexpr Index kLongest = 24;
  enum Asked { next };
  enum Looked { previous, induction };

  return {
      .id = "induction",
      .title = trLater("Induction"),
      .words = trLater(
          "A row of 6 to 24 different letters, repeated. From the second time on, each letter "
          "names the next one. The row's length differs between examples, so counting positions "
          "does not help."),
      .lookFor = trLater(
          "A head of layer 1 looks at the letter before, so that every position knows its "
          "predecessor. A head of layer 2 looks for the position that followed its own letter and "
          "finds the next letter there. The loss falls once both exist. The first head is needed "
          "only during the row's first appearance and can look elsewhere later. One layer cannot "
          "do it: set layers to 1, and four of five letters stay wrong."),
      .settings = {.model = {.layers = 2, .dModel = 32, .heads = 2, .causal = true},
                   .learningRate = 1e-2,
                   .batch = 32,
                   .steps = 300},
      .questions = {{"next", trLater("the next letter, from the second time on"), kLetters}},
      .relations = {{"previous", trLater("the letter before, during the row's first appearance")},
                    {"induction", trLater("what followed this letter earlier")}},
      .length = kPlaces,
      .features = {kLetters},
      .generate =
          [](ExampleWriter& example, Draws& draws) {
            const Index period = kShortest + draws.below(kLongest - kShortest + 1);
            const std::vector<Index> letters = draws.shuffled(kLetters);
            const auto at = [&](Index i) { return letters[static_cast<std::size_t>(i % period)]; };
            for (Index i = 0; i < kPlaces; ++i) example.symbol(i) = at(i);
            for (Index i = 1; i < period; ++i) example.partner(previous, i, i - 1);
            for (Index i = period; i < kPlaces; ++i) {
              example.answer(next, i, static_cast<double>(at(i + 1)));
              for (Index earlier = i - period; earlier >= 0; earlier -= period) {
                example.partner(induction, i, earlier + 1);
              }
            }
          },
      .word =
          [](std::span<const Index> symbols) {
            return std::string(1, static_cast<char>('a' + symbols.front()));
          },
  };
}

}  // namespace headscope::training
