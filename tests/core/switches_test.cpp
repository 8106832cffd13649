// Switches: the table is complete and consistent, and a change of any setting reaches the steps,
// files, JSON and the undo list. Passes, gradients, cells and PyTorch scripts with each switch are
// compared where those of all cases are (switchCases).
#include "core/attention/switches.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/json.h"
#include "core/document/attention.h"
#include "core/editing/edit.h"
#include "core/formats/document_json.h"
#include "tests/core/support/cases.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

// Each changes a setting of a plain pass of 4 heads with d_k = 4. False: it changes none.
bool change(Index&) { return false; }
bool change(Indirect<Switches>&) { return false; }  // changedConfigs() changes each by itself
bool change(Rotary& rotary) {
  rotary.theta = 100.0;
  return true;
}
bool change(HeadNorm& norm) {
  norm = {{1.0F, 2.0F, 0.5F, 1.0F}, {1.0F, 1.0F, 3.0F, 1.0F}, 1e-6};
  return true;
}
bool change(RelativeScores& relative) {
  relative = RelativeScores({std::vector<float>(4 * 4 * 4, 0.5F), std::vector<float>(), 2, 0, 0});
  return true;
}
bool change(PairBias& bias) {
  std::vector<float> values(4 * 6 * 6);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1F * static_cast<float>(i % 9);
  bias = PairBias({.values = values, .queries = 6, .keys = 6});
  return true;
}
bool change(Mask& mask) {
  mask.causal = true;
  return true;
}
bool change(std::vector<float>& gains) {
  gains = {0.5F, 1.0F, 1.0F, 2.0F};
  return true;
}
bool change(Dropout& dropout) {
  dropout.rate = 0.25;
  return true;
}
bool change(Mistakes& mistakes) {
  mistakes.softmaxOverQueries = true;
  return true;
}

/// References to all fields of a configuration. A new field does not compile before it is named
/// here, and then in change().
template <typename Config>
constexpr auto fieldsOf(Config& config) {
  auto& [dModel, numHeads, numKvHeads, headDim, seqLen, memoryLen, memoryWidth, batch, switches,
         mistakes, rotary, headNorm, relative, pairBias, mask, headGains, sinks, firstQuery,
         dropout] = config;
  return std::tie(dModel, numHeads, numKvHeads, headDim, seqLen, memoryLen, memoryWidth, batch,
                  switches, mistakes, rotary, headNorm, relative, pairBias, mask, headGains, sinks,
                  firstQuery, dropout);
}

/// A plain pass's configuration, and copies of it with one setting changed, for every setting.
const AttentionConfig kPlain = sized(16, 4, 6);
std::vector<AttentionConfig> changedConfigs() {
  std::vector<AttentionConfig> all;
  const auto add = [&]<std::size_t... Places>(std::index_sequence<Places...>) {
    const auto changeOne = [&]<std::size_t Place>() {
      AttentionConfig config = kPlain;
      if (change(std::get<Place>(fieldsOf(config)))) all.push_back(config);
    };
    (changeOne.template operator()<Places>(), ...);
  };
  add(std::make_index_sequence<std::tuple_size_v<decltype(fieldsOf(kPlain))>>());
  for (const Switch& each : allSwitches()) {
    setValue(each, all.emplace_back(kPlain), changedValue(each));
  }
  return all;
}

TEST(SwitchTable, TheTableNamesEachFieldOnce) {
  std::set<std::string_view> keys;
  for (const Switch& each : allSwitches()) {
    EXPECT_TRUE(keys.insert(each.key).second) << each.key;
    EXPECT_EQ(&switchOf(each.field), &each) << each.key;
    AttentionConfig config;
    setValue(each, config, changedValue(each));
    EXPECT_EQ(valueOf(each, config), changedValue(each)) << each.key;
    EXPECT_NE(config, AttentionConfig()) << each.key;
    EXPECT_EQ(each.accepts == nullptr, each.isFlag()) << each.key;
    EXPECT_TRUE(each.isFlag() || each.accepts(defaultOf(each))) << each.key;
  }
}

TEST(SwitchTable, AChangedSettingRunsTheStepsThatReadIt) {
  const DocumentPtr plain = randomDocument(kPlain);
  const TracePtr before = runAttention(plain);
  for (const AttentionConfig& config : changedConfigs()) {
    const std::string name = formats::wholeConfigJson(config).dump();
    const DocumentPtr document = changed(plain, [&](Document& d) {
      d.config = config;
      fitGate(d.weights, config, WeightInit::normal, 1);
    });
    const TracePtr fresh = runAttention(document);
    expectSameBits(*runAttention(document, before), *fresh);
    expectSameBits(*runAttention(plain, fresh), *before);
    EXPECT_FALSE(
        sameBits(fresh->materialise(TensorId::output), before->materialise(TensorId::output)))
        << name;
  }
}

TEST(SwitchTable, FilesAndJsonHaveEverySetting) {
  const DocumentPtr plain = randomDocument(kPlain);
  for (const AttentionConfig& config : changedConfigs()) {
    const Json json = formats::wholeConfigJson(config);
    const std::string file = "a file";
    EXPECT_EQ(formats::wholeConfigFrom(JsonField(json, file), kBudget), config) << json.dump();
    const DocumentPtr document = changed(plain, [&](Document& d) {
      d.config = config;
      fitGate(d.weights, config, WeightInit::normal, 1);
    });
    EXPECT_NE(formats::configJson(*document).dump(), formats::configJson(*plain).dump())
        << json.dump();
  }
}

TEST(SwitchTable, TheUndoListNamesEachSwitch) {
  const DocumentPtr plain = randomDocument(kPlain);
  for (const Switch& each : allSwitches()) {
    const Edit edit = setSwitch(each, changedValue(each));
    EXPECT_TRUE(nameOf(edit, *plain).starts_with(each.title)) << nameOf(edit, *plain);
    const DocumentPtr next = edited(plain, edit);
    EXPECT_EQ(valueOf(each, next->config), changedValue(each)) << each.key;
  }
}

}  // namespace
}  // namespace headscope::test
