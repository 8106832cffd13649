#include "core/input/embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/attention/config.h"
#include "core/base/random.h"
#include "core/input/input.h"
#include "core/input/series.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

AttentionConfig fitted(const InputSource& source, Index dModel) {
  AttentionConfig config;
  config.dModel = dModel;
  return fitTo(source, config);
}

Input embed(const InputSource& source, Index dModel, Positions positions = Positions::named) {
  return makeInput(source, positions, fitted(source, dModel));
}

Index columnOf(const Input& input, const std::string& name) {
  const auto found = std::find(input.coordinates.begin(), input.coordinates.end(), name);
  EXPECT_NE(found, input.coordinates.end()) << name;
  return found - input.coordinates.begin();
}

TEST(TextEmbedding, CoordinatesAreWhatTheyAreCalled) {
  const Input input = embed(TextSource{{"The cat sat on the mat"}, {}}, 512);
  ASSERT_EQ(input.x.shape(), (Shape{1, 6, 512}));
  ASSERT_EQ(input.coordinates.size(), 512U);
  EXPECT_TRUE(input.notes.empty());
  EXPECT_EQ(input.coordinates[0], "constant");
  EXPECT_EQ(input.coordinates[1], "slow position");
  EXPECT_EQ(input.coordinates[2], "determiner");
  EXPECT_EQ(input.coordinates[13], "other");
  EXPECT_EQ(input.coordinates[14], "cos ω1 i");
  EXPECT_EQ(input.coordinates[69], "sin ω28 i");
  EXPECT_EQ(input.coordinates[70], "after preposition");
  EXPECT_EQ(input.coordinates[75], "after copula");
  EXPECT_EQ(input.coordinates[76], "identity 1");
  EXPECT_EQ(input.coordinates[511], "identity 436");

  const ConstMatrixView x = input.x.matrix({0});
  const double low = 2 * std::numbers::pi / 80;
  for (Index i = 0; i < 6; ++i) {
    EXPECT_EQ(x(i, 0), 1.0F);
    EXPECT_FLOAT_EQ(x(i, 1), static_cast<float>(-std::log(1.0 + i)));
    EXPECT_NEAR(x(i, 14), std::cos(low * i), 1e-6);
    EXPECT_NEAR(x(i, 69), std::sin(std::numbers::pi * i), 1e-6);
    EXPECT_NEAR(x(i, 16), std::cos((low + (std::numbers::pi - low) / 27) * i), 1e-6);
    for (Index c = 76; c < 512; ++c) {
      ASSERT_FLOAT_EQ(std::abs(x(i, c)), 1.0F / std::sqrt(436.0F));
    }
  }
  EXPECT_EQ(x(1, columnOf(input, "noun")), 1.0F);
  EXPECT_EQ(x(1, columnOf(input, "verb")), 0.0F);
  EXPECT_EQ(x(2, columnOf(input, "verb")), 1.0F);
  EXPECT_EQ(x(5, columnOf(input, "after preposition")), 1.0F);
  EXPECT_EQ(x(1, columnOf(input, "after preposition")), 0.0F);
}

/// A word's class and part are those that it has in its sentence.
TEST(TextEmbedding, ClassesAreThoseOfTheSentence) {
  const Input input = embed(TextSource{{"They play.", "The play was long."}, {}}, 128);
  EXPECT_EQ(input.x.at({0, 1, columnOf(input, "verb")}), 1.0F);
  EXPECT_EQ(input.x.at({0, 1, columnOf(input, "noun")}), 0.0F);
  EXPECT_EQ(input.x.at({1, 1, columnOf(input, "noun")}), 1.0F);
  EXPECT_EQ(input.x.at({1, 1, columnOf(input, "verb")}), 0.0F);
  EXPECT_EQ(input.x.at({1, 3, columnOf(input, "after copula")}), 1.0F);
}

