// More heads, and why several: what both tabs say is what the engine measures.
#include <fmt/format.h>

#include "app_driver.h"
#include "core/analysis/head_count.h"
#include "core/analysis/two_in_one.h"
#include "core/ledger.h"
#include "core/weights/designed_heads.h"

namespace headscope::ui {
namespace {

ViewState onTab(EffectTab tab) {
  ViewState view;
  view.page = Page::heads;
  view.heads.effectTab = tab;
  return view;
}

/// Until every number of heads is measured: each is asked for when the one before is there.
void settleAll(AppDriver& ui) {
  for (std::size_t i = 0; i <= headCounts(ui.config()).size(); ++i) ui.settle();
}

TEST(MoreHeads, SaysWhatEachNumberOfHeadsCosts) {
  AppDriver ui(textDocument("The cat sat on the mat", 512, 32), 1600, 1000,
               onTab(EffectTab::moreHeads));
  settleAll(ui);
  EXPECT_FALSE(ui.shows("measuring", "effects"));
  EXPECT_TRUE(ui.shows("32 heads of d_k 16", "effects"));
  const DocumentPtr other = withHeads(ui.document(), 32, kTestBudget);
  const HeadCountCost cost = headCountCost(other->config);
  EXPECT_TRUE(ui.shows(withThousands(cost.parameters), "effects"));
  EXPECT_TRUE(ui.shows(withThousands(cost.scoreValues), "effects"));
  const auto point = measureHeadCount(ui.document(), 32, kTestBudget);
  ASSERT_TRUE(point);
  const float cut = ui.view().heads.similarityCut;
  EXPECT_TRUE(ui.shows(fmt::format("{} distinct", *point->distinct(cut)), "effects"));
}

TEST(MoreHeads, StartsAnewForAnotherDocument) {
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, onTab(EffectTab::moreHeads));
  settleAll(ui);
  ui.typeInto("heads", "4");
  ui.press(Key::enter);
  settleAll(ui);
  EXPECT_EQ(ui.config().numHeads, 4);
  EXPECT_FALSE(ui.shows("measuring", "effects"));
}

TEST(WhySeveral, ShowsWhatOneHeadForTwoRelationsGives) {
  // 'sat' and 'was' want their subject in the one, the token before them in the other
  AppDriver ui(textDocument("The cat, which was very fluffy, sat on the mat."), 1600, 1000,
               onTab(EffectTab::whySeveral));
  ui.settle();
  ui.click("Take designed heads", "effects");
  const auto relations = declaredRelations(ui.document());
  ASSERT_TRUE(relations[0] && relations[1]);
  EXPECT_TRUE(ui.shows(relations[0]->name, "effects"));
  const auto found = twoInOne(ui.trace(), 0, {0, 1}, {*relations[0], *relations[1]});
  ASSERT_TRUE(found);
  for (std::size_t which = 0; which < 2; ++which) {
    EXPECT_TRUE(ui.shows(fmt::format("{:.2f}", *found->scores[2][which]), "effects"));
  }
  EXPECT_TRUE(ui.shows("One head for both", "effects"));
}

TEST(WhySeveral, OffersDesignedHeadsWhereThereAreNone) {
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, onTab(EffectTab::whySeveral));
  ui.settle();
  ui.click("Take designed heads", "effects");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::designed);
  EXPECT_TRUE(ui.shows("One head for both", "effects"));
}

}  // namespace
}  // namespace headscope::ui
