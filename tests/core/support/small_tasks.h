// Small tasks: learned in a few steps, for tests of training itself.
#pragma once

#include <string>

#include "core/training/tasks/example_writer.h"

namespace headscope::test {

/// Four symbols drawn at random, six places: each names the one before.
inline training::Task namesPrevious() {
  static constexpr Index kSymbols = 4;
  static constexpr Index kPlaces = 6;
  return {
      .id = "names_previous",
      .title = "Names the previous",
      .words = "Each place names the symbol before.",
      .lookFor = "One place back.",
      .settings = {.model = {.layers = 1, .dModel = 16, .heads = 2, .causal = true},
                   .learningRate = 2e-2,
                   .batch = 16,
                   .steps = 60},
      .questions = {{"previous", "the symbol before", kSymbols}},
      .relations = {{"previous", "the place before"}},
      .length = kPlaces,
      .features = {kSymbols},
      .generate =
          [](training::ExampleWriter& example, training::Draws& draws) {
            for (Index i = 0; i < kPlaces; ++i) {
              example.symbol(i) = draws.below(kSymbols);
              if (i > 0) example.copy(0, i, i - 1);
            }
          },
      .word =
          [](std::span<const Index> symbols) {
            return std::string(1, static_cast<char>('a' + symbols[0]));
          },
  };
}

/// A series of two channels: at some places, whether the first was above 0 (two classes) and what
/// the second was one step before (a number).
inline training::Task asksOfSeries() {
  static constexpr Index kPlaces = 5;
  return {
      .id = "asks_of_series",
      .title = "Asks of a series",
      .words = "",
      .lookFor = "",
      .settings = {.model = {.layers = 2, .dModel = 12, .heads = 3},
                   .learningRate = 1e-2,
                   .batch = 8,
                   .steps = 20},
      .questions = {{"above", "whether it is above 0", 2},
                    {"before", "the reading before", 1, 0.5F}},
      .relations = {},
      .length = kPlaces,
      .channels = {"first", "second"},
      .generate =
          [](training::ExampleWriter& example, training::Draws& draws) {
            double before = 0.0;
            for (Index i = 0; i < kPlaces; ++i) {
              const double first = draws.normal();
              const double second = draws.uniform(-1.0, 1.0);
              example.reading(i, 0, first);
              example.reading(i, 1, second);
              if (i != 2) example.answer(0, i, first > 0.0 ? 1.0 : 0.0);
              if (i > 0) example.answer(1, i, before);
              before = second;
            }
          },
  };
}

}  // namespace headscope::test
