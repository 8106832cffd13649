// Beam search against every continuation there is, and against passes of their own.
#include "core/model/beam_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

Beams searched(const ModelTracePtr& from, Index most, Index beams) {
  BeamSearch search(from, most, beams);
  Index steps = 1;
  while (!search.runUnit({})) ++steps;
  EXPECT_LE(steps, most);
  return search.found();
}

/// The log-probabilities of what follows a text: (V).
std::vector<double> afterText(const ModelPtr& model, const std::vector<Index>& ids) {
  const ModelTracePtr trace = runModel(documentOf(model, ids), nullptr, {}, kBudgetBytes);
  const std::vector<float> logits = trace->logits(trace->tokens() - 1, 1).values();
  double total = 0.0;
  for (const float x : logits) total += std::exp(static_cast<double>(x));
  std::vector<double> logs;
  for (const float x : logits) logs.push_back(static_cast<double>(x) - std::log(total));
  return logs;
}

/// A Marian that says four tokens alone, one of which ends a text: each continuation of up to three
/// tokens is tried.
TEST(BeamSearch, FindsTheBestOfAllContinuations) {
  ModelFolder m("families/marian");
  const Index end = m.config.at("eos_token_id").get<Index>();
  const std::vector<Index> said{end, 11, 29, 40};
  nlohmann::json never = nlohmann::json::array();
  for (Index id = 0; id < m.config.at("vocab_size").get<Index>(); ++id) {
    if (std::ranges::find(said, id) == said.end()) never.push_back({id});
  }
  m.config["bad_words_ids"] = never;
  m.config["forced_eos_token_id"] = nullptr;
  const ModelPtr model = opened(m);
  const std::vector<Index> begun{m.config.at("decoder_start_token_id").get<Index>()};
  constexpr std::size_t kMost = 3;

  std::vector<Index> best;
  double most = -1e30;
  const std::function<void(const std::vector<Index>&, double)> go =
      [&](const std::vector<Index>& made, double sum) {
        const bool whole = made.size() == kMost || (!made.empty() && made.back() == end);
        const double score = sum / static_cast<double>(std::max<std::size_t>(1, made.size()));
        if (whole) {
          if (score <= most) return;
          most = score;
          best = made;
          return;
        }
        std::vector<Index> text = begun;
        text.insert(text.end(), made.begin(), made.end());
        const std::vector<double> logs = afterText(model, text);
        for (const Index id : said) {
          std::vector<Index> next = made;
          next.push_back(id);
          go(next, sum + logs[static_cast<std::size_t>(id)]);
        }
      };
  go({}, 0.0);

  const Beams found = searched(runModel(documentOf(model, begun), nullptr, {}, kBudgetBytes), kMost,
                               BeamSearch::kMostBeams);
  std::vector<Index> ids;
  for (const TokenProbability& token : found.tokensOf(found.paths.front())) ids.push_back(token.id);
  EXPECT_EQ(ids, best);
  EXPECT_NEAR(found.paths.front().score, most, 1e-5);
  EXPECT_EQ(found.paths.front().ended, best.back() == end);
}

/// Each node's sum is that of passes over its whole text: branches do not share what they append.
TEST(BeamSearch, EachBranchIsAPassOfItsOwn) {
  for (const char* name : {"tiny-gpt2", "tiny-llama", "t5"}) {
    const ModelPtr model = formats::openModel(modelFolder(name), kBudgetBytes);
    const std::vector<Index> text{5, 17, 3};
    const ModelTracePtr trace = runModel(documentOf(model, text), nullptr, {}, kBudgetBytes);
    const Beams found = searched(trace, 4, 3);
    ASSERT_FALSE(found.paths.empty());
    EXPECT_GT(found.cacheBytes, 0);
    for (const BeamPath& path : found.paths) {
      std::vector<Index> ids = text;
      double sum = 0.0;
      for (const Index node : found.nodesOf(path)) {
        const BeamNode& each = found.nodes[static_cast<std::size_t>(node)];
        sum += afterText(model, ids)[static_cast<std::size_t>(each.token.id)];
        EXPECT_NEAR(each.logProbability, sum, 2e-4) << name;
        ids.push_back(each.token.id);
      }
      EXPECT_NEAR(path.score, sum / static_cast<double>(ids.size() - text.size()), 1e-4);
      EXPECT_EQ(path.ended, model->config().ends(ids.back()));
    }
    for (std::size_t i = 1; i < found.paths.size(); ++i) {
      EXPECT_GE(found.paths[i - 1].score, found.paths[i].score);
    }
  }
}

/// A forced token has its probability, and adds nothing to the sum by which paths are compared.
TEST(BeamSearch, AForcedTokenAddsNothing) {
  const ModelPtr model = formats::openModel(modelFolder("bart"), kBudgetBytes);
  const Beams found = searched(runModel(documentOf(model, {2}), nullptr, {}, kBudgetBytes), 3, 2);
  for (const BeamPath& path : found.paths) {
    const BeamNode& last = found.nodes[static_cast<std::size_t>(path.end)];
    ASSERT_TRUE(last.token.forced());
    EXPECT_GT(last.token.probability, 0.0);
    EXPECT_LT(last.token.probability, 0.5);
    EXPECT_EQ(last.logProbability,
              found.nodes[static_cast<std::size_t>(last.parent)].logProbability);
  }
  EXPECT_GT(found.cacheBytes, 0) << "all beams have ended";
}

TEST(BeamSearch, OneBeamIsTheMostProbableTokenEachTime) {
  const ModelPtr model = formats::openModel(modelFolder("tiny-gpt2"), kBudgetBytes);
  const ModelTracePtr trace = runModel(documentOf(model, {5, 17, 3}), nullptr, {}, kBudgetBytes);
  Continuation greedy(trace, 5, {});
  std::vector<Index> ids, beam;
  while (const auto next = greedy.next({})) ids.push_back(next->id);
  ASSERT_FALSE(greedy.ended());
  const Beams found = searched(trace, 5, 1);
  for (const TokenProbability& token : found.tokensOf(found.paths.front())) {
    beam.push_back(token.id);
  }
  EXPECT_EQ(beam, ids);
}

TEST(BeamSearch, RefusesWhatItCannotDoAndEndsWhereItIsCancelled) {
  const ModelPtr model = formats::openModel(modelFolder("tiny-gpt2"), kBudgetBytes);
  const ModelTracePtr trace = runModel(documentOf(model, {5, 17, 3}), nullptr, {}, kBudgetBytes);
  expectUserError([&] { BeamSearch(trace, 4, 0); }, "give 1 to 16");
  expectUserError([&] { BeamSearch(trace, 4, 17); }, "17 beams");
  std::atomic<bool> cancelled = true;
  BeamSearch search(trace, 4, 2);
  EXPECT_TRUE(search.runUnit({.cancelled = &cancelled}));
}

}  // namespace
}  // namespace headscope::test::models
