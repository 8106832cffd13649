// The search over pages, cards, tools, commands, terms, examples and lessons (ctrl+k).
#include "app/ui/search.h"

#include <utility>
#include <vector>

#include "app_driver.h"

namespace headscope::ui {
namespace {

SearchEntry entry(const char* title, const char* about = "") {
  return {title, "term", "", about, {}};
}

TEST(Search, PutsTitlesThatBeginWithTheWordsFirst) {
  const std::vector<SearchEntry> entries{entry("Heads", "with a mask"), entry("Unmask"),
                                         entry("Causal mask"), entry("Mask")};
  EXPECT_EQ(found(entries, "MASK"), (std::vector<std::size_t>{3, 2, 1, 0}));
  EXPECT_EQ(found(entries, "mask  cau"), (std::vector<std::size_t>{2}));
  EXPECT_TRUE(found(entries, "quark").empty());
  EXPECT_EQ(found(entries, "").size(), entries.size());
}

TEST(Search, KnowsOtherWordsAndSpellings) {
  std::vector<SearchEntry> entries{entry("W_O"), entry("÷√d_k"), entry("multi-head attention")};
  entries[1].also = "sqrt square root";
  EXPECT_EQ(found(entries, "wo"), (std::vector<std::size_t>{0}));
  EXPECT_EQ(found(entries, "W_O"), (std::vector<std::size_t>{0}));
  EXPECT_EQ(found(entries, "sqrt"), (std::vector<std::size_t>{1}));
  EXPECT_EQ(found(entries, "multihead"), (std::vector<std::size_t>{2}));
  EXPECT_EQ(found(entries, "multi-head"), (std::vector<std::size_t>{2}));
}

class SearchDialog : public testing::Test {
 protected:
  void find(const std::string& words) {
    ui_.press(Key{'K'}, true);
    ui_.type(words);
  }
  void choose(const std::string& words) {
    find(words);
    ui_.press(Key::enter);
    EXPECT_FALSE(ui_.window("search")) << words;
  }

  AppDriver ui_;
};

TEST_F(SearchDialog, OpensToolsPagesExamplesAndLessons) {
  choose("temperature");
  EXPECT_EQ(ui_.view().selection.tool, "temperature");
  EXPECT_EQ(ui_.view().selection.page, kFlowPage);
  choose("train");
  EXPECT_EQ(ui_.view().selection.page, kTrainPage);
  choose("example english german");
  EXPECT_TRUE(ui_.config().crossAttention());
  choose("lesson by hand");
  EXPECT_TRUE(ui_.shows("By hand"));
}

TEST_F(SearchDialog, KnowsTheWordsThatStudentsType) {
  for (const auto& [typed, shown] : std::vector<std::pair<const char*, const char*>>{
           {"multi-head", "multi-head attention"},
           {"sqrt", "÷√d_k"},
           {"number of heads", "Number of heads"},
           {"softmax", "softmax"},
           {"masked", "mask"},
           {"temperature", "Temperature"},
           {"dropout", "dropout"},
           {"query", "query"},
           {"dk", "d_k"},
           {"concatenate", "concat"},
           {"WO", "W_O"},
           {"output projection", "W_O"},
           {"positional encoding", "positions"},
           {"dark mode", "Dark theme"},
           {"font size", "Larger interface"},
           {"screenshot", "Export a picture"},
           {"shortcuts", "Keys and mouse"},
           {"print", "Export a worksheet"},
           {"quiz", "Twelve questions"},
           {"why divide", "Why ÷ √d_k"},
           {"prune", "Switch the chosen head off or on"}}) {
    find(typed);
    EXPECT_TRUE(ui_.shows(shown, "results")) << typed << ": " << ui_.screen().all("results");
    ui_.press(Key::escape);
  }
  choose("number of heads");
  EXPECT_EQ(ui_.view().selection.page, kHeadsPage);
  EXPECT_EQ(ui_.view().heads.effectTab, EffectTab::moreHeads);
}

TEST_F(SearchDialog, OpensTabsWithinCards) {
  choose("tab output matrix");
  EXPECT_EQ(ui_.view().selection.page, kHeadsPage);
  EXPECT_EQ(ui_.view().heads.effectTab, EffectTab::outputMatrix);
  choose("tab scenes");
  EXPECT_EQ(ui_.view().selection.page, kFlowPage);
  EXPECT_EQ(ui_.view().selection.inspectorTab, InspectorTab::scenes);
}

TEST_F(SearchDialog, ShowsTheCardsOfAPageThatAreNotOnTheScreen) {
  choose("card how many heads");
  EXPECT_EQ(ui_.view().selection.page, kTrainPage);
  EXPECT_EQ(ui_.view().train.tab, TrainTab::headCounts);
  choose("tab other sizes");
  EXPECT_EQ(ui_.view().train.task, kStories);
  EXPECT_TRUE(ui_.shows("layers × heads", "story questions")) << ui_.screen().all("body");
}

TEST_F(SearchDialog, FindsAnExampleByItsSentence) {
  find("fluffy");
  EXPECT_FALSE(ui_.shows("Nothing here has these letters", "results"));
}

TEST_F(SearchDialog, OpensTheModelsThatComeWithTheProgram) {
  choose("small language model");
  ui_.settle();
  ui_.frame();
  EXPECT_EQ(ui_.view().selection.page, kModelPage);
  EXPECT_TRUE(ui_.shows("headscope stories", kModelTextCard)) << ui_.screen().all(kModelTextCard);
}

TEST_F(SearchDialog, RunsCommands) {
  choose("dark theme");
  EXPECT_EQ(ui_.view().preferences.theme, ThemeKind::dark);
  choose("light theme");
  EXPECT_EQ(ui_.view().preferences.theme, ThemeKind::light);
  choose("open file");
  EXPECT_TRUE(ui_.window("file dialog"));
}

TEST_F(SearchDialog, ExplainsATermAndClosesWithEscape) {
  find("softmax");
  EXPECT_TRUE(ui_.shows("softmax", "results"));
  ui_.press(Key::escape);
  EXPECT_FALSE(ui_.window("search"));
}

TEST_F(SearchDialog, ArrowsChoose) {
  find("head");
  const std::string page = ui_.view().selection.page;
  ui_.press(Key::down);
  ui_.press(Key::up);
  ui_.press(Key::up);
  ui_.press(Key::enter);
  EXPECT_FALSE(ui_.window("search"));
}

TEST_F(SearchDialog, SaysSoWhereNothingIsFound) {
  find("zzzz");
  EXPECT_TRUE(ui_.shows("Nothing here has these letters", "results"));
  ui_.press(Key::enter);
  EXPECT_TRUE(ui_.window("search"));
}

}  // namespace
}  // namespace headscope::ui
