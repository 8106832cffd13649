// KV cache: decoding token by token on the screen, and what it costs.
#include "core/studies/kv_cache.h"

#include <fmt/format.h>

#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/attention/ledger.h"
#include "core/base/numbers.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"
#include "core/words/cell_sentence.h"

namespace headscope::ui {
namespace {

DocumentPtr causal(DocumentPtr document) {
  return apply(*document, SetMask{{true, 0, {}, nullptr}}, kTestBudget).document;
}

DocumentPtr grouped(Index kvHeads) {
  const DocumentPtr document = causal(presetDocument("original-transformer"));
  return apply(*document, SetDimensions{512, 8, kvHeads}, kTestBudget).document;
}

class KvCachePanel : public testing::Test {
 protected:
  KvCachePanel() { ui_.press(Key{'K'}); }

  bool shows(const std::string& text) { return ui_.shows(text, "flow"); }
  /// A number of FLOPs as the table has it.
  bool showsFlops(Index flops) { return shows(flopsAmount(flops)); }

  AppDriver ui_{causal(presetDocument("original-transformer"))};
};

TEST_F(KvCachePanel, ItsKeysStepThroughTheTokens) {
  EXPECT_EQ(ui_.view().selection.tool, "kvcache");
  EXPECT_TRUE(shows("token 1 of 6: The")) << ui_.screen().all("flow");
  ui_.press(Key::comma);
  EXPECT_EQ(ui_.view().selection.decodePosition, 0);
  ui_.press(Key::period);
  ui_.press(Key::period);
  EXPECT_TRUE(shows("token 3 of 6: sat"));
  ui_.press(Key::comma);
  EXPECT_TRUE(shows("token 2 of 6: cat"));
  for (int i = 0; i < 9; ++i) ui_.press(Key::period);
  EXPECT_TRUE(shows("token 6 of 6: mat"));
  ui_.press(Key{'D'});
  ui_.press(Key::comma);  // belongs to the tool
  EXPECT_EQ(ui_.view().selection.decodePosition, 5);
}

TEST_F(KvCachePanel, ItsButtonsStepThroughTheTokens) {
  ui_.click("▶", "flow");
  EXPECT_EQ(ui_.view().selection.decodePosition, 1);
  ui_.click("◀", "flow");
  EXPECT_EQ(ui_.view().selection.decodePosition, 0);
  ui_.click("◀", "flow");
  EXPECT_EQ(ui_.view().selection.decodePosition, 0);
}

TEST_F(KvCachePanel, DecodesATokenASecondAndStopsAtTheLast) {
  ui_.view().selection.decodePosition = 3;
  ui_.click("Decode", "flow");
  EXPECT_TRUE(ui_.view().frame.decodePlaying);
  EXPECT_EQ(ui_.view().selection.decodePosition, 3);
  for (const Index token : {4, 5}) {
    ui_.host().advance(1.0);
    ui_.settle();
    EXPECT_EQ(ui_.view().selection.decodePosition, token);
  }
  EXPECT_FALSE(ui_.app().wantsFrame());
  EXPECT_LE(ui_.app().nextChange(), 1.0);
  ui_.host().advance(1.0);
  ui_.settle();
  EXPECT_FALSE(ui_.view().frame.decodePlaying);
  EXPECT_GT(ui_.app().nextChange(), 1e9);
  ui_.click("Decode", "flow");
  EXPECT_EQ(ui_.view().selection.decodePosition, 0);
}

TEST_F(KvCachePanel, ItsNumbersAreTheCores) {
  for (const Index token : {0, 3, 5}) {
    ui_.view().selection.decodePosition = token;
    ui_.settle();
    const DecodeLedger ledger(ui_.config());
    for (const auto& flops : {ledger.cached(token), ledger.whole(token)}) {
      for (const Index part : flops.parts) EXPECT_TRUE(showsFlops(part)) << part;
      EXPECT_TRUE(showsFlops(flops.total()));
    }
    EXPECT_TRUE(showsFlops(ledger.cachedSoFar(token).total()));
    EXPECT_TRUE(showsFlops(ledger.wholeSoFar(token).total()));
    // 2 · tokens · 512 · 4 bytes
    EXPECT_TRUE(shows("Cache " + bytesInWords(2 * (token + 1) * 512 * 4)));
  }
  EXPECT_TRUE(shows("saved 83.3 %, so far 71.5 %")) << ui_.screen().all("flow");
}

/// The panel shows the cached rows of K and V, the new row of X, Q, K and V, and the rows that
/// depend on it.
TEST_F(KvCachePanel, ShowsTheTracesOwnRows) {
  ViewState view;
  view.selection.tool = "kvcache";
  view.selection.decodePosition = 1;
  view.selection.head = 1;
  ui_.restart(causal(presetDocument("by-hand")), view);
  // X and Q: new, to come; K and V: cached too; scores and weights: there, to come; head, output
  const auto maps = ui_.heatmaps("flow");
  ASSERT_EQ(maps.size(), 16U);
  const auto named = [&](ImVec2 at, const CellRef& cell) {
    ui_.hover(at);
    EXPECT_TRUE(ui_.shows(cellInWords(ui_.trace(), cell), "Tooltip"))
        << ui_.screen().all("Tooltip");
    ui_.host().modifiers(true);
    ui_.settle();
    EXPECT_TRUE(ui_.shows(toString(cell), "Tooltip"));
    ui_.host().modifiers(false);
    ui_.settle();
    EXPECT_TRUE(ui_.shows(number(ui_.trace().value(cell), 6), "Tooltip"));
  };
  named(cellAt(maps[0], 1, 8, 0, 7), {TensorId::x, 0, -1, 1, 7});
  named(cellAt(maps[2], 1, 4, 0, 2), {TensorId::q, 0, 1, 1, 2});
  named(cellAt(maps[4], 1, 4, 0, 3), {TensorId::k, 0, 1, 0, 3});
  named(cellAt(maps[5], 1, 4, 0, 0), {TensorId::k, 0, 1, 1, 0});
  named(cellAt(maps[7], 1, 4, 0, 1), {TensorId::v, 0, 1, 0, 1});
  named(cellAt(maps[8], 1, 4, 0, 1), {TensorId::v, 0, 1, 1, 1});
  named(cellAt(maps[10], 1, 2, 0, 1), {TensorId::maskedScores, 0, 1, 1, 1});
  named(cellAt(maps[12], 1, 2, 0, 0), {TensorId::weights, 0, 1, 1, 0});
  named(cellAt(maps[14], 1, 4, 0, 3), {TensorId::heads, 0, 1, 1, 3});
  named(cellAt(maps[15], 1, 8, 0, 6), {TensorId::output, 0, -1, 1, 6});
  ui_.hover(middle(maps[6]));  // to come
  EXPECT_FALSE(ui_.window("Tooltip"));
  ui_.clickAt(cellAt(maps[12], 1, 2, 0, 0));
  EXPECT_EQ(ui_.view().selection.cell, (CellRef{TensorId::weights, 0, 1, 1, 0}));
}

TEST_F(KvCachePanel, AllHeadsStandOneBelowTheOther) {
  ui_.view().selection.decodePosition = 5;
  ui_.click("all heads", "flow");
  const auto maps = ui_.heatmaps("flow");
  ASSERT_EQ(maps.size(), 24U);  // nothing is to come: 2 + 4, two of eight heads, concat and output
  const CellRef cell{TensorId::weights, 0, 3, 5, 2};
  ui_.hover(cellAt(maps[6 + 8 + 3], 1, 6, 0, 2));
  EXPECT_TRUE(ui_.shows(cellInWords(ui_.trace(), cell), "Tooltip"));
}

TEST_F(KvCachePanel, GroupedHeadsShrinkTheCache) {
  ui_.restart(grouped(2));
  ui_.press(Key{'K'});
  ui_.view().selection.decodePosition = 4;
  ui_.view().selection.head = 7;
  ui_.settle();
  const Index perHead = 2 * 5 * 64 * 4;
  EXPECT_TRUE(shows("Cache " + bytesInWords(2 * perHead)));
  EXPECT_TRUE(shows("MQA 1" + bytesInWords(perHead))) << ui_.screen().all("flow");
  EXPECT_TRUE(shows("GQA 2" + bytesInWords(2 * perHead)));
  EXPECT_TRUE(shows("GQA 4" + bytesInWords(4 * perHead)));
  EXPECT_TRUE(shows("MHA 8" + bytesInWords(8 * perHead)));
  EXPECT_TRUE(shows("K2"));  // the head that query head 8 reads
}

TEST_F(KvCachePanel, OffersACausalMask) {
  ui_.restart(presetDocument("original-transformer"));
  ui_.press(Key{'K'});
  EXPECT_TRUE(shows("Token 1 ('The') attends to token 2 ('cat')"));
  EXPECT_FALSE(shows("Work"));
  ui_.click("turn on causal", "flow");
  EXPECT_TRUE(ui_.trace().config().mask.causal);
  EXPECT_TRUE(shows("token 1 of 6: The"));
  EXPECT_EQ(ui_.undoAll(), 1);
}

TEST_F(KvCachePanel, InCrossAttentionItSaysWhatIsCached) {
  AttentionConfig config;
  ui_.restart(makeDocument("", config, TextSource{{"The cat sat"}, {"le chat"}}, Positions::named,
                           {}, kTestBudget));
  ui_.press(Key{'K'});
  EXPECT_TRUE(shows("encoder cache"));
  EXPECT_FALSE(shows("turn on causal"));
}

/// The panel works with a position past the end, one head, one column per head, many heads, many
/// tokens, and small windows.
TEST_F(KvCachePanel, StandsAtEverySize) {
  const auto sized = [](Index dModel, Index heads, Index kvHeads, Index tokens) {
    DocumentPtr document = causal(presetDocument("original-transformer"));
    document = apply(*document, SetDimensions{dModel, heads, kvHeads}, kTestBudget).document;
    return apply(*document, SetTokens{tokens}, kTestBudget).document;
  };
  for (const DocumentPtr& document : {sized(1, 1, 1, 1), sized(64, 1, 1, 3), sized(96, 96, 96, 5),
                                      sized(96, 96, 8, 300), sized(5040, 5040, 1, 2)}) {
    for (const StepViewScope scope : {StepViewScope::thisHead, StepViewScope::allHeads}) {
      ViewState view;
      view.selection.tool = "kvcache";
      view.selection.decodePosition = 1000;
      view.selection.scope = scope;
      ui_.restart(document, view);
      const Index tokens = document->config.seqLen;
      EXPECT_EQ(ui_.view().selection.decodePosition, tokens - 1);
      EXPECT_TRUE(shows(fmt::format("token {} of {}", tokens, tokens)));
    }
  }
  EXPECT_TRUE(shows("11 of 60")) << ui_.screen().all("flow");
}

TEST_F(KvCachePanel, InALowCardShowsTheWorkOrTheSize) {
  EXPECT_TRUE(shows("saved") && shows("MHA 8"));  // a high one has both
  AppDriver low(causal(presetDocument("original-transformer")), 1280, 720);
  low.press(Key{'K'});
  EXPECT_TRUE(low.shows("saved", "flow")) << low.screen().all("flow");
  EXPECT_FALSE(low.shows("MHA 8", "flow")) << low.screen().all("flow");
  low.click("cache", "flow");
  low.frame();
  EXPECT_TRUE(low.shows("MHA 8", "flow")) << low.screen().all("flow");
  EXPECT_FALSE(low.shows("saved", "flow")) << low.screen().all("flow");
}

}  // namespace
}  // namespace headscope::ui
