#include "core/presets/presets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/ledger.h"
#include "core/attention/switches.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/input/series.h"
#include "core/presets/preset_files.h"
#include "core/words/arithmetic.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

struct Expected {
  const char* name;
  Index dModel, heads, tokens, batch;
  bool causal;
};
constexpr Expected kExpected[]{{"by-hand", 8, 2, 3, 1, false},
                               {"original-transformer", 512, 8, 6, 1, false},
                               {"tutorial", 512, 8, 10, 2, false},
                               {"bert-base", 768, 12, 16, 1, false},
                               {"bert-large", 1024, 16, 16, 1, false},
                               {"gpt2-small", 768, 12, 16, 1, true},
                               {"gpt3-small", 768, 12, 16, 1, true},
                               {"vit-base", 768, 12, 197, 1, false},
                               {"amnl", 256, 8, 30, 1, false},
                               {"rul", 512, 8, 30, 2, false},
                               {"alphafold2-evoformer", 256, 8, 32, 1, false}};

TEST(Presets, AreTheseAndNoOthers) {
  ASSERT_EQ(presets().size(), std::size(kExpected));
  for (std::size_t i = 0; i < presets().size(); ++i) {
    const AttentionConfig& config = presets()[i].config;
    EXPECT_EQ(presets()[i].name, kExpected[i].name);
    EXPECT_EQ(config.dModel, kExpected[i].dModel);
    EXPECT_EQ(config.numHeads, kExpected[i].heads);
    EXPECT_EQ(config.numKvHeads, kExpected[i].heads);
    EXPECT_EQ(config.seqLen, kExpected[i].tokens);
    EXPECT_EQ(config.batch, kExpected[i].batch);
    EXPECT_EQ(config.mask.causal, kExpected[i].causal);
    EXPECT_TRUE(config.switches->bias);
    EXPECT_TRUE(validate(config).empty());
    EXPECT_FALSE(presets()[i].title.empty());
    EXPECT_FALSE(presets()[i].about.empty());
  }
}

TEST(Presets, EachRunsOnItsOwnExampleWithExactlyItsTokens) {
  for (const Preset& preset : presets()) {
    const DocumentPtr document = makePreset(preset, {}, defaultMemoryBudget());
    EXPECT_EQ(document->preset, preset.name);
    EXPECT_EQ(document->config, preset.config) << preset.name;
    EXPECT_EQ(document->input->x.shape(),
              (Shape{preset.config.batch, preset.config.seqLen, preset.config.dModel}))
        << preset.name;
    EXPECT_TRUE(document->input->notes.empty()) << preset.name;
    // Its own length, not cut or repeated to it.
    EXPECT_EQ(fitTo(preset.source, {}).seqLen, preset.config.seqLen) << preset.name;
    EXPECT_NE(runAttention(document), nullptr);
  }
}