TEST(TextEmbedding, IdentityIsTheTokensOwn) {
  const Input input = embed(TextSource{{"The cat sat on the mat"}, {}}, 512);
  const ConstMatrixView x = input.x.matrix({0});
  double same = 0.0;
  double different = 0.0;
  for (Index c = 76; c < 512; ++c) {
    same += x(0, c) * x(4, c);  // "The" and "the"
    different += x(1, c) * x(2, c);
  }
  EXPECT_NEAR(same, 1.0, 1e-5);
  EXPECT_NEAR(different, 0.0, 0.2);
}

TEST(TextEmbedding, TooNarrowDropsFromTheRightAndSaysSo) {
  const TextSource source{{"The cat sat"}, {}};
  EXPECT_TRUE(embed(source, 104).notes.empty());
  EXPECT_EQ(
      embed(source, 32).notes,
      std::vector<std::string>{
          "d_model 32 is too narrow for all coordinates: it leaves out position pairs 6 to 28, "
          "word parts after preposition to after copula"});
  EXPECT_EQ(
      embed(source, 8).notes,
      std::vector<std::string>{"d_model 8 is too narrow for all coordinates: it leaves out "
                               "word classes adjective to other, position pairs 1 to 28, word "
                               "parts after preposition to after copula"});
  const Input one = embed(source, 1);
  EXPECT_EQ(one.coordinates, std::vector<std::string>{"identity 1"});
  EXPECT_EQ(std::abs(one.x.at({0, 0, 0})), 1.0F);
  for (Index width = 1; width <= 100; ++width) {
    const Input input = embed(source, width);
    const auto identity =
        std::count_if(input.coordinates.begin(), input.coordinates.end(),
                      [](const std::string& name) { return name.starts_with("identity"); });
    EXPECT_EQ(static_cast<Index>(input.coordinates.size()), width);
    EXPECT_GE(identity, std::max<Index>(1, width / 4)) << width;
  }
}

TEST(TextEmbedding, WithoutPositionsOrderDoesNotMatter) {
  for (const auto& [one, other] :
       {std::pair("cat sat", "sat cat"), std::pair("the play", "play the"),
        std::pair("near dogs", "dogs near")}) {
    const Input a = embed(TextSource{{one}, {}}, 128, Positions::none);
    const Input b = embed(TextSource{{other}, {}}, 128, Positions::none);
    for (Index c = 0; c < 128; ++c) {
      EXPECT_EQ(a.x.at({0, 0, c}), b.x.at({0, 1, c})) << one;
      EXPECT_EQ(a.x.at({0, 1, c}), b.x.at({0, 0, c})) << one;
    }
  }
  const Input a = embed(TextSource{{"cat sat"}, {}}, 128, Positions::none);
  const Input named = embed(TextSource{{"cat sat"}, {}}, 128);
  EXPECT_NE(named.x.at({0, 1, 1}), a.x.at({0, 1, 1}));
}

TEST(TextEmbedding, SinusoidsAreVaswanis) {
  const TextSource source{{"cat sat slowly"}, {}};  // words that have no part here
  const Input bare = embed(source, 128, Positions::none);
  const Input input = embed(source, 128, Positions::sinusoidal);
  for (Index i = 0; i < 3; ++i) {
    for (Index c = 0; c < 128; ++c) {
      const double angle =
          static_cast<double>(i) / std::pow(10000.0, static_cast<double>(c / 2 * 2) / 128.0);
      const double wave = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
      ASSERT_NEAR(input.x.at({0, i, c}), bare.x.at({0, i, c}) + wave, 1e-5) << i << "," << c;
    }
  }
}

TEST(TextEmbedding, ShorterSentencesArePadded) {
  const Input input = embed(TextSource{{"The cat sat", "The mat"}, {}}, 64);
  EXPECT_EQ(input.x.shape(), (Shape{2, 3, 64}));
  EXPECT_EQ(input.lengths, (std::vector<Index>{3, 2}));
  EXPECT_EQ(input.tokens[1], (std::vector<std::string>{"The", "mat", ""}));
  for (Index c = 0; c < 64; ++c) EXPECT_EQ(input.x.at({1, 2, c}), 0.0F);
  const Input sinusoidal =
      embed(TextSource{{"The cat sat", "The mat"}, {}}, 64, Positions::sinusoidal);
  for (Index c = 0; c < 64; ++c) EXPECT_EQ(sinusoidal.x.at({1, 2, c}), 0.0F);
}

