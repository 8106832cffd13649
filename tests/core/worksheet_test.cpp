// Worksheets: numbers for pencil and paper, others for each seed.
#include "core/presets/worksheet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"

namespace headscope {
namespace {

DocumentPtr layerOf(Index tokens, Index dModel, Index heads, bool causal = false) {
  AttentionConfig config;
  config.dModel = dModel;
  config.numHeads = config.numKvHeads = heads;
  config.mask.causal = causal;
  std::string text;
  for (Index i = 0; i < tokens; ++i) text += fmt::format("w{} ", i + 1);
  return makeDocument("", config, TextSource{{text}, {}}, Positions::named, WeightSource{},
                      defaultMemoryBudget() / 8);
}

/// Checks that a sheet can be done on paper.
void expectSmallNumbers(const Trace& trace) {
  for (const TensorId id :
       {TensorId::x, TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO, TensorId::qProj,
        TensorId::kProj, TensorId::vProj, TensorId::rawScores}) {
    const std::vector<float> cells = trace.tensor(id).values();
    EXPECT_TRUE(std::ranges::all_of(cells, [](float c) { return c == std::round(c); }))
        << info(id).name;
  }
  const std::vector<float> scores = trace.tensor(TensorId::rawScores).values();
  EXPECT_TRUE(std::ranges::all_of(scores, [](float s) { return std::abs(s) <= 8.0F; }));
  const std::vector<float> shares = trace.tensor(TensorId::weights).values();
  EXPECT_TRUE(std::ranges::all_of(shares, [](float s) { return s <= 0.95F || s == 1.0F; }));
  EXPECT_TRUE(std::ranges::any_of(shares, [](float s) { return s >= 0.6F && s <= 0.95F; }));
}

TEST(Worksheet, HasWholeNumbersUntilTheSoftmax) {
  const DocumentPtr byHand = byHandDocument();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const TracePtr trace = runAttention(worksheetDocument(seed, *byHand));
    expectSmallNumbers(*trace);
    EXPECT_LE(std::ranges::max(trace->tensor(TensorId::weights).values()), 0.95F);
  }
}

TEST(Worksheet, IsTheSameForASeedAndAnotherForTheNext) {
  const DocumentPtr byHand = byHandDocument();
  const auto x = [&](std::uint64_t seed) {
    return worksheetDocument(seed, *byHand)->input->x.values();
  };
  EXPECT_EQ(x(7), x(7));
  EXPECT_NE(x(7), x(8));
}

TEST(Worksheet, KeepsWordsDimensionsAndMask) {
  const DocumentPtr like = layerOf(4, 6, 3, true);
  const DocumentPtr sheet = worksheetDocument(5, *like);
  EXPECT_EQ(sheet->input->tokens.front(), (std::vector<std::string>{"w1", "w2", "w3", "w4"}));
  EXPECT_EQ(sheet->config, like->config);
  const TracePtr trace = runAttention(sheet);
  expectSmallNumbers(*trace);
  EXPECT_EQ(trace->value({TensorId::weights, 0, 0, 0, 1}), 0.0F);
}

TEST(Worksheet, CanBeMadeInEveryAllowedSize) {
  for (Index tokens = 2; tokens <= 6; ++tokens) {
    for (Index dModel = 2; dModel <= 12; ++dModel) {
      for (Index heads = 1; heads <= 4; ++heads) {
        if (dModel % heads != 0) continue;
        for (const bool causal : {false, true}) {
          SCOPED_TRACE(fmt::format("{} × {}, {} heads, causal {}", tokens, dModel, heads, causal));
          expectSmallNumbers(
              *runAttention(worksheetDocument(1, *layerOf(tokens, dModel, heads, causal))));
        }
      }
    }
  }
}

TEST(Worksheet, RefusesWhatDoesNotFitOnAPage) {
  EXPECT_NE(worksheetProblem(*layerOf(7, 8, 2)).find("7 tokens"), std::string::npos);
  EXPECT_NE(worksheetProblem(*layerOf(3, 16, 2)).find("d_model 16"), std::string::npos);
  Document odd = *layerOf(3, 8, 2);
  odd.config.switches->temperature = 2.0;
  EXPECT_NE(worksheetProblem(odd).find("plain layer"), std::string::npos);
  EXPECT_THROW(worksheetDocument(1, odd), UserError);
  Document blind = *layerOf(3, 8, 2);
  blind.config.mask.lengths = {0};
  EXPECT_NE(worksheetProblem(blind).find("token 1"), std::string::npos);
  EXPECT_EQ(worksheetProblem(*layerOf(6, 12, 4)), "");
}

}  // namespace
}  // namespace headscope
