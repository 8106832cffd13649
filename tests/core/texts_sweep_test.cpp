// A sweep over several texts against sweeps over each of them.
#include "core/model/texts_sweep.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

class SweptOverTexts : public testing::Test {
 protected:
  const ModelPtr model_ = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  const ModelDocumentPtr document_ = makeModelDocument(model_, {{5, 17, 3, 40}, {}, {}});

  static TextToSweep textOf(const std::string& name, const std::vector<Index>& ids,
                            const std::vector<Index>& other = {}) {
    TextToSweep text{name, {ids, {}, {}}, {}, [](const ModelTrace& trace) {
                       return AskedWord{trace.tokens() - 1, 21, 12};
                     }};
    if (!other.empty()) text.other = ModelInput{other, {}, {}};
    return text;
  }
  SweptTexts swept(const std::vector<TextToSweep>& texts, const SweepSetting& setting,
                   const ModelTracePtr& previous = nullptr) const {
    TextsSweep sweep(document_, texts, setting, {}, previous);
    Index units = 1;
    while (!sweep.runUnit()) ++units;
    EXPECT_EQ(units, TextsSweep::units(texts.size(), setting, *model_));
    EXPECT_EQ(sweep.textsDone(), texts.size());
    return sweep.found().value();
  }
};

TEST_F(SweptOverTexts, GivesTheChangesOfEachText) {
  const std::vector<TextToSweep> texts{textOf("a", {5, 17, 3, 40}, {1, 2, 3, 4}),
                                       textOf("b", {9, 8, 7}, {4, 8, 1})};
  for (const SweepWith with : {SweepWith::zero, SweepWith::other}) {
    const SweepSetting setting{SweepOver::heads, with, {}, {}};
    const SweptTexts both = swept(texts, setting);
    ASSERT_EQ(both.effects.texts(), 2U);
    ASSERT_EQ(both.otherMetrics.size(), with == SweepWith::other ? 2U : 0U);
    for (std::size_t text = 0; text < 2; ++text) {
      const SweptTexts alone = swept({texts[text]}, setting);
      for (std::size_t part = 0; part < both.parts.size(); ++part) {
        EXPECT_EQ(both.effects.change(text, part), alone.effects.change(0, part));
        EXPECT_TRUE(both.parts[part].rows.empty());
      }
    }
    const std::vector<std::size_t> order = both.effects.strongest(2);
    EXPECT_GE(std::abs(both.effects.change(order[0], 2)),
              std::abs(both.effects.change(order[1], 2)));
    EXPECT_EQ(both.effects.of(2).strongest, order[0]);
  }
}

TEST_F(SweptOverTexts, MeasuresWhereHeadsLook) {
  const SweepSetting setting{SweepOver::heads, SweepWith::zero, {}, {}};
  const auto looks = [&](const TextToSweep& text) {
    std::vector<std::optional<double>> all;
    const SweptTexts found = swept({text}, setting);
    for (std::size_t i = 0; i < found.parts.size(); ++i)
      all.push_back(found.effects.of(i).mean.looks);
    return all;
  };
  const auto weight = [&](const std::vector<Index>& ids, const Patch& part, Index place) {
    const auto trace =
        runModel(makeModelDocument(model_, {ids, {}, {}}), nullptr, {}, kBudgetBytes);
    return static_cast<double>(trace->layer(part.layer)
                                   ->tensor(TensorId::weights)
                                   .at({0, part.head, std::ssize(ids) - 1, place}));
  };
  const std::vector<Patch> parts = swept({textOf("", {5, 17})}, setting).parts;
  const auto stands = looks(textOf("", {5, 21, 3, 40}, {5, 21, 4, 40}));  // 21 is asked for
  const auto changed = looks(textOf("", {5, 17, 3, 40}, {6, 17, 4, 40}));
  const auto unknown = looks(textOf("", {5, 17, 3, 40}));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_DOUBLE_EQ(stands[i].value(), weight({5, 21, 3, 40}, parts[i], 1));
    EXPECT_DOUBLE_EQ(changed[i].value(),
                     weight({5, 17, 3, 40}, parts[i], 0) + weight({5, 17, 3, 40}, parts[i], 2));
    EXPECT_FALSE(unknown[i]);
  }
}

TEST_F(SweptOverTexts, TakesTheMeanOfAllOrOfOthers) {
  const TextToSweep first = textOf("", {5, 17, 3, 40}), second = textOf("", {9, 8, 7});
  const SweepSetting own{SweepOver::layers, SweepWith::mean, {}, {}};
  SweepSetting ofBoth = own;
  ofBoth.meanOf = {first.input, second.input};
  const SweptTexts both = swept({first, second}, own);
  EXPECT_EQ(both.effects.change(0, 1), swept({first}, ofBoth).effects.change(0, 1));
  EXPECT_NE(both.effects.change(0, 1), swept({first}, own).effects.change(0, 1));
}

/// A pass that is there already is not run again, and changes no bit.
TEST_F(SweptOverTexts, TakesWhatWasComputed) {
  const ModelTracePtr trace = runModel(document_, nullptr, {}, kBudgetBytes);
  const std::vector<TextToSweep> texts{textOf("", {5, 17, 3, 40})};
  const SweepSetting setting{SweepOver::places, SweepWith::zero, {}, {}};
  const SweptTexts found = swept(texts, setting, trace), alone = swept(texts, setting);
  for (std::size_t part = 0; part < found.parts.size(); ++part) {
    EXPECT_EQ(found.effects.change(0, part), alone.effects.change(0, part));
  }
}

TEST_F(SweptOverTexts, SaysInWhichTextItFails) {
  const auto run = [&](const TextToSweep& text, const SweepSetting& setting) {
    TextsSweep sweep(document_, {textOf("first", {1, 2}, {3, 4}), text}, setting, {});
    while (!sweep.runUnit()) continue;
  };
  const SweepSetting other{SweepOver::heads, SweepWith::other, {}, {}};
  expectUserError([&] { run(textOf("second", {1, 2}), other); }, "second: ", "no other text");
  expectUserError([&] { run(textOf("second", {1, 2}, {1}), other); }, "second: ", "equally many");
  expectUserError([&] { run(textOf("second", {900}), {}); }, "second: ", "900");
  expectUserError(
      [&] {
        run(textOf("second", {1, 2, 3}), {SweepOver::places, SweepWith::zero, {}, {}});
      },
      "second: ", "numbers of tokens");
}

TEST_F(SweptOverTexts, EndsWhereItIsCancelled) {
  std::atomic<bool> cancelled{false};
  TextsSweep sweep(document_, {textOf("", {1, 2}), textOf("", {3, 4})}, {},
                   {.cancelled = &cancelled});
  EXPECT_FALSE(sweep.runUnit());
  cancelled = true;
  EXPECT_TRUE(sweep.runUnit());
  EXPECT_FALSE(sweep.found().has_value());
}

}  // namespace
}  // namespace headscope::test::models