TEST(TextEmbedding, CutOrRepeatedToSeqLen) {
  const TextSource source{{"The cat sat"}, {}};
  AttentionConfig config = fitted(source, 64);
  config.seqLen = 2;
  EXPECT_EQ(makeInput(source, Positions::named, config).tokens[0],
            (std::vector<std::string>{"The", "cat"}));
  config.seqLen = 5;
  config.batch = 2;  // more items than sentences: in turn
  const Input repeated = makeInput(source, Positions::named, config);
  EXPECT_EQ(repeated.tokens[1], (std::vector<std::string>{"The", "cat", "sat", "The", "cat"}));
  EXPECT_TRUE(repeated.lengths.empty());
  EXPECT_FLOAT_EQ(repeated.x.at({1, 3, 1}), -std::log(4.0F));  // positions go on
}

TEST(TextEmbedding, MemoryHasItsOwnTokensPositionsAndLengths) {
  const TextSource source{{"The cat sleeps", "It is tired"}, {"Die Katze schläft", "Sie"}};
  const AttentionConfig config = fitted(source, 128);
  EXPECT_EQ(config.memoryLen, 3);
  EXPECT_EQ(config.batch, 2);
  const Input input = makeInput(source, Positions::named, config);
  EXPECT_EQ(input.memory.shape(), (Shape{2, 3, 128}));
  EXPECT_EQ(input.keyTokens()[0][1], "Katze");
  EXPECT_EQ(input.lengths, (std::vector<Index>{3, 1}));
  EXPECT_EQ(input.memory.at({0, 0, 1}), 0.0F);  // −log(1 + 0)
}

TEST(TextEmbedding, EmptyTextIsRefused) {
  expectUserError([] { embed(TextSource{{""}, {}}, 64); }, "text is empty");
  expectUserError([] { embed(TextSource{{"a", " "}, {}}, 64); }, "text 2 is empty");
  expectUserError([] { embed(TextSource{{"a"}, {""}}, 64); }, "memory text is empty");
}

std::shared_ptr<const Series> seriesOf(const std::string& name, std::vector<float> values) {
  const auto rows = static_cast<Index>(values.size());
  return std::make_shared<const Series>(
      Series{name, {"load"}, Tensor::fromValues({rows, 1}, values)});
}

/// The readings at each place of a series, as in its file: repeated, padded, and with the minimum
/// and maximum.
TEST(SeriesReadings, FollowThePlaces) {
  const auto series = [](std::vector<float> values) {
    const auto rows = std::ssize(values) / 2;
    return std::make_shared<const Series>(
        Series{"s", {"a", "b"}, Tensor::fromValues({rows, 2}, std::move(values))});
  };
  const auto longer = series({1, 10, 2, 20, 3, 30});
  const auto shorter = series({5, -5});
  const Readings padded = readingsOf({longer, shorter}, 3);
  EXPECT_EQ(padded.values.values(), (std::vector<float>{1, 10, 2, 20, 3, 30, 5, -5, 0, 0, 0, 0}));
  EXPECT_EQ(padded.lengths, (std::vector<Index>{3, 1}));
  EXPECT_EQ(padded.lowest.values(), (std::vector<float>{1, 10, 5, -5}));
  EXPECT_EQ(padded.highest.values(), (std::vector<float>{3, 30, 5, -5}));
  const Readings repeated = readingsOf({longer}, 5);
  EXPECT_EQ(repeated.values.at({0, 3, 1}), 10.0F);
  EXPECT_EQ(repeated.lengths, std::vector<Index>{5});
  const Readings cut = readingsOf({longer}, 2);
  EXPECT_EQ(cut.highest.values(), (std::vector<float>{2, 20}));
}

