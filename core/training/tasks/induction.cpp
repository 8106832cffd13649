// Induction: what followed this letter the last time? Two heads of two layers answer it together
// (Elhage et al. 2021; Olsson et al. 2022).
#include <array>
#include <string>

#include "core/training/tasks/example.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {
namespace {

class Induction final : public Task {
 public:
  std::string_view id() const override { return "induction"; }
  std::string_view title() const override { return "Induction"; }
  std::string_view words() const override {
    return "A row of 6 to 24 different letters, repeated. From the second time on, each letter "
           "names the next one. The row's length differs between examples, so counting positions "
           "does not help.";
  }
  std::string_view lookFor() const override {
    return "A head of layer 1 looks at the letter before, so that every position knows its "
           "predecessor. A head of layer 2 looks for the position that followed its own letter and "
           "finds the next letter there. The loss falls once both exist. The first head is needed "
           "only during the row's first appearance and can look elsewhere later. One layer cannot "
           "do it: set layers to 1, and four of five letters stay wrong.";
  }
  TaskSettings settings() const override {
    return {.model = {.layers = 2, .dModel = 32, .heads = 2, .causal = true},
            .learningRate = 1e-2,
            .batch = 32,
            .steps = 300};
  }

  std::span<const Question> questions() const override {
    static constexpr std::array<Question, 1> kQuestions{{
        {"next", "the next letter, from the second time on", kLetters},
    }};
    return kQuestions;
  }
  std::span<const Relation> relations() const override {
    static constexpr std::array<Relation, 2> kRelations{{
        {"previous", "the letter before, during the row's first appearance"},
        {"induction", "what followed this letter earlier"},
    }};
    return kRelations;
  }

  Index length() const override { return 32; }
  std::vector<Index> features() const override { return {kLetters}; }

  std::string word(std::span<const Index> symbols) const override {
    return answerWord(next, symbols.front());
  }
  std::string answerWord(Index /*question*/, Index answer) const override {
    return {static_cast<char>('a' + answer)};
  }

 private:
  static constexpr Index kLetters = 26;
  static constexpr Index kShortest = 6;
  static constexpr Index kLongest = 24;

  enum Asked { next };
  enum Looked { previous, induction };

  void generate(Example& example, Draws& draws) const override {
    const Index period = kShortest + draws.below(kLongest - kShortest + 1);
    const std::vector<Index> letters = draws.shuffled(kLetters);
    const auto at = [&](Index i) { return letters[static_cast<std::size_t>(i % period)]; };
    for (Index i = 0; i < length(); ++i) example.symbol(i) = at(i);
    for (Index i = 1; i < period; ++i) example.partner(previous, i, i - 1);
    for (Index i = period; i < length(); ++i) {
      example.answer(next, i, static_cast<double>(at(i + 1)));
      for (Index earlier = i - period; earlier >= 0; earlier -= period) {
        example.partner(induction, i, earlier + 1);
      }
    }
  }
};

}  // namespace

const Task& inductionTask() {
  static const Induction task;
  return task;
}

}  // namespace headscope::training
