// Playing: the clock, the keys, the bar; what the step view shows and says at a moment.
#include <algorithm>
#include <cmath>

#include "app/ui/step_view/step_view_matrix.h"
#include "app/ui/timeline/playback.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/document/attention.h"
#include "core/words/narration.h"
#include "tests/core/support/cases.h"

namespace headscope::ui {
namespace {

class Play : public testing::Test {
 protected:
  RowRef subject() { return {ui.view().selection.item, ui.view().selection.head, query}; }
  Timeline timeline() { return {ui.config(), subject()}; }
  TimelineSegment moment() {
    const Timeline all = timeline();
    return all.moments()[all.at(ui.view().selection.playTime.value_or(-1.0))];
  }
  /// Halts at the first moment of this step and kind whose place is `from` or later.
  void goTo(StepId step, SegmentKind beat, Index from = 0) {
    const Timeline all = timeline();
    const auto found =
        std::find_if(all.moments().begin(), all.moments().end(), [&](const TimelineSegment& m) {
          return m.step == step && m.beat == beat && m.from >= from;
        });
    ASSERT_NE(found, all.moments().end());
    ui.view().selection.playTime = found->start + found->length / 2;
    ui.settle();
  }
  std::string narration() { return narrate(ui.trace(), subject(), moment()); }

  /// Returns whether the veil covers a point of the screen.
  static bool veiled(ImVec2 at) {
    const ImU32 color = veilColor(theme(ThemeKind::light));
    const ImDrawData* data = ImGui::GetDrawData();
    for (int l = 0; l < data->CmdListsCount; ++l) {
      const auto& v = data->CmdLists[l]->VtxBuffer;
      for (int i = 0; i + 3 < v.Size; ++i) {  // a filled rectangle: its four corners
        if (v[i].col != color || v[i + 2].col != color) continue;
        if (v[i].pos.x < at.x && at.x < v[i + 2].pos.x && v[i].pos.y < at.y &&
            at.y < v[i + 2].pos.y) {
          return true;
        }
      }
    }
    return false;
  }

  /// A point on the timeline's bar above the buttons; `share` is 0 … 1 along it.
  ImVec2 onBar(float share) {
    const auto steps = ui.window("steps");
    const float margin = 18.0F;
    const float y = ui.at("Play", "steps").y - 25.0F;
    return {steps->x0 + margin + (steps->x1 - steps->x0 - 2 * margin) * share, y};
  }

