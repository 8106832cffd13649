// The target that an encoder–decoder model writes: forced and forbidden tokens, the files that name
// them, and the decoder's edits.
#include <gtest/gtest.h>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/beam_search.h"
#include "core/model/generation.h"
#include "core/model/model_edits.h"
#include "core/model/steering.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using nlohmann::json;

ModelTracePtr passOfTarget(const ModelPtr& model, std::vector<Index> target = {5, 17, 40, 8, 66}) {
  return runModel(documentOf(model, std::move(target), {7, 3, 40, 12, 5, 9}), nullptr, {},
                  kBudgetBytes);
}

ModelFolder familyFolder(const std::string& name) { return ModelFolder("families/" + name); }

/// The tokens that a continuation writes, one by one.
std::vector<Index> written(const Beginning& begun, Index most) {
  Continuation continuation(begun, most, {});
  std::vector<Index> ids;
  while (const auto next = continuation.next({})) ids.push_back(next->id);
  EXPECT_EQ(continuation.ended(), begun.pass->config().ends(ids.back()));
  return ids;
}

TEST(WrittenTarget, ATargetBeginsAndEndsAsTheModelForces) {
  ModelFolder m = familyFolder("bart");
  m.config["forced_bos_token_id"] = 33;
  m.config["decoder_start_token_id"] = 2;
  const ModelPtr model = opened(m);
  EXPECT_EQ(model->config().target.start, 2);
  const ModelTracePtr begun = passOfTarget(model, {2});
  const std::vector<Index> ids = written(begun, 5);
  ASSERT_EQ(ids.size(), 5U);
  EXPECT_EQ(ids.front(), 33);
  EXPECT_EQ(ids.back(), 2);  // forced_eos_token_id
  // what it writes is the most probable token after what was written before
  std::vector<Index> all{2};
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
    const TokenProbability best =
        passOfTarget(model, all)->predictions(std::ssize(all) - 1, 1).front();
    if (i > 0) {
      EXPECT_EQ(ids[i], best.id) << i;
    }
    all.push_back(ids[i]);
  }
  // a text that is under way is not begun again
  EXPECT_NE(written(passOfTarget(model, {2, 40}), 1).front(), 33);
}

TEST(WrittenTarget, BadWordsAreNeverWritten) {
  ModelFolder m = familyFolder("marian");
  const Index first = written(passOfTarget(opened(m), {96}), 3).front();
  m.config["bad_words_ids"] = json::array({json::array({first}), json::array({1, 2})});
  const ModelPtr model = opened(m);
  EXPECT_EQ(model->config().target.never, std::vector<Index>{first});
  EXPECT_NE(written(passOfTarget(model, {96}), 3).front(), first);
}

/// Newer folders say in generation_config.json alone how a target begins and ends.
TEST(WrittenTarget, FieldsOfGenerationStandInAFileOfTheirOwn) {
  ModelFolder m = familyFolder("bart");
  const ModelConfig before = opened(m)->config();
  for (const char* name : {"bad_words_ids", "decoder_start_token_id", "eos_token_id",
                           "forced_bos_token_id", "forced_eos_token_id"}) {
    m.config.erase(name);
  }
  m.config["forced_eos_token_id"] = 7;
  const TempFolder folder;
  m.write(folder);
  const auto open = [&] { return formats::openModel(folder.path(), kBudgetBytes); };
  EXPECT_EQ(open()->config().target.forcedEnd, 7);
  EXPECT_TRUE(open()->config().endTokens.empty());
  folder.file("generation_config.json", R"({"_from_model_config": true, "num_beams": 4,
      "bad_words_ids": [[9], [3, 4]], "decoder_start_token_id": 5, "eos_token_id": [6, 8],
      "forced_bos_token_id": 33, "forced_eos_token_id": 2})");
  const ModelConfig found = open()->config();
  EXPECT_EQ(found.target.never, std::vector<Index>{9});
  EXPECT_EQ(found.target.start, 5);
  EXPECT_NE(found.target.start, before.target.start);
  EXPECT_EQ(found.target.forcedFirst, 33);
  EXPECT_EQ(found.target.forcedEnd, 2) << "it wins over config.json";
  EXPECT_EQ(found.endTokens, (std::vector<Index>{6, 8}));
  folder.file("generation_config.json", R"({"forced_eos_token_id": null})");
  EXPECT_EQ(open()->config().target.forcedEnd, -1);
  folder.file("generation_config.json", R"({"forced_bos_token_id": -3})");
  expectUserError(open, "generation_config.json", "forced_bos_token_id");
  folder.file("generation_config.json", "{");
  expectUserError(open, "generation_config.json");
}

/// A target that is written has the decoder's edits, and the pins of rows that are yet to come.
TEST(WrittenTarget, ATargetIsWrittenWithEditsPinsAndSteering) {
  const ModelPtr model = opened(familyFolder("t5"));
  const ModelTracePtr trace = passOfTarget(model);
  Document edited = *trace->layer(3)->documentPtr();
  edited.config.switches->temperature = 0.5;
  std::vector<Pin> pins;
  for (const Index row : {1, 3}) {
    for (Index head = 0; head < 4; ++head)
      pins.push_back({{TensorId::weights, 0, head, row, 2}, 3.0F});
  }
  edited.pins = Pins::from(pins);
  auto whole = withLayer(*withoutHeads(trace->document(), {{0, 2}}), 3, edited);
  std::vector<float> direction(32, 0.1F);
  whole = withSteering(*whole, {2, Steering::kEveryPlace, direction});
  const auto passOf = [&](const std::vector<Index>& ids) {
    return runModel(withInput(*whole, {ids, {}, {}}), nullptr, {}, kBudgetBytes);
  };
  constexpr Index kMost = 4;
  std::vector<Index> all{0};
  for (Index i = 0; i < kMost; ++i) {
    all.push_back(passOf(all)->predictions(std::ssize(all) - 1, 1).front().id);
  }
  const std::vector<Index> expected(all.begin() + 1, all.end());
  EXPECT_EQ(written({passOf({0}), whole}, kMost), expected);
  BeamSearch search({passOf({0}), whole}, kMost, 1);
  while (!search.runUnit({})) continue;
  std::vector<Index> ids;
  for (const auto& token : search.found().tokensOf(search.found().paths.front())) {
    ids.push_back(token.id);
  }
  EXPECT_EQ(ids, expected);
  EXPECT_NE(written(passOf({0}), kMost), expected) << "the pins change what is written";
}

}  // namespace
}  // namespace headscope::test::models