TEST(Presets, ParametersAreThePublishedOnes) {
  EXPECT_EQ(ledger(presetByName("amnl").config).parameters.total, 263'168);
  EXPECT_EQ(ledger(presetByName("rul").config).parameters.total, 1'050'624);
  EXPECT_EQ(ledger(presetByName("original-transformer").config).parameters.total, 1'050'624);
}

TEST(Presets, UnknownNamesListTheKnown) {
  expectUserError([] { presetByName("gpt5"); }, "no preset \"gpt5\"", "amnl", "by-hand");
  expectUserError([] { exampleByName("dog"); }, "no example \"dog\"", "cat", "sensor");
}

/// The example by hand, as one writes it on paper: words in quotes, terms in the columns' order.
TEST(Presets, ByHandIsWrittenOutInOrder) {
  const TracePtr trace =
      runAttention(makePreset(presetByName("by-hand"), {}, defaultMemoryBudget()));
  const Explanation e = explainCell(*trace, {TensorId::rawScores, 0, 0, 1, 2});
  const Arithmetic a = arithmetic(*trace, e, 4, false);
  EXPECT_EQ(a.name, "S[\"sat\", \"mat\"]");
  EXPECT_EQ(a.sum, "= (-1)·4 + 2·0 + 0·1 + 0·0 = -4");
}

TEST(Presets, ByHandCanBeDoneOnABlackboard) {
  const DocumentPtr document =
      makePreset(presetByName("by-hand"), {WeightInit::normal, 5, {}}, defaultMemoryBudget());
  EXPECT_FALSE(document->weightSource.drawn());
  const Weights& w = document->weights;
  for (const Tensor& t : {document->input->x, w.wQ, w.wK, w.wV, w.wO, w.bQ, w.bK, w.bV, w.bO}) {
    for (const float value : t.values()) {
      EXPECT_EQ(value, std::round(value));
      EXPECT_LE(std::abs(value), 2.0F);
    }
  }
  const TracePtr trace = runAttention(document);
  EXPECT_EQ(trace->materialise(TensorId::scores).values(),
            (std::vector<float>{3.5F, 0.5F, 2.5F, -2.0F, 1.5F, -2.0F, 0.5F, 0.5F, 1.5F,  //
                                0.0F, 0.0F, 0.0F, 1.0F, 1.5F, 3.0F, 1.0F, 1.0F, 3.0F}));
  for (Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(trace->value({TensorId::weights, 0, 1, 0, j}), 1.0 / 3.0, 1e-6);
  }
}

TEST(Examples, TheOnesTheIssuesSpeakOf) {
  const auto textOf = [](const char* name) {
    return std::get<TextSource>(exampleByName(name).source).texts.front();
  };
  EXPECT_EQ(textOf("cat"), "The cat sat on the mat");
  EXPECT_EQ(textOf("bank"), "The bank that the river flows by is closed.");
  EXPECT_EQ(textOf("fluffy"), "The cat, which was very fluffy, sat on the mat.");
  const auto& pair = std::get<TextSource>(exampleByName("english-german").source);
  EXPECT_FALSE(pair.memoryTexts.empty());
}

TEST(Examples, AreOpenedAsWholeStates) {
  for (const Example& example : examples()) {
    const DocumentPtr opened = makePreset(presetOf(example), {}, defaultMemoryBudget());
    const AttentionConfig plain = fitTo(example.source, AttentionConfig{});
    EXPECT_EQ(opened->config, plain) << example.name;
    EXPECT_EQ(*opened->source, example.source) << example.name;
  }
  // no example repeats a preset
  expectUserError([] { exampleByName("by-hand"); }, "no example");
}

TEST(Examples, AllCanBeEmbedded) {
  for (const Example& example : examples()) {
    AttentionConfig config;
    config.dModel = 512;
    config = fitTo(example.source, config);
    EXPECT_TRUE(validate(config).empty()) << example.name;
    EXPECT_NO_THROW(makeInput(example.source, Positions::named, config)) << example.name;
    EXPECT_FALSE(example.title.empty());
  }
}

TEST(Examples, SensorWindowHasItsSpikeAndItsChangePoint) {
  const auto& source = std::get<SeriesSource>(exampleByName("two-sensors").source);
  const struct {
    std::size_t spikeChannel, spike;
    Index change;
  } expected[]{{2, 7, 18}, {1, 22, 13}};
  ASSERT_EQ(source.items.size(), 2U);
  for (std::size_t item = 0; item < 2; ++item) {
    const Series& series = *source.items[item];
    EXPECT_EQ(series.channels, (std::vector<std::string>{"temperature", "pressure", "vibration"}));
    EXPECT_EQ(series.values.dim(0), 30);
    const auto channels = standardise(series);
    EXPECT_EQ(changePoint(channels), expected[item].change);
    for (std::size_t c = 0; c < 3; ++c) {
      const auto flags = spikes(channels[c]);
      for (std::size_t i = 0; i < 30; ++i) {
        EXPECT_EQ(flags[i], c == expected[item].spikeChannel && i == expected[item].spike)
            << item << " " << c << " " << i;
      }
    }
  }
}

TEST(AssetFiles, DamagedOnesAreRefusedInWords) {
  const auto noFile = [](std::string_view) -> std::string_view { return "a\n1\n"; };
  const auto presetsOf = [](const char* text) {
    return [text] { parsePresets(text, [](const std::string&) { return InputSource(); }); };
  };
  expectUserError(presetsOf("["), "presets.json");
  expectUserError(presetsOf(R"([{"name":"x"}])"), "presets.json");
  expectUserError(presetsOf("7"), "presets.json");
  expectUserError([&] { parseExamples(R"([{"name":"x"}])", noFile); }, "examples.json");
  expectUserError(presetsOf(R"([{"name":"x","title":"","about":"","input":{"x":[[1],[2,3]]}}])"),
                  "another length than the first row");
}

}  // namespace
}  // namespace headscope
