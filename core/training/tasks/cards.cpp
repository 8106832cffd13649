// Cards: the card before, the one after, the first, and the other one of the same colour. Three can
// be found by their place, the fourth by what is on it.
#include <array>
#include <string>

#include "core/training/tasks/example.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {
namespace {

class Cards final : public Task {
 public:
  std::string_view id() const override { return "cards"; }
  std::string_view title() const override { return "Cards"; }
  std::string_view words() const override {
    return "Sixteen cards, each with a colour and a number; every colour comes twice. Each card "
           "names four numbers: that of the card before, of the card after, of the first card, and "
           "of the other card of its colour.";
  }
  std::string_view lookFor() const override {
    return "Position alone finds the neighbours and the first card, and their heads form first. "
           "The other card of the same colour is elsewhere in each example: its head forms last, "
           "within a few steps. One or two heads never find it, however they share the other "
           "questions. With eight heads, some repeat others.";
  }
  TaskSettings settings() const override {
    return {.model = {.layers = 1, .dModel = 64, .heads = 4},
            .learningRate = 2e-2,
            .batch = 32,
            .steps = 300};
  }

  std::span<const Question> questions() const override {
    static constexpr std::array<Question, 4> kQuestions{{
        {"previous", "the number on the card before", kNumbers},
        {"next", "the number on the card after", kNumbers},
        {"first", "the number on the first card", kNumbers},
        {"partner", "the number on the other card of the same colour", kNumbers},
    }};
    return kQuestions;
  }
  std::span<const Relation> relations() const override {
    static constexpr std::array<Relation, 4> kRelations{{
        {"previous", "the card before"},
        {"next", "the card after"},
        {"first", "the first card"},
        {"partner", "the other card of the same colour"},
    }};
    return kRelations;
  }

  Index length() const override { return 2 * kColours; }
  std::vector<Index> features() const override { return {kColours, kNumbers}; }

  std::string word(std::span<const Index> symbols) const override {
    static constexpr std::array<std::string_view, kColours> kNames{
        "red", "orange", "yellow", "green", "blue", "violet", "brown", "black"};
    return std::string(kNames[static_cast<std::size_t>(symbols[colour])]) + " " +
           answerWord(partner, symbols[number]);
  }
  std::string answerWord(Index /*question*/, Index answer) const override {
    return std::to_string(answer + 1);
  }

 private:
  static constexpr Index kColours = 8;
  static constexpr Index kNumbers = 16;

  enum Feature { colour, number };
  enum Asked { previous, next, first, partner };

  void generate(Example& example, Draws& draws) const override {
    const std::vector<Index> dealt = draws.shuffled(length());  // cards 2c and 2c + 1 have colour c
    std::vector<Index> placeOf(dealt.size());
    for (Index i = 0; i < length(); ++i) {
      const Index card = dealt[static_cast<std::size_t>(i)];
      placeOf[static_cast<std::size_t>(card)] = i;
      example.symbol(i, colour) = card / 2;
      example.symbol(i, number) = draws.below(kNumbers);
    }
    for (Index i = 0; i < length(); ++i) {
      const Index other = dealt[static_cast<std::size_t>(i)] ^ 1;
      if (i > 0) example.copy(previous, i, i - 1, number);
      if (i + 1 < length()) example.copy(next, i, i + 1, number);
      example.copy(first, i, 0, number);
      example.copy(partner, i, placeOf[static_cast<std::size_t>(other)], number);
    }
  }
};

}  // namespace

const Task& cardsTask() {
  static const Cards task;
  return task;
}

}  // namespace headscope::training
