// Cards: registered by id and key; what an id of a newer program opens.
#include "app/ui/card.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "app/ui/tools/tools.h"
#include "app/view_json.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

TEST(Cards, HaveIdsAndKeysOfTheirOwn) {
  const Cards tools = makeTools();
  std::set<std::string_view> ids;
  std::set<char> keys;
  for (const auto& tool : tools.all()) {
    const CardText& text = tool->text();
    EXPECT_TRUE(ids.insert(text.id).second) << text.id;
    EXPECT_TRUE(keys.insert(text.key).second) << text.key;
    EXPECT_EQ(&tools.open(text.id), tool.get());
    EXPECT_EQ(tools.ofKey(text.key), tool.get());
  }
  // the names that sessions have had since the first version
  for (const char* id :
       {"flow", "terms", "mask", "temperature", "changes", "mistakes", "kvcache", "perhead"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
  EXPECT_EQ(tools.ofKey('Z'), nullptr);
  EXPECT_EQ(tools.open("training").text().id, "flow");
}

TEST(Pages, OfANewerProgramShowTheFirstAndAreKept) {
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000,
               viewFromJson(R"({"page":"training"})", {}));
  EXPECT_TRUE(ui.window("/sentence")) << ui.screen().all();
  EXPECT_NE(viewToJson(ui.view()).find(R"("page":"training")"), std::string::npos);
  ui.press(Key{'V'});  // moves on from the page shown in its place
  EXPECT_EQ(ui.view().selection.page, kFlowPage);
  EXPECT_TRUE(ui.window("/inspector"));
  EXPECT_FALSE(ui.window("/sentence"));
}

TEST(Cards, OfANewerProgramShowTheFirstAndAreKept) {
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000,
               viewFromJson(R"({"tool":"training"})", {}));
  const auto flow = ui.window("flow");
  EXPECT_TRUE(ui.shows("q, k, v of each head", "flow")) << ui.screen().all("flow");
  EXPECT_NE(viewToJson(ui.view()).find(R"("tool":"training")"), std::string::npos);
  ui.press(Key{'D'});
  EXPECT_EQ(ui.view().selection.tool, kFlowTool);
  ASSERT_TRUE(flow && ui.window("flow"));
  EXPECT_EQ(ui.window("flow")->y1, flow->y1);  // as high as the card shown in its place
}

}  // namespace
}  // namespace headscope::ui