  AppDriver ui;
  Index query = 0;
};

TEST_F(Play, SpaceStartsAndHalts) {
  ui.press(Key::space);
  EXPECT_TRUE(ui.view().frame.playing);
  ASSERT_TRUE(ui.view().selection.playTime);
  EXPECT_EQ(moment().step, StepId::score);  // where the view stood
  EXPECT_TRUE(ui.shows(narration(), "stage")) << narration();
  ui.host().advance(3.0);
  ui.frame();
  EXPECT_EQ(moment().beat, SegmentKind::cell);
  EXPECT_EQ(moment().from, 1);
  ui.press(Key::space);
  EXPECT_FALSE(ui.view().frame.playing);
  const double halted = *ui.view().selection.playTime;
  ui.host().advance(30.0);
  ui.settle();
  EXPECT_EQ(ui.view().selection.playTime, halted);
  EXPECT_TRUE(ui.shows(narration(), "stage"));
  ui.press(Key::space);
  EXPECT_LT(*ui.view().selection.playTime, halted + 0.5);  // the halt did not advance the clock
}

TEST_F(Play, GoesByTheClockTimesTheSpeed) {
  ui.view().preferences.playSpeed = 4.0F;
  ui.press(Key::space);
  const double before = *ui.view().selection.playTime;
  const double then = ui.host().now();
  ui.host().advance(1.5);
  ui.frame();
  ui.frame();
  EXPECT_NEAR(*ui.view().selection.playTime - before, 4.0 * (ui.host().now() - then), 1e-6);
}

TEST_F(Play, AsksForFramesOnlyWhenThePictureChanges) {
  EXPECT_EQ(ui.app().nextChange(), kNever);
  goTo(StepId::score, SegmentKind::cell);
  EXPECT_FALSE(ui.app().wantsFrame());
  EXPECT_EQ(ui.app().nextChange(), kNever);
  ui.view().frame.playing = true;
  ui.frame();
  EXPECT_FALSE(ui.app().wantsFrame());
  EXPECT_LE(ui.app().nextChange(), 0.25);
  ui.view().frame.playing = false;
  goTo(StepId::score, SegmentKind::allHeads);
  EXPECT_FALSE(ui.app().wantsFrame());
  ui.view().frame.playing = true;
  ui.frame();
  EXPECT_FALSE(ui.app().wantsFrame());
  EXPECT_LE(ui.app().nextChange(), 1.0 / 30);
  EXPECT_GT(ui.app().nextChange(), 0.0);
  ui.view().preferences.animate = false;
  ui.frame();
  EXPECT_FALSE(ui.app().wantsFrame());
  EXPECT_GT(ui.app().nextChange(), 1.0 / 30);
}

TEST_F(Play, StopsAtTheEndAndStartsAgain) {
  goTo(StepId::output, SegmentKind::restOfRows);
  ui.view().frame.playing = true;
  ui.host().advance(60.0);
  ui.settle();
  EXPECT_FALSE(ui.view().frame.playing);
  EXPECT_EQ(ui.view().selection.playTime, timeline().length());
  EXPECT_EQ(ui.view().selection.step, StepId::output);
  EXPECT_EQ(ui.app().nextChange(), kNever);
  ui.press(Key::space);
  EXPECT_TRUE(ui.view().frame.playing);
  EXPECT_EQ(ui.view().selection.step, StepId::project);
}

TEST_F(Play, ArrowsGoByMomentsAndHalt) {
  ui.press(Key::space);
  ui.press(Key::right);
  EXPECT_FALSE(ui.view().frame.playing);
  EXPECT_EQ(moment().from, 1);
  EXPECT_TRUE(ui.shows(narration(), "stage"));
  ui.press(Key::left);
  EXPECT_EQ(moment().from, 0);
  ui.press(Key::left);
  EXPECT_EQ(moment().step, StepId::split);
  EXPECT_EQ(ui.view().selection.step, StepId::split);
  ui.press(Key::right, false, true);
  EXPECT_EQ(ui.view().selection.playTime, timeline().stepStart(StepId::score));
  ui.press(Key::end);
  EXPECT_EQ(ui.view().selection.playTime, timeline().length());
  ui.press(Key::home);
  EXPECT_EQ(ui.view().selection.playTime, 0.0);
}

TEST_F(Play, ArrowsMoveTheTimelineRatherThanTheChosenCell) {
  const CellRef chosen{TensorId::rawScores, 0, 0, 2, 4};
  ui.view().selection.cell = chosen;
  query = 2;
  goTo(StepId::score, SegmentKind::cell);
  ui.press(Key::right);
  EXPECT_EQ(moment().from, 1);
  EXPECT_EQ(ui.view().selection.cell, chosen);
  ui.press(Key::escape);
  EXPECT_EQ(ui.view().selection.cell, chosen);
  ui.press(Key::right);
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::rawScores, 0, 0, 2, 5}));
}

TEST_F(Play, ASceneHaltsWhereTheTimelineStood) {
  goTo(StepId::score, SegmentKind::cell, 2);
  ViewState played = ui.view();
  played.frame.playing = true;
  const ViewState back = viewFromJson(viewToJson(played), {});
  EXPECT_EQ(back.selection.step, StepId::score);
  EXPECT_EQ(back.selection.playTime, played.selection.playTime);
  EXPECT_FALSE(back.frame.playing);
  EXPECT_FALSE(viewFromJson(viewToJson({}), played).selection.playTime);
}

TEST_F(Play, EveryMomentIsReachedByKey) {
  ui.view().selection.playTime = 0.0;
  ui.settle();
  const Timeline all = timeline();
  for (std::size_t i = 0; i < all.moments().size(); ++i) {
    EXPECT_EQ(all.at(*ui.view().selection.playTime), i);
    EXPECT_EQ(ui.view().selection.step, all.moments()[i].step);
    EXPECT_TRUE(ui.shows(narration(), "stage")) << narration();
    ui.press(Key::right);
  }
}

TEST_F(Play, EscapeLeavesTheTimeline) {
  goTo(StepId::weigh, SegmentKind::mixture);
  ui.press(Key::escape);
  EXPECT_FALSE(ui.view().selection.playTime);
  EXPECT_EQ(ui.view().selection.step, StepId::weigh);
  EXPECT_TRUE(ui.shows("Point at a cell", "stage"));
  ui.press(Key::right);
  EXPECT_EQ(ui.view().selection.step, StepId::concat);
}

TEST_F(Play, AnotherStepByHandLeavesIt) {
  ui.press(Key::space);
  ui.click("Softmax", "steps");
  EXPECT_FALSE(ui.view().selection.playTime);
  EXPECT_FALSE(ui.view().frame.playing);
  EXPECT_EQ(ui.view().selection.step, StepId::softmax);
  ui.press(Key::space);
  ui.click("V", "flow");
  EXPECT_FALSE(ui.view().selection.playTime);
  EXPECT_EQ(ui.view().selection.part, TensorId::v);
}

