// The view is saved and restored with a session.
#include "app/view_json.h"

#include <gtest/gtest.h>

#include "core/attention/config.h"
#include "core/attention/limits.h"

namespace headscope::ui {
namespace {

TEST(ViewJson, ComesBackAndIsClamped) {
  ViewState view;
  view.selection.step = StepId::concat;
  view.selection.item = 3;
  view.selection.head = 7;
  view.selection.part = TensorId::v;
  view.selection.scope = StepViewScope::allHeads;
  view.selection.cell = CellRef{TensorId::weights, 3, 7, 2, 1};
  view.preferences.colorMaps = 1;
  view.preferences.animate = false;
  view.preferences.playSpeed = 0.5F;
  view.selection.tool = "perhead";
  view.selection.inspectorTab = InspectorTab::scenes;
  view.selection.against = Against::rightWay;
  view.selection.mistake = Mistake::sharedHead;
  view.preferences.termOrder = {TermColumn::contribution, true};
  view.selection.trail = {CellRef{TensorId::output, 3, -1, 2, 5}, *view.selection.cell};
  view.selection.decodePosition = 4;
  view.selection.playTime = 12.5;
  view.selection.playQuery = 6;
  ViewState mine;
  mine.preferences.theme = ThemeKind::dark;
  mine.preferences.scale = 2.0F;
  const ViewState back = viewFromJson(viewToJson(view), mine);
  EXPECT_EQ(viewToJson(back), viewToJson(view));
  EXPECT_EQ(back.selection.cell, view.selection.cell);
  EXPECT_EQ(back.selection.against, Against::rightWay);
  EXPECT_EQ(back.selection.mistake, Mistake::sharedHead);
  EXPECT_EQ(back.preferences.termOrder, view.preferences.termOrder);
  EXPECT_EQ(back.selection.trail, view.selection.trail);
  EXPECT_EQ(back.selection.decodePosition, 4);
  EXPECT_EQ(back.selection.playTime, 12.5);
  EXPECT_EQ(back.selection.playQuery, 6);
  // a state of the history does not come with the view
  view.selection.against = Against::state;
  EXPECT_EQ(viewFromJson(viewToJson(view), mine).selection.against, Against::lastEdit);
  EXPECT_EQ(back.preferences.theme, ThemeKind::dark);
  EXPECT_EQ(back.preferences.scale, 2.0F);

  const ViewState odd = viewFromJson(
      R"({"step":"dance","head":-5,"item":1e99,"tool":7,"later":[],"animate":"no","selected":"x"})",
      view);
  EXPECT_EQ(odd.selection.step, StepId::concat);
  EXPECT_EQ(odd.selection.head, 0);
  EXPECT_EQ(odd.selection.item, Limits::kBatch - 1);
  EXPECT_EQ(odd.selection.tool, "perhead");
  EXPECT_FALSE(odd.preferences.animate);
  // a tool of a newer program stays what it is, and is written again
  const ViewState newer = viewFromJson(R"({"tool":"training"})", view);
  EXPECT_EQ(newer.selection.tool, "training");
  EXPECT_NE(viewToJson(newer).find(R"("tool":"training")"), std::string::npos);
  EXPECT_FALSE(odd.selection.cell);
  EXPECT_EQ(viewFromJson("no json", view).selection.step, StepId::concat);
}

TEST(HeadsViewJson, KeepsEveryField) {
  ViewState view;
  view.selection.page = kHeadsPage;
  HeadsView& h = view.heads;
  h.content = GridContent::normWeighted;
  h.drawing = GridDrawing::lines;
  h.pooling = Pooling::maximum;
  h.ownScale = h.meanShown = h.tableDescending = h.averageItems = true;
  h.sortBy = "entropy";
  h.compared = {1, 5};
  h.queries = {3, 7};
  h.keys = {2, 9};
  h.looksTab = LooksTab::lengths;
  h.lineHeads = {0, 2};
  h.linesPicked = true;
  h.lineMass = 0.5F;
  h.query = 4;
  h.key = 0;
  h.figuresTab = FiguresTab::table;
  h.scatterX = "self";
  h.scatterY = "local";
  h.tableSort = "ablation";
  h.similarityCut = 0.75F;
  h.similarityOrdered = false;
  h.enlarged = EnlargedCard::similarity;
  h.effectTab = EffectTab::whySeveral;
  h.effectDrawing = EffectDrawing::heatmap;
  h.relationPair = {6, 2};
  h.gainsAsBuilt = true;
  const ViewState back = viewFromJson(viewToJson(view), {});
  EXPECT_EQ(back.selection.page, kHeadsPage);
  const HeadsView& b = back.heads;
  EXPECT_EQ(b.content, h.content);
  EXPECT_EQ(b.drawing, h.drawing);
  EXPECT_EQ(b.pooling, h.pooling);
  EXPECT_TRUE(b.ownScale && b.meanShown && b.tableDescending && b.averageItems);
  EXPECT_EQ(b.sortBy, "entropy");
  EXPECT_EQ(b.compared, h.compared);
  EXPECT_EQ(b.queries, h.queries);
  EXPECT_EQ(b.keys, h.keys);
  EXPECT_EQ(b.looksTab, h.looksTab);
  EXPECT_EQ(b.lineHeads, h.lineHeads);
  EXPECT_TRUE(b.linesPicked);
  EXPECT_EQ(b.lineMass, 0.5F);
  EXPECT_EQ(b.query, 4);
  EXPECT_EQ(b.key, 0);
  EXPECT_EQ(b.figuresTab, h.figuresTab);
  EXPECT_EQ(b.scatterX, "self");
  EXPECT_EQ(b.scatterY, "local");
  EXPECT_EQ(b.tableSort, "ablation");
  EXPECT_EQ(b.similarityCut, 0.75F);
  EXPECT_FALSE(b.similarityOrdered);
  EXPECT_EQ(b.enlarged, h.enlarged);
  EXPECT_EQ(b.effectTab, h.effectTab);
  EXPECT_EQ(b.effectDrawing, h.effectDrawing);
  EXPECT_EQ(b.relationPair, h.relationPair);
  EXPECT_TRUE(b.gainsAsBuilt);
}

TEST(HeadsViewJson, NoTokenAndNoLineAreChoicesToo) {
  ViewState before;
  before.heads.query = 3;
  before.heads.key = 2;
  before.heads.lineHeads = {1};
  HeadsView none;
  none.linesPicked = true;
  ViewState saved;
  saved.heads = none;
  const HeadsView back = viewFromJson(viewToJson(saved), before).heads;
  EXPECT_EQ(back.query, -1);
  EXPECT_EQ(back.key, -1);
  EXPECT_TRUE(back.linesPicked);
  EXPECT_TRUE(back.lineHeads.empty());
}

TEST(HeadsViewJson, TakesNothingThatDoesNotFit) {
  const ViewState back = viewFromJson(
      R"({"compared_heads":[3,-1,"x",1e30,4],"line_heads":"all","similarity_cut":7,"page":"map",
          "scatter_x":3,"queries":-2,"looks_query":-7,"looks_key":1e9,"lines_picked":"yes",
          "effect_drawing":"pie","relation_pair":[2,"b",-4]})",
      {});
  EXPECT_EQ(back.heads.compared, (std::vector<Index>{3, 4}));
  EXPECT_TRUE(back.heads.lineHeads.empty());
  EXPECT_EQ(back.heads.similarityCut, 1.0F);
  EXPECT_EQ(back.selection.page, "map");  // from a newer program: kept, the first is shown
  EXPECT_EQ(back.heads.scatterX, "mean_distance");
  EXPECT_EQ(back.heads.queries.count, 0);
  EXPECT_EQ(back.heads.query, -1);
  EXPECT_EQ(back.heads.key, Limits::kTokens - 1);
  EXPECT_FALSE(back.heads.linesPicked);
  EXPECT_EQ(back.heads.effectDrawing, EffectDrawing::bars);
  EXPECT_EQ(back.heads.relationPair, (std::vector<Index>{2}));
}

}  // namespace
}  // namespace headscope::ui