TEST(SeriesFeatures, StandardisedToMeanZeroDeviationOne) {
  const auto z = standardise(*seriesOf("s", {1, 2, 3, 4})).front();
  EXPECT_NEAR(z[0], -1.3416, 1e-4);
  EXPECT_NEAR(z[3], 1.3416, 1e-4);
  const auto constant = standardise(*seriesOf("s", {0.1F, 0.1F, 0.1F}));
  EXPECT_EQ(constant.front(), (Channel{0, 0, 0}));
  EXPECT_TRUE(std::isfinite(standardise(*seriesOf("s", {-3e38F, 3e38F, 1.0F})).front()[0]));
}

TEST(SeriesFeatures, DifferenceAndRunningMean) {
  EXPECT_EQ(firstDifference({1, 4, 2}), (Channel{0, 3, -2}));
  EXPECT_EQ(runningMean({1, 4, 1}), (Channel{1, 2.5, 2}));
}

/// Noise of standard deviation 0.1, modified by `change` and then standardised.
template <typename Change>
Channel noisy(Change change) {
  std::vector<float> values(40);
  const RandomStream stream(5, "noise");
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 0.1F * stream.normal(i);
    change(i, values[i]);
  }
  return standardise(*seriesOf("s", values)).front();
}

TEST(SeriesFeatures, OneOutlierIsASpikeAndAStepIsNot) {
  const auto spike = spikes(noisy([](std::size_t i, float& v) { v += i == 11 ? 2.0F : 0.0F; }));
  const auto step = spikes(noisy([](std::size_t i, float& v) { v += i >= 20 ? 2.0F : 0.0F; }));
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(spike[i], i == 11) << i;
    EXPECT_FALSE(step[i]) << i;
  }
}

TEST(SeriesFeatures, AStepIsAChangePointAndNoiseIsNot) {
  const auto step = noisy([](std::size_t i, float& v) { v += i >= 23 ? 1.0F : 0.0F; });
  EXPECT_EQ(changePoint({noisy([](std::size_t, float&) {}), step}), 23);
  EXPECT_EQ(changePoint({noisy([](std::size_t, float&) {})}), std::nullopt);
  EXPECT_EQ(changePoint({}), std::nullopt);
  EXPECT_EQ(changePoint({{-1, 1}}), std::nullopt);
}

TEST(SeriesEmbedding, CoordinatesAreWhatTheyAreCalled) {
  std::vector<float> values(30, 1.0F);
  for (std::size_t i = 18; i < 30; ++i) values[i] = 2.0F;
  const SeriesSource source{{seriesOf("s", values)}};
  const Input input = embed(source, 256);
  EXPECT_EQ(input.x.shape(), (Shape{1, 30, 256}));
  EXPECT_EQ(input.tokens[0][29], "t29");
  EXPECT_EQ(input.coordinates[58], "load");
  EXPECT_EQ(input.coordinates[59], "difference of load");
  EXPECT_EQ(input.coordinates[60], "running mean of load");
  EXPECT_EQ(input.coordinates[61], "spike");
  EXPECT_EQ(input.coordinates[63], "mix 1");
  const ConstMatrixView x = input.x.matrix({0});
  for (Index i = 0; i < 30; ++i) {
    EXPECT_EQ(x(i, columnOf(input, "change point")), i == 18 ? 1.0F : 0.0F) << i;
    // The mix is linear in the channels: with one, every column is a multiple of it.
    EXPECT_NEAR(x(i, 63) * x(0, 58), x(0, 63) * x(i, 58), 1e-6);
  }
  EXPECT_NE(x(0, 63), 0.0F);
  EXPECT_FLOAT_EQ(x(18, 59), x(18, 58) - x(17, 58));
}

