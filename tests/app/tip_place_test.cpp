// Tooltips stand next to what they explain, on the display.
#include "app/ui/tip_place.h"

#include <gtest/gtest.h>

#include "lesson_window.h"

namespace headscope::ui {
namespace {

const ImVec2 kDisplay{1600.0F, 1000.0F};
const ImVec2 kTip{200.0F, 60.0F};
constexpr float kTipGap = 8.0F;

Rect tipFor(const Rect& thing, ImVec2 mouse, ImVec2 size = kTip) {
  return Rect::at(tooltipCorner(thing, size, kDisplay, mouse, kTipGap), size);
}

TEST(TipPlace, CoversNothingWhereThereIsRoom) {
  for (float x = 0.0F; x <= 1500.0F; x += 100.0F) {
    for (float y = 0.0F; y <= 900.0F; y += 90.0F) {
      for (const ImVec2 size : {ImVec2(40, 20), ImVec2(100, 100), ImVec2(30, 400)}) {
        Rect thing = Rect::at({x, y}, size);
        thing.b = {std::min(thing.b.x, kDisplay.x), std::min(thing.b.y, kDisplay.y)};
        const Rect tip = tipFor(thing, thing.centre());
        EXPECT_FALSE(tip.overlaps(thing)) << x << ", " << y;
        EXPECT_GE(tip.a.x, 0.0F);
        EXPECT_GE(tip.a.y, 0.0F);
        EXPECT_LE(tip.b.x, kDisplay.x);
        EXPECT_LE(tip.b.y, kDisplay.y);
      }
    }
  }
}

TEST(TipPlace, StandsBelowAButtonAndAboveItLowOnTheDisplay) {
  const Rect button = Rect::at({300, 100}, {80, 24});
  EXPECT_FLOAT_EQ(tipFor(button, button.centre()).a.y, button.b.y + kTipGap);
  EXPECT_FLOAT_EQ(tipFor(button, button.centre()).a.x, button.a.x);
  const Rect low = Rect::at({300, 960}, {80, 24});
  EXPECT_FLOAT_EQ(tipFor(low, low.centre()).b.y, low.a.y - kTipGap);
}

TEST(TipPlace, CoversTheLeastThatOneReads) {
  const Rect tile = Rect::at({300, 100}, {80, 80});
  const Rect names = Rect::at({0, 180}, {1600, 200});  // below it
  const Covered covered = [&](const Rect& place) { return place.overlaps(names) ? 1.0F : 0.0F; };
  const Rect tip =
      Rect::at(tooltipCorner(tile, kTip, kDisplay, tile.centre(), kTipGap, covered), kTip);
  EXPECT_FALSE(tip.overlaps(names));
  EXPECT_FALSE(tip.overlaps(tile));
}

/// A large one, which would hide the tiles around the one that it explains.
TEST(TipPlace, StandsInAFreeCornerWhereItWouldCoverMuch) {
  const Rect tile = Rect::at({300, 400}, {80, 80});
  const ImVec2 large{360.0F, 300.0F};
  const auto left = [&](float share) {
    const Covered covered = [share](const Rect& place) {
      return place.a.x < 1200.0F ? share * place.width() * place.height() : 0.0F;
    };
    return tooltipCorner(tile, large, kDisplay, tile.centre(), kTipGap, covered).x;
  };
  EXPECT_GE(left(0.5F), 1200.0F);
  EXPECT_LT(left(0.1F), 400.0F) << "beside the tile as long as it covers little";
}

TEST(TipPlace, StandsAsideOfThePointerWhereAThingFillsTheDisplay) {
  const Rect all{{0, 0}, kDisplay};
  for (const ImVec2 mouse : {ImVec2(10, 10), ImVec2(1590, 990), ImVec2(800, 500)}) {
    EXPECT_FALSE(tipFor(all, mouse).contains(mouse));
  }
}

TEST(TipPlace, ATooltipOfAMatrixCoversNoneOfItsCells) {
  ViewState view;
  view.selection.page = kHeadsPage;
  AppDriver ui(textDocument("the cat sat"), 1600, 1000, view);
  const gl::Bounds head = ui.heatmaps(kAllHeadsCard).front();
  ui.hover(cellAt(head, 3, 3, 1, 1));
  ui.settle();
  const auto tip = ui.window("##Tooltip");
  ASSERT_TRUE(tip);
  const Rect matrix{{head.x0, head.y0}, {head.x1, head.y1}};
  EXPECT_FALSE(matrix.overlaps({{tip->x0, tip->y0}, {tip->x1, tip->y1}}));
}

TEST(TipPlace, ATooltipLeavesTheLessonsCardFree) {
  AppDriver ui = lessonDriver(1280, 720);
  openLesson(ui, "Twelve questions");
  for (int i = 0; i < 8; ++i) ui.press(Key::pageDown);
  ui.settle();
  const gl::Bounds head = ui.heatmaps(kAllHeadsCard).front();
  ui.hover(cellAt(head, 6, 6, 1, 1));
  for (int i = 0; i < 4; ++i) ui.frame();
  const auto tip = ui.window("##Tooltip");
  const auto lesson = ui.window("lesson");
  ASSERT_TRUE(tip && lesson);
  EXPECT_GE(tip->x0, lesson->x1);
}

}  // namespace
}  // namespace headscope::ui
