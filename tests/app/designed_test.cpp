// Designed heads on the screen: their names, their descriptions, and presets that open with them.
#include "app_driver.h"
#include "core/editing/make_document.h"
#include "core/heads/designed_heads.h"

namespace headscope::ui {
namespace {

DocumentPtr designed(const char* preset) {
  return makePreset(presetByName(preset), {WeightInit::designed, 1, {}}, kTestBudget);
}

TEST(DesignedHeadsShown, HeadsBearTheirNames) {
  AppDriver ui(designed("tutorial"));
  EXPECT_TRUE(ui.shows("Previous", "strip")) << ui.screen().all();
  ui.click("Head 7", "strip");
  EXPECT_TRUE(ui.shows("head 7 (First token)"));
}

TEST(DesignedHeadsShown, XavierHeadsBearNone) {
  AppDriver ui(presetDocument("tutorial"));
  EXPECT_FALSE(ui.shows("Previous", "strip"));
  EXPECT_FALSE(ui.shows("(Previous token)"));
}

TEST(DesignedHeadsShown, TheirStructureStandsAtTheName) {
  AppDriver ui(designed("original-transformer"));
  ui.click("Head 2", "strip");
  ui.hover(ui.at("head 2 (Verb"));
  for (int i = 0; i < 90; ++i) ui.frame();  // the mouse rests
  for (const char* part : {"designed, not learned", "5 · verb", "28 position pairs"}) {
    EXPECT_TRUE(ui.shows(part, "Tooltip")) << part << " in " << ui.screen().all();
  }
}

TEST(DesignedHeadsShown, AnotherNumberOfHeadsIsDesignedAgain) {
  AppDriver ui(designed("original-transformer"));
  ui.typeInto("heads", "4");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::designed);
  EXPECT_EQ(designedHeads(ui.document()).size(), 4U);
  const DocumentPtr fresh = makeDocument("", ui.config(), *ui.document().source, Positions::named,
                                         {WeightInit::designed, 1, {}}, kTestBudget);
  EXPECT_EQ(ui.document().weights.wQ.values(), fresh->weights.wQ.values());
}

TEST(DesignedHeadsShown, APresetAfterLoadedWeightsOpensOnHeadsWorthLookingAt) {
  AppDriver ui(presetDocument("by-hand"));
  const auto combo = ui.screen().findAfter("Learn", "top bar");
  ASSERT_TRUE(combo);
  ui.clickAt(combo->centre());
  ui.click("Two sentences, a batch", "Combo");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::learned);
  ui.view().preferences.learnHeads = false;  // at sizes without shipped learned heads
  ui.clickAt(ui.screen().findAfter("Learn", "top bar")->centre());
  ui.click("Dimensions of BERT base", "Combo");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::designed);
  EXPECT_FALSE(designedHeads(ui.document()).front().drawn);
}

}  // namespace
}  // namespace headscope::ui
