// Presenting: one panel over the whole screen in large type, and the return to the previous view.
#include "app_driver.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

class Presenting : public testing::Test {
 protected:
  bool alone(const char* heading) const {
    return ui_.shows(heading, "panel") && !ui_.window("top bar");
  }
  AppDriver ui_;
};

TEST_F(Presenting, F11ShowsOnePanelAndF11OrEscapeLeaves) {
  const std::string before = ui_.screen().all();
  const float small =
      ui_.screen().find("Step 3", "stage")->max.y - ui_.screen().find("Step 3", "stage")->min.y;
  EXPECT_FALSE(ui_.app().wantsFullScreen());
  for (const Key leave : {Key::f11, Key::escape}) {
    ui_.press(Key::f11);
    EXPECT_TRUE(alone("Step 3 · Score")) << ui_.screen().all();
    EXPECT_TRUE(ui_.app().wantsFullScreen());
    EXPECT_FLOAT_EQ(ui_.app().scale(), 1.6F);
    EXPECT_FLOAT_EQ(ui_.view().preferences.scale, 1.0F);
    const Spot large = *ui_.screen().find("Step 3", "panel");
    EXPECT_GT(large.max.y - large.min.y, 1.4F * small);
    ui_.press(leave);
    EXPECT_FALSE(ui_.app().wantsFullScreen());
    EXPECT_EQ(ui_.screen().all(), before);
  }
}

TEST_F(Presenting, ThePanelUnderTheMouseElseTheLastClickedIsShown) {
  ui_.hover(middle(*ui_.window("/heads")));
  ui_.press(Key::f11);
  EXPECT_TRUE(alone("Heads"));
  ui_.press(Key::f11);
  ui_.clickAt(ui_.at("Dimension flow", "flow"));
  ui_.hover({-1, -1});
  ui_.press(Key::f11);
  EXPECT_TRUE(alone("Dimension flow"));
}

TEST_F(Presenting, TabAndF6GoRoundThePanels) {
  ui_.press(Key::f11);
  ui_.press(Key::tab);
  EXPECT_TRUE(alone("Heads"));
  ui_.press(Key::f6);
  EXPECT_TRUE(alone("Dimension flow"));
  ui_.press(Key::tab);
  EXPECT_TRUE(alone("Step 3 · Score"));
}

/// A text that each card of the heads page shows when it is presented.
struct HeadsCard {
  const char* window;
  const char* shows;
};
constexpr HeadsCard kHeadsCards[] = {{"/all heads", "All heads"},
                                     {"/looks", "Where each head looks"},
                                     {"/figures", "Scatter"},
                                     {"/similarity", "How similar the heads are"},
                                     {"/effects", "Switch a head off"}};

TEST_F(Presenting, EveryCardOfTheHeadsPageIsPresentedUnderTheMouseAndInTurn) {
  ui_.press(Key{'V'});
  ASSERT_TRUE(ui_.window("/all heads"));
  for (const HeadsCard& card : kHeadsCards) {
    ui_.hover(middle(*ui_.window(card.window)));
    ui_.press(Key::f11);
    ui_.settle();
    EXPECT_TRUE(alone(card.shows)) << card.window << ": " << ui_.screen().all();
    EXPECT_TRUE(ui_.shows("Head 1 of 8"));
    EXPECT_FALSE(ui_.shows("larger")) << "it is as large as it can be";
    ui_.press(Key::escape);
  }
  ui_.hover(middle(*ui_.window("/all heads")));
  ui_.press(Key::f11);
  for (const HeadsCard& card : kHeadsCards) {
    EXPECT_TRUE(alone(card.shows)) << card.window;
    ui_.press(Key::tab);
  }
  EXPECT_TRUE(alone("All heads"));
}

TEST_F(Presenting, TheCardClickedLastIsOfItsOwnPage) {
  ui_.press(Key{'V'});
  ui_.click("Output matrix", "effects");
  ui_.hover({-1, -1});
  ui_.press(Key::f11);
  EXPECT_TRUE(alone("Output matrix"));
  EXPECT_TRUE(ui_.shows("Head 1 of 8"));
  ui_.press(Key{'H'});
  EXPECT_TRUE(ui_.shows("Head 2 of 8"));
  ui_.press(Key{'V'});  // the other pages, while presenting
  EXPECT_TRUE(alone("All heads"));
  ui_.press(Key{'V'});
  EXPECT_TRUE(ui_.shows("Open a small language model")) << "no model is open yet";
  ui_.press(Key{'V'});
  EXPECT_TRUE(alone("Lessons"));
  ui_.press(Key{'V'});
  EXPECT_TRUE(ui_.shows("looks"));  // the stage's sentence
  ui_.press(Key{'V'});
  EXPECT_TRUE(alone("Step 3 · Score"));
  ui_.press(Key{'V'});
  EXPECT_TRUE(alone("Output matrix"));
}

TEST_F(Presenting, TheCardWithTheKeyboardComesFirst) {
  ui_.press(Key{'V'});
  ui_.hover(middle(*ui_.window("/effects")));
  ui_.press(Key::f2);
  ui_.press(Key::f2);
  ui_.press(Key::f11);
  EXPECT_TRUE(alone("Where each head looks")) << ui_.screen().all();
}

TEST_F(Presenting, StepsFollowEachOtherAndTheLineSaysWhere) {
  ui_.press(Key::f11);
  ui_.press(Key::right);
  EXPECT_EQ(ui_.view().selection.step, StepId::scale);
  EXPECT_TRUE(ui_.shows("Step 4 · Scale · head 1", "headscope"));
  EXPECT_TRUE(ui_.shows("esc leaves"));
  ui_.press(Key::space);
  EXPECT_TRUE(ui_.view().frame.playing);
}

TEST_F(Presenting, TheSentenceNamesTheChosenCellOfALaterHead) {
  ViewState& view = ui_.view();
  const AttentionConfig& config = ui_.config();
  const CellRef chosen{TensorId::qProj, 0, -1, 1, 2 * config.dK() + 1};
  view.selection.step = StepId::project;
  view.selection.head = 2;
  view.selection.cell = chosen;
  ui_.press(Key::f11);
  const std::string named = "X times a column of W_Q gives " + cellName(ui_.trace(), chosen);
  EXPECT_TRUE(ui_.shows(named, "headscope")) << ui_.screen().all();
}

TEST_F(Presenting, ItsTypeIsNeverBeyondTheLargestAndFollowsCtrlPlus) {
  ui_.press(Key::f11);
  ui_.press(Key::equal, true);
  EXPECT_FLOAT_EQ(ui_.app().scale(), 2.0F);
  EXPECT_FLOAT_EQ(ui_.view().preferences.scale, 1.25F);
  for (int i = 0; i < 8; ++i) ui_.press(Key::equal, true);
  EXPECT_FLOAT_EQ(ui_.app().scale(), kMaxScale);
  ui_.press(Key::escape);
  EXPECT_FLOAT_EQ(ui_.app().scale(), kMaxScale);
}

}  // namespace
}  // namespace headscope::ui
