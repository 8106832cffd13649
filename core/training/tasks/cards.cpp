// Cards: the card before, the one after, the first, and the other one of the same colour. Three can
// be found by their place, the fourth by what is on it.
#include <array>
#include <string>

#include "core/base/translation.h"
#include "core/training/tasks/example_writer.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {

Task cardsTask() {
  static constexpr Index kColours = 8;
  static constexpr Index kNumbers = 16;
  static constexpr Index kPlaces = 2 * kColours;
  enum Feature { colour, number };
  enum Asked { previous, next, first, partner };

  return {
      .id = "cards",
      .title = trLater("Cards"),
      .words = trLater(
          "Sixteen cards, each with a colour and a number; every colour comes twice. Each "
          "card names four numbers: that of the card before, of the card after, of the first "
          "card, and of the other card of its colour."),
      .lookFor = trLater(
          "Position alone finds the neighbours and the first card, and their heads form first. The "
          "other card of the same colour is elsewhere in each example: its head forms last, within "
          "a few steps. One or two heads never find it, however they share the other questions. "
          "With eight heads, some repeat others."),
      .settings = {.model = {.layers = 1, .dModel = 64, .heads = 4},
                   .learningRate = 2e-2,
                   .batch = 32,
                   .steps = 300},
      .questions = {{"previous", trLater("the number on the card before"), kNumbers},
                    {"next", trLater("the number on the card after"), kNumbers},
                    {"first", trLater("the number on the first card"), kNumbers},
                    {"partner", trLater("the number on the other card of the same colour"),
                     kNumbers}},
      .relations = {{"previous", trLater("the card before")},
                    {"next", trLater("the card after")},
                    {"first", trLater("the first card")},
                    {"partner", trLater("the other card of the same colour")}},
      .length = kPlaces,
      .features = {kColours, kNumbers},
      .generate =
          [](ExampleWriter& example, Draws& draws) {
            const std::vector<Index> dealt = draws.shuffled(kPlaces);  // colour c: 2c and 2c + 1
            std::vector<Index> placeOf(dealt.size());
            for (Index i = 0; i < kPlaces; ++i) {
              const Index card = dealt[static_cast<std::size_t>(i)];
              placeOf[static_cast<std::size_t>(card)] = i;
              example.symbol(i, colour) = card / 2;
              example.symbol(i, number) = draws.below(kNumbers);
            }
            for (Index i = 0; i < kPlaces; ++i) {
              const Index other = dealt[static_cast<std::size_t>(i)] ^ 1;
              if (i > 0) example.copy(previous, i, i - 1, number);
              if (i + 1 < kPlaces) example.copy(next, i, i + 1, number);
              example.copy(first, i, 0, number);
              example.copy(partner, i, placeOf[static_cast<std::size_t>(other)], number);
            }
          },
      .word =
          [](std::span<const Index> symbols) {
            static constexpr std::array<const char*, kColours> kNames{
                "red", "orange", "yellow", "green", "blue", "violet", "brown", "black"};
            return std::string(kNames[static_cast<std::size_t>(symbols[colour])]) + " " +
                   std::to_string(symbols[number] + 1);
          },
  };
}

}  // namespace headscope::training