TEST(SeriesEmbedding, ItemsThatRepeatAreTheSame) {
  const auto a = seriesOf("a", {1, 2, 9});
  const auto b = seriesOf("b", {4, 0});
  const SeriesSource source{{a, b}};
  AttentionConfig config;
  config.dModel = 16;
  config.seqLen = 3;
  config.batch = 5;
  const Input input = makeInput(source, Positions::sinusoidal, config);
  const auto item = [&](Index i) { return input.x.slice(0, i, i + 1).values(); };
  EXPECT_EQ(item(2), item(0));
  EXPECT_EQ(item(4), item(0));
  EXPECT_EQ(item(3), item(1));
  const Input turned = makeInput(SeriesSource{{b, a}}, Positions::sinusoidal, config);
  EXPECT_EQ(turned.x.slice(0, 0, 1).values(), item(1));
  EXPECT_EQ(turned.x.slice(0, 1, 2).values(), item(0));
  EXPECT_EQ(input.tokens[4], (std::vector<std::string>{"t0", "t1", "t2"}));
  EXPECT_EQ(input.tokens[3], (std::vector<std::string>{"t0", "t1", ""}));
  EXPECT_EQ(input.lengths, (std::vector<Index>{3, 2, 3, 2, 3}));
}

TEST(SeriesEmbedding, NarrowDropsFlagsFirst) {
  const SeriesSource source{{seriesOf("s", {1, 2, 3})}};
  EXPECT_EQ(embed(source, 83).notes, std::vector<std::string>{});
  EXPECT_EQ(embed(source, 82).notes,
            std::vector<std::string>{
                "d_model 82 is too narrow for all coordinates: it leaves out flag change point"});
  EXPECT_EQ(embed(source, 32).notes,
            std::vector<std::string>{
                "d_model 32 is too narrow for all coordinates: it leaves out position pairs 12 to "
                "28, channel, first difference, running mean, flags spike to change point"});
}

TEST(SeriesEmbedding, ItemsMustAgreeInColumns) {
  const auto other =
      std::make_shared<const Series>(Series{"b.csv", {"speed"}, Tensor::zeros({3, 1})});
  expectUserError(
      [&] {
        embed(SeriesSource{{seriesOf("a.csv", {1, 2}), other}}, 64);
      },
      "a.csv and b.csv have different columns");
  const Input input =
      embed(SeriesSource{{seriesOf("a.csv", {1, 2}), seriesOf("b.csv", {1, 2, 3})}}, 64);
  EXPECT_EQ(input.lengths, (std::vector<Index>{2, 3}));
  EXPECT_EQ(input.tokens[0][2], "");
}

TEST(TensorInput, IsTakenAsItIs) {
  TensorSource source{"in.safetensors", Tensor::zeros({2, 3, 8}), {}, {"a", "b", "c"}, {}};
  AttentionConfig config = fitTo(source, {});
  EXPECT_EQ(config.dModel, 8);
  EXPECT_EQ(config.seqLen, 3);
  EXPECT_EQ(config.batch, 2);
  const Input input = makeInput(source, Positions::named, config);
  EXPECT_TRUE(input.x.sameAs(source.x));
  EXPECT_EQ(input.tokens[1][2], "c");
  EXPECT_TRUE(input.coordinates.empty());
  source.tokens = {"one"};  // not as many as rows: positions are shown instead
  EXPECT_EQ(makeInput(source, Positions::named, config).tokens[0][2], "2");
}

TEST(TensorInput, MemoryMayHaveAWidthOfItsOwn) {
  const TensorSource source{"in", Tensor::zeros({1, 3, 8}), Tensor::zeros({1, 5, 6}), {}, {}};
  const AttentionConfig config = fitTo(source, {});
  EXPECT_EQ(config.memoryLen, 5);
  EXPECT_EQ(config.kvWidth(), 6);
  EXPECT_EQ(makeInput(source, Positions::named, config).memory.shape(), (Shape{1, 5, 6}));
}

TEST(TensorInput, WrongShapeAndNotANumberAreNamed) {
  TensorSource source{"in.safetensors", Tensor::zeros({1, 6, 256}), {}, {}, {}};
  AttentionConfig config = fitTo(source, {});
  config.dModel = 512;
  expectUserError([&] { makeInput(source, Positions::named, config); },
                  "x: expected (1, 6, 512), found (1, 6, 256) in in.safetensors");
  config.dModel = 256;
  source.x.mutableMatrix({0})(3, 17) = std::numeric_limits<float>::quiet_NaN();
  expectUserError([&] { makeInput(source, Positions::named, config); },
                  "x[0, 3, 17] is NaN in in.safetensors");
}

}  // namespace
}  // namespace headscope
