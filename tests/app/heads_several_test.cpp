// More heads, and why several: both tabs show the engine's measurements.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app_driver.h"
#include "core/analysis/merged_heads.h"
#include "core/base/numbers.h"
#include "core/document/trace.h"
#include "core/heads/designed_heads.h"
#include "core/studies/head_count.h"
#include "core/training/relations.h"

namespace headscope::ui {
namespace {

ViewState onTab(EffectTab tab) {
  ViewState view;
  view.selection.page = kHeadsPage;
  view.heads.effectTab = tab;
  return view;
}

/// Waits until every number of heads is measured; each one is requested when the one before is
/// done.
void settleAll(AppDriver& ui) {
  for (std::size_t i = 0; i <= headCounts(ui.config()).size(); ++i) ui.settle();
}

TEST(MoreHeads, SaysWhatEachNumberOfHeadsCosts) {
  AppDriver ui(textDocument("The cat sat on the mat", 512, 32), 1600, 1000,
               onTab(EffectTab::moreHeads));
  settleAll(ui);
  EXPECT_FALSE(ui.shows("measuring", "effects"));
  EXPECT_TRUE(ui.shows("32 heads of dk 16", "effects"));
  const DocumentPtr other = withHeads(ui.document(), 32, kTestBudget);
  const HeadCountCost cost = headCountCost(other->config);
  EXPECT_TRUE(ui.shows(withThousands(cost.parameters), "effects"));
  EXPECT_TRUE(ui.shows(withThousands(cost.scoreValues), "effects"));
  const auto point = measureHeadCount(ui.document(), 32, kTestBudget);
  ASSERT_TRUE(point);
  const float cut = ui.view().heads.similarityCut;
  EXPECT_TRUE(ui.shows(fmt::format("{} distinct", *point->distinct(cut)), "effects"));
}

TEST(MoreHeads, StartsAgainForAnotherDocument) {
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, onTab(EffectTab::moreHeads));
  settleAll(ui);
  ui.typeInto("heads", "4");
  ui.press(Key::enter);
  settleAll(ui);
  EXPECT_EQ(ui.config().numHeads, 4);
  EXPECT_FALSE(ui.shows("measuring", "effects"));
}

DocumentPtr designedDocument(const std::string& text) {
  return apply(*textDocument(text), DrawWeights{WeightInit::designed, 1}, kTestBudget).document;
}

/// Checks that the page shows both relations and their scores in one head.
void expectShown(AppDriver& ui, const HeadRelation& a, const HeadRelation& b,
                 PairGains gains = PairGains::equal) {
  EXPECT_TRUE(ui.shows(a.relation.name + " ▾", "effects")) << ui.screen().all();
  EXPECT_TRUE(ui.shows(b.relation.name + " ▾", "effects")) << ui.screen().all();
  const auto found = twoInOne(ui.trace(), 0, {a, b}, gains);
  ASSERT_TRUE(found);
  std::string both = fmt::format("{} {:.2f} → {:.2f}, {} {:.2f} → {:.2f}.", a.relation.name,
                                 *found->scores[0][0], *found->scores[2][0], b.relation.name,
                                 *found->scores[1][1], *found->scores[2][1]);
  if (const auto& torn = found->torn) {  // the row that wants both
    both = fmt::format(
        "two heads give {:.2f} and {:.2f}; one head has one row to share, and gives {:.2f} and "
        "{:.2f}.",
        torn->alone[0], torn->alone[1], torn->together[0], torn->together[1]);
  }
  EXPECT_TRUE(ui.shows(both, "effects")) << both << ui.screen().all();
  EXPECT_TRUE(ui.shows("One head for both", "effects"));
}

TEST(WhySeveral, ShowsWhatOneHeadForTwoRelationsGives) {
  AppDriver ui(textDocument("The cat, which was very fluffy, sat on the mat."), 1600, 1000,
               onTab(EffectTab::whySeveral));
  ui.settle();
  ui.click("Use designed heads", "effects");
  const auto relations = declaredRelations(ui.document());
  std::vector<HeadRelation> candidates;
  for (std::size_t h = 0; h < relations.size(); ++h) {
    const auto has = [](const auto& keys) { return !keys.empty(); };
    if (!relations[h]) continue;
    const auto& partners = relations[h]->partners[0];
    if (std::any_of(partners.begin(), partners.end(), has)) {
      candidates.push_back({static_cast<Index>(h), *relations[h]});
    }
  }
  const auto pair = mostBlurred(ui.trace(), 0, candidates, PairGains::equal);
  ASSERT_TRUE(pair);
  expectShown(ui, candidates[(*pair)[0]], candidates[(*pair)[1]]);
}

TEST(WhySeveral, TheUsersPairStaysUntilItIsGivenUp) {
  AppDriver ui(designedDocument("The cat, which was very fluffy, sat on the mat."), 1600, 1000,
               onTab(EffectTab::whySeveral));
  ui.settle();
  const auto relations = declaredRelations(ui.document());
  const auto conclusion = [&ui] { return ui.screen().all("effects"); };
  const std::string before = conclusion();
  ui.view().heads.relationPair = {1, 4};
  ui.settle();
  expectShown(ui, {1, *relations[1]}, {4, *relations[4]});
  ui.view().heads.relationPair = {1, 1};  // not a pair
  ui.settle();
  EXPECT_EQ(conclusion(), before);
  ui.view().heads.relationPair = {1, 4};
  ui.typeSentence("The dog and the cat");  // no verb, no preposition
  EXPECT_EQ(ui.view().heads.relationPair, (std::vector<Index>{1, 4}));
  EXPECT_FALSE(ui.shows(relations[1]->name + " ▾", "effects"));
  ui.typeSentence("The cat, which was very fluffy, sat on the mat.");
  expectShown(ui, {1, *relations[1]}, {4, *relations[4]});
  ui.click("hardest pair", "effects");
  EXPECT_TRUE(ui.view().heads.relationPair.empty());
  EXPECT_EQ(conclusion(), before);
}

TEST(WhySeveral, SaysWhatTheTokenGetsThatLosesMostOfBoth) {
  AppDriver ui(designedDocument("The bank that the river flows by is closed."), 1600, 1000,
               onTab(EffectTab::whySeveral));
  ui.view().heads.relationPair = {1, 6};  // verb → its subject, first token
  ui.settle();
  const auto relations = declaredRelations(ui.document());
  ui.click("as designed", "effects");
  EXPECT_TRUE(ui.view().heads.gainsAsBuilt);
  const std::array<HeadRelation, 2> pair{HeadRelation{1, *relations[1]},
                                         HeadRelation{6, *relations[6]}};
  expectShown(ui, pair[0], pair[1], PairGains::asBuilt);
  EXPECT_FALSE(ui.shows("scores ×", "effects"));
  const auto found = twoInOne(ui.trace(), 0, pair, PairGains::asBuilt);
  ASSERT_TRUE(found && found->torn);
  const ConflictedQuery& torn = *found->torn;
  ui.hover(ui.at("two heads give", "effects"));
  for (int i = 0; i < 40; ++i) ui.frame();
  EXPECT_TRUE(
      ui.shows(fmt::format("‘flows’ is to look at ‘river’ and at ‘The’: {:.2f} and {:.2f} by the "
                           "two heads, {:.2f} and {:.2f} by the one, which looks at ‘{}’ most",
                           torn.alone[0], torn.alone[1], torn.together[0], torn.together[1],
                           ui.document().input->tokens[0][static_cast<std::size_t>(torn.most)]),
               "##Tooltip"))
      << ui.screen().all();
}

TEST(WhySeveral, OffersDesignedHeadsWhereThereAreNone) {
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, onTab(EffectTab::whySeveral));
  ui.settle();
  ui.click("Use designed heads", "effects");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::designed);
  EXPECT_TRUE(ui.shows("One head for both", "effects"));
}

}  // namespace
}  // namespace headscope::ui
