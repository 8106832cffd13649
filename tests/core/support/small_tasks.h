// Small tasks: learned in a few steps, for tests of training itself.
#pragma once

#include <string>

#include "core/training/tasks/example.h"

namespace headscope::test {

/// Four symbols drawn at random, six places: each names the one before.
class NamesPrevious final : public training::Task {
 public:
  static constexpr Index kSymbols = 4;

  std::string_view id() const override { return "names_previous"; }
  std::string_view title() const override { return "Names the previous"; }
  std::string_view words() const override { return "Each place names the symbol before."; }
  std::string_view lookFor() const override { return "One place back."; }
  training::TaskSettings settings() const override {
    return {.model = {.layers = 1, .dModel = 16, .heads = 2, .causal = true},
            .learningRate = 2e-2,
            .batch = 16,
            .steps = 60};
  }
  std::span<const training::Question> questions() const override {
    static constexpr training::Question kQuestions[]{{"previous", "the symbol before", kSymbols}};
    return kQuestions;
  }
  std::span<const training::Relation> relations() const override {
    static constexpr training::Relation kRelations[]{{"previous", "the place before"}};
    return kRelations;
  }
  Index length() const override { return 6; }
  std::vector<Index> features() const override { return {kSymbols}; }
  std::string word(std::span<const Index> symbols) const override {
    return std::string(1, static_cast<char>('a' + symbols[0]));
  }

 private:
  void generate(training::Example& example, training::Draws& draws) const override {
    for (Index i = 0; i < length(); ++i) {
      example.symbol(i) = draws.below(kSymbols);
      if (i > 0) example.copy(0, i, i - 1);
    }
  }
};

/// A series of two channels: at some places, whether the first was above 0 (two classes) and what
/// the second was one step before (a number).
class AsksOfSeries final : public training::Task {
 public:
  std::string_view id() const override { return "asks_of_series"; }
  std::string_view title() const override { return "Asks of a series"; }
  std::string_view words() const override { return ""; }
  std::string_view lookFor() const override { return ""; }
  training::TaskSettings settings() const override {
    return {.model = {.layers = 2, .dModel = 12, .heads = 3},
            .learningRate = 1e-2,
            .batch = 8,
            .steps = 20};
  }
  std::span<const training::Question> questions() const override {
    static constexpr training::Question kQuestions[]{{"above", "whether it is above 0", 2},
                                                     {"before", "the reading before", 1, 0.5F}};
    return kQuestions;
  }
  std::span<const training::Relation> relations() const override { return {}; }
  Index length() const override { return 5; }
  std::span<const std::string_view> channels() const override {
    static constexpr std::string_view kChannels[]{"first", "second"};
    return kChannels;
  }

 private:
  void generate(training::Example& example, training::Draws& draws) const override {
    double before = 0.0;
    for (Index i = 0; i < length(); ++i) {
      const double first = draws.normal();
      const double second = draws.uniform(-1.0, 1.0);
      example.reading(i, 0, first);
      example.reading(i, 1, second);
      if (i != 2) example.answer(0, i, first > 0.0 ? 1.0 : 0.0);
      if (i > 0) example.answer(1, i, before);
      before = second;
    }
  }
};

}  // namespace headscope::test