TEST_F(Play, TheBarScrubs) {
  ui.clickAt(onBar(0.5F));
  ASSERT_TRUE(ui.view().selection.playTime);
  EXPECT_NEAR(*ui.view().selection.playTime, timeline().length() * 0.5, timeline().length() * 0.01);
  EXPECT_EQ(ui.view().selection.step, moment().step);
  EXPECT_TRUE(ui.shows(narration(), "stage"));
  ui.host().drag(ui.app(), onBar(0.5F), onBar(0.97F));
  ui.settle();
  EXPECT_NEAR(*ui.view().selection.playTime, timeline().length() * 0.97,
              timeline().length() * 0.01);
  EXPECT_EQ(ui.view().selection.step, StepId::output);
  EXPECT_FALSE(ui.view().frame.playing);
  ui.hover({-1, -1});  // what was clicked says nothing until the mouse has left it
  ui.host().advance(1.0);
  ui.hover(onBar(0.01F));
  ui.host().advance(1.0);
  ui.settle();
  EXPECT_TRUE(ui.shows("1 Project", "Tooltip"));
}

TEST_F(Play, WhatIsNotReachedIsVeiled) {
  goTo(StepId::score, SegmentKind::cell, 3);
  const auto maps = ui.heatmaps("stage");
  ASSERT_EQ(maps.size(), 3U);
  for (Index row = 0; row < 6; ++row) {
    for (Index col = 0; col < 6; ++col) {
      EXPECT_EQ(veiled(cellAt(maps[2], 6, 6, row, col)), row > 0 || col > 3) << row << ", " << col;
      EXPECT_FALSE(veiled(cellAt(maps[1], 64, 6, row, col)));
    }
  }
  ui.press(Key::escape);
  EXPECT_FALSE(veiled(cellAt(maps[2], 6, 6, 5, 5)));
}

TEST_F(Play, AllHeadsComeOneAfterAnotherAndTheScopeIsLeftAsItWas) {
  goTo(StepId::score, SegmentKind::allHeads);
  const auto maps = ui.heatmaps("stage");
  ASSERT_EQ(maps.size(), 8U);
  EXPECT_FALSE(veiled(middle(maps[3])));
  EXPECT_TRUE(veiled(middle(maps[4])));
  EXPECT_TRUE(ui.shows(narration(), "stage"));
  EXPECT_EQ(ui.view().selection.scope, StepViewScope::thisHead);
  ui.click("this head", "stage");
  EXPECT_FALSE(ui.view().selection.playTime);
  EXPECT_EQ(ui.view().selection.scope, StepViewScope::thisHead);
}

TEST_F(Play, ItIsAboutTheChosenQueryAndHead) {
  ui.view().selection.head = 3;
  ui.view().selection.cell = CellRef{TensorId::rawScores, 0, 3, 2, 4};
  query = 2;
  goTo(StepId::score, SegmentKind::cell, 1);
  EXPECT_TRUE(ui.shows("“sat” asks “cat”", "stage"));
  EXPECT_TRUE(ui.shows(narration(), "stage"));
  ui.view().selection.head = 6;
  ui.settle();
  EXPECT_TRUE(ui.view().selection.playTime);
  EXPECT_TRUE(ui.shows(narration(), "stage"));
}

TEST_F(Play, AnEditPlaysOnWithTheNewNumbers) {
  goTo(StepId::scale, SegmentKind::cell, 1);
  const std::string before = narration();
  ui.view().frame.playing = true;
  ui.click("÷√d", "top bar");
  EXPECT_TRUE(ui.view().frame.playing);
  EXPECT_FALSE(ui.config().switches->scale);
  EXPECT_NE(narration(), before);
  EXPECT_TRUE(ui.shows(narration(), "stage"));
  EXPECT_TRUE(ui.shows("× 1 =", "stage"));
  ui.view().frame.playing = false;
  ui.typeInto("tokens", "3");
  ASSERT_EQ(ui.config().seqLen, 3);
  EXPECT_EQ(ui.view().selection.step, StepId::scale);  // the same place of the shorter timeline
  EXPECT_EQ(moment().step, StepId::scale);
  EXPECT_TRUE(ui.shows(narration(), "stage")) << narration();
}

TEST_F(Play, HaltedACellUnderTheMouseIsExplained) {
  goTo(StepId::score, SegmentKind::cell, 3);
  const auto maps = ui.heatmaps("stage");
  ui.hover(cellAt(maps[2], 6, 6, 4, 4));
  EXPECT_TRUE(ui.shows(R"(S["the", "the"])", "stage"));
  ui.view().frame.playing = true;
  ui.frame();
  EXPECT_TRUE(ui.shows(narration(), "stage"));
}

