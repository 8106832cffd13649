// A sweep over several texts against sweeps over each of them.
#include "core/model/texts_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
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
    // with few parts, none run before the others
    EXPECT_NEAR(units, TextsSweep::units(texts.size(), setting, *model_), 1);
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
    EXPECT_GE(both.effects.spread(2), 0.0);
  }
}

TEST_F(SweptOverTexts, MeasuresWhereHeadsLook) {
  const SweepSetting setting{SweepOver::heads, SweepWith::zero, {}, {}};
  const auto looks = [&](const TextToSweep& text) {
    std::vector<std::optional<double>> all;
    const SweptTexts found = swept({text}, setting);
    for (std::size_t i = 0; i < found.parts.size(); ++i) all.push_back(found.effects.mean(i).looks);
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

/// A token of the text gets the values of the one that stands for it, and keeps its own where there
/// is none.
TEST_F(SweptOverTexts, AlignsATextOfAnotherLength) {
  const SweepSetting setting{SweepOver::places, SweepWith::other, {}, {}};
  const SweptTexts found = swept({textOf("", {5, 17, 3, 40}, {5, 3, 40})}, setting);
  EXPECT_EQ(found.aligned.front().places, (std::vector<Index>{0, kNoPartner, 1, 2}));
  EXPECT_EQ(found.aligned.front().inWords,
            "The texts have 4 and 3 tokens and are aligned. Without a partner, 17 keeps its own "
            "values.");
  const auto passOf = [&](const std::vector<Index>& ids) {
    return runModel(makeModelDocument(model_, {ids, {}, {}}), nullptr, {}, kBudgetBytes);
  };
  const ModelTracePtr base = passOf({5, 17, 3, 40}), other = passOf({5, 3, 40});
  for (std::size_t part = 0; part < found.parts.size(); ++part) {
    const Patch& at = found.parts[part];
    if (at.place == 1) {
      EXPECT_NEAR(found.effects.change(0, part), 0.0, 1e-6);  // rounding alone
      continue;
    }
    const Index from = at.place == 0 ? 0 : at.place - 1;
    const Tensor rows =
        other->hidden(2 * at.layer).slice(1, from, from + 1).clone().reshaped({1, 32});
    PatchedRuns alone(base, {{Site::residual, at.layer, 0, at.place, rows}}, {3, 21, 12}, {});
    while (!alone.runUnit()) continue;
    EXPECT_NEAR(found.effects.change(0, part), alone.effects().front().metric - alone.base().metric,
                1e-5)
        << at.layer << ", " << at.place;
  }
  EXPECT_NE(found.effects.change(0, 2), 0.0);
}

/// A part replaced at each place in turn differs from one replaced everywhere, and a token behind
/// the prediction changes nothing.
TEST_F(SweptOverTexts, ReplacesPartsAtOnePlace) {
  const auto at = [&](SweepOver over, Index place) {
    SweepSetting setting{over, SweepWith::zero, {}, {}, place};
    return swept({textOf("", {5, 17, 3, 40})}, setting);
  };
  const auto base = runModel(document_, nullptr, {}, kBudgetBytes);
  for (const SweepOver over : {SweepOver::heads, SweepOver::layers, SweepOver::keys}) {
    const SweptTexts one = at(over, 1), all = at(over, Patch::kEveryPlace);
    ASSERT_EQ(one.parts.size(), all.parts.size());
    EXPECT_EQ(one.parts[0].place, 1);
    EXPECT_NE(one.effects.change(0, 0), 0.0);
    EXPECT_NE(one.effects.change(0, 0), all.effects.change(0, 0));
    auto patches = patchesOver(over, *base, zeros(), 1);
    patches.resize(1);
    EXPECT_EQ(patches[0].rows.dim(0), 1);
    PatchedRuns alone(base, patches, {3, 21, 12}, {});
    while (!alone.runUnit()) continue;
    EXPECT_NEAR(one.effects.change(0, 0), alone.effects().front().metric - alone.base().metric,
                1e-5);
  }
  expectUserError([&] { patchesOver(SweepOver::heads, *base, zeros(), 4); }, "no token 4");
}

/// Replacing each part at each token gives what replacing it at that token gives, also where the
/// largest estimates go first.
TEST_F(SweptOverTexts, ReplacesPartsAtEachPlaceInTurn) {
  const TextToSweep text = textOf("", {5, 17, 3, 40});
  SweepSetting setting{SweepOver::layers, SweepWith::zero, {}, {}, kEachPlace};
  TextsSweep sweep(document_, {text}, setting, {});
  EXPECT_FALSE(sweep.soFar());
  sweep.runUnit();
  const auto estimated = sweep.soFar().value();
  EXPECT_EQ(std::ranges::count(estimated.replaced, true), 0);
  EXPECT_TRUE(valueOf(estimated.effects.base(), estimated.effects.mean(0), EffectKind::estimate));
  // 4 layers' halves at 4 tokens are too few for an order
  const SweptTexts each = swept({text}, setting);
  EXPECT_TRUE(each.allReplaced());
  const std::size_t tokens = 4;
  for (std::size_t place = 0; place < tokens; ++place) {
    setting.place = static_cast<Index>(place);
    const SweptTexts there = swept({text}, setting);
    ASSERT_EQ(each.parts.size(), tokens * there.parts.size());
    for (std::size_t part = 0; part < there.parts.size(); ++part) {
      EXPECT_NEAR(each.effects.change(0, part * tokens + place), there.effects.change(0, part),
                  1e-6);
    }
  }
}

/// The parts with the largest estimates are replaced before the others, with the same effects.
TEST_F(SweptOverTexts, RunsTheLargestEstimatesFirst) {
  const TextToSweep text = textOf("", {5, 17, 3, 40});
  const SweepSetting setting{SweepOver::heads, SweepWith::zero, {}, {}, kEachPlace};
  TextsSweep sweep(document_, {text}, setting, {});
  sweep.runUnit();
  sweep.runUnit();
  const SweptTexts first = sweep.soFar().value();
  EXPECT_FALSE(first.allReplaced());
  EXPECT_EQ(std::ranges::count(first.replaced, true), 8);
  double least = 1e9, most = 0.0;
  for (std::size_t part = 0; part < first.parts.size(); ++part) {
    const double size = std::abs(first.effects.mean(part).estimate.value());
    if (first.replaced[part]) {
      least = std::min(least, size);
    } else {
      most = std::max(most, size);
      EXPECT_EQ(first.effects.change(0, part), 0.0);
    }
  }
  EXPECT_GE(least, most);
  while (!sweep.runUnit()) continue;
  const SweptTexts all = sweep.found().value();
  EXPECT_TRUE(all.allReplaced());
  for (std::size_t part = 0; part < all.parts.size(); ++part) {
    if (first.replaced[part]) {
      EXPECT_EQ(first.effects.change(0, part), all.effects.change(0, part));
    } else {
      EXPECT_NE(all.effects.change(0, part), 0.0);
    }
  }
}

/// The token whose prediction is read is the last one here.
TEST_F(SweptOverTexts, ReplacesPartsAtTheAskedPlace) {
  const TextToSweep text = textOf("", {5, 17, 3});
  SweepSetting setting{SweepOver::keys, SweepWith::zero, {}, {}, kAskedPlace};
  const SweptTexts asked = swept({text}, setting);
  setting.place = 2;
  const SweptTexts last = swept({text}, setting);
  ASSERT_EQ(asked.parts.size(), last.parts.size());
  for (std::size_t part = 0; part < last.parts.size(); ++part) {
    EXPECT_EQ(asked.effects.change(0, part), last.effects.change(0, part));
  }
}

TEST(TextAlignment, MatchesEqualTokensAndTheLastOfANewName) {
  using Places = std::vector<Index>;
  EXPECT_EQ(alignedPlaces({7, 8, 9}, {7, 5, 8, 9}), (Places{0, 2, 3}));
  EXPECT_EQ(alignedPlaces({7, 8, 9}, {9, 8, 7}), (Places{0, 1, 2})) << "equal length: by place";
  EXPECT_EQ(alignedPlaces({1, 2, 3}, {4, 5, 2, 3}), (Places{1, 2, 3}));
  EXPECT_EQ(alignedPlaces({4, 5, 2, 3}, {1, 2, 3}), (Places{kNoPartner, 0, 1, 2}));
  EXPECT_EQ(alignedPlaces({1, 2}, {2, 3, 4}), (Places{kNoPartner, 0})) << "equal tokens first";
  EXPECT_EQ(alignedPlaces({1, 2}, {}), (Places{kNoPartner, kNoPartner}));
  EXPECT_EQ(aligned({{1, 2, 3}, {}, {"the", "cat", "sat"}},
                    {{1, 6, 5, 3}, {}, {"the", "big", "dog", "sat"}})
                .inWords,
            "The texts have 3 and 4 tokens and are aligned, “cat” with “dog”. “big” of the other "
            "text is not used.");
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