bool isVeiled(const StepViewMoment& shown, Index row, Index col) {
  const double r = static_cast<double>(row) + 0.5;
  const double c = static_cast<double>(col) + 0.5;
  return std::any_of(shown.veiled.begin(), shown.veiled.end(), [&](const MatrixPart& v) {
    return r > v.row0 && r < v.row1 && c > v.col0 && c < v.col1;
  });
}

TEST(StepViewMoment, IsWithinEveryPass) {
  for (const auto& [name, document] : test::documentsOfAllKinds()) {
    const TracePtr trace = runAttention(document);
    const AttentionConfig& c = trace->config();
    for (const RowRef& s : {RowRef{0, 0, 0}, RowRef{c.batch - 1, c.numHeads - 1, c.seqLen - 1},
                            RowRef{0, c.numHeads / 2, c.seqLen / 2}}) {
      const Timeline timeline(c, s);
      for (const TimelineSegment& moment : timeline.moments()) {
        for (const double share : {0.0, 0.37, 0.5, 1.0}) {
          const StepViewMoment shown = stepViewMoment(*trace, s, moment, share);
          EXPECT_TRUE(shown.head >= 0 && shown.head < c.numHeads) << name;
          EXPECT_TRUE(shown.headsReached >= 0 && shown.headsReached <= c.numHeads) << name;
          EXPECT_LT(shown.lit[static_cast<std::size_t>(Lane::query)], c.seqLen) << name;
          EXPECT_LT(shown.lit[static_cast<std::size_t>(Lane::key)], c.keys()) << name;
          EXPECT_LT(shown.lit[static_cast<std::size_t>(Lane::column)], c.dK()) << name;
          for (const MatrixPart& v : shown.veiled) {
            EXPECT_TRUE(v.row0 >= 0.0 && v.row0 < v.row1 && v.col0 >= 0.0 && v.col0 < v.col1);
            EXPECT_LE(v.row1, static_cast<double>(std::max(c.seqLen, c.keys()))) << name;
            EXPECT_LE(v.col1, static_cast<double>(std::max({c.dModel, c.queryWidth(), c.keys()})))
                << name;
          }
        }
      }
    }
  }
}

TEST(StepViewMoment, VeilsWhatHasNotBeenReached) {
  const TracePtr trace = runAttention(test::randomDocument(test::sized(24, 4, 6)));
  const RowRef s{0, 2, 3};
  const Timeline timeline(trace->config(), s);
  int cells = 0;
  int rows = 0;
  for (const TimelineSegment& m : timeline.moments()) {
    if (m.step != StepId::score) continue;
    const StepViewMoment shown = stepViewMoment(*trace, s, m, 0.5);
    for (Index row = 0; row < 6; ++row) {
      for (Index col = 0; col < 6; ++col) {
        bool reached = true;
        if (m.beat == SegmentKind::cell) reached = row == s.query && col <= m.from;
        if (m.beat == SegmentKind::row)
          reached = row == s.query || row <= otherRow(s.query, m.from);
        if (m.beat == SegmentKind::restOfRows) reached = row <= otherRow(s.query, 3);  // of 3 and 4
        EXPECT_EQ(isVeiled(shown, row, col), !reached) << row << ", " << col;
      }
    }
    if (m.beat == SegmentKind::cell) {
      EXPECT_EQ(shown.lit[static_cast<std::size_t>(Lane::query)], s.query);
      EXPECT_EQ(shown.lit[static_cast<std::size_t>(Lane::key)], m.from);
      ++cells;
    }
    rows += m.beat == SegmentKind::row ? 1 : 0;
    EXPECT_EQ(shown.scope == StepViewScope::allHeads, m.beat == SegmentKind::allHeads);
  }
  EXPECT_EQ(cells, 6);
  EXPECT_EQ(rows, 3);
}

TEST(StepViewMoment, AHeadBringsItsColumns) {
  const TracePtr trace = runAttention(test::randomDocument(test::sized(24, 4, 6)));
  const RowRef s{0, 2, 3};
  const Timeline timeline(trace->config(), s);
  for (const TimelineSegment& m : timeline.moments()) {
    if (m.step != StepId::concat) continue;
    const StepViewMoment shown = stepViewMoment(*trace, s, m, 0.0);
    EXPECT_EQ(shown.head, m.from);
    for (Index col = 0; col < 24; ++col) EXPECT_EQ(isVeiled(shown, 1, col), col / 6 > m.from);
  }
}

}  // namespace
}  // namespace headscope::ui
