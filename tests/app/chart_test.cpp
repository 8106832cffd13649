// Charts: lines join at every angle, and the names of the axes stand clear of ticks and curves.
#include "app/ui/parts/chart.h"

#include <imgui.h>

#include <cmath>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/train/train_page.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

/// Returns whether an opaque triangle of the list covers a point.
bool covered(const ImDrawList& list, ImVec2 p) {
  for (int i = 0; i + 3 <= list.IdxBuffer.Size; i += 3) {
    const ImDrawVert* corner[3];
    bool opaque = true;
    for (int k = 0; k < 3; ++k) {
      corner[k] = &list.VtxBuffer[list.IdxBuffer[i + k]];
      opaque = opaque && (corner[k]->col >> IM_COL32_A_SHIFT) > 0;
    }
    const auto side = [&](int a, int b) {
      const ImVec2 from = corner[a]->pos, to = corner[b]->pos;
      return (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
    };
    const float s[] = {side(0, 1), side(1, 2), side(2, 0)};
    const bool in = (s[0] >= 0 && s[1] >= 0 && s[2] >= 0) || (s[0] <= 0 && s[1] <= 0 && s[2] <= 0);
    if (opaque && in) return true;
  }
  return false;
}

TEST(Chart, ALineThatTurnsBackSharplyHasNoGaps) {
  AppDriver ui;
  ImDrawList list(ImGui::GetDrawListSharedData());
  beginOwnList(list, {400.0F, 400.0F});
  list.Flags = ImDrawListFlags_AntiAliasedLines | ImDrawListFlags_AntiAliasedFill;
  std::vector<ImVec2> points;
  for (int i = 0; i < 12; ++i) {
    points.push_back({50.0F + 1.5F * static_cast<float>(i), i % 2 == 0 ? 300.0F : 100.0F});
  }
  constexpr ImU32 kColor = IM_COL32(20, 120, 60, 255);
  drawCurve(&list, points, kColor, 1.5F);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    for (float t = 0.02F; t < 0.99F; t += 0.02F) {
      const ImVec2 at(points[i].x + t * (points[i + 1].x - points[i].x),
                      points[i].y + t * (points[i + 1].y - points[i].y));
      for (const float aside : {-0.2F, 0.2F}) {  // the line is opaque so far from its middle
        ASSERT_TRUE(covered(list, {at.x + aside, at.y})) << "part " << i << " at " << t;
      }
    }
  }
}

/// The curves of a run, each with "step" below: between two ticks, or below them.
TEST(Chart, TheNamesOfAxesStandClearOfTheirTicks) {
  for (const auto& [width, height] : {std::pair{1280, 720}, {1600, 1000}, {3840, 2160}}) {
    ViewState view;
    view.selection.page = kTrainPage;
    view.train.curves = true;
    AppDriver ui(presetDocument("original-transformer"), width, height, view);
    ui.press(Key::right);
    const ScreenText screen = ui.screen();
    int names = 0;
    for (const TextRun& run : screen.runs()) {
      const bool here = run.window.find(kCurvesCard) != std::string::npos;
      if (!here || run.text != "step") continue;
      ++names;
      const Spot name = run.spot(0, 4);
      for (const TextRun& other : screen.runs()) {
        if (&other == &run || other.window != run.window) continue;
        const Spot spot = other.spot(0, other.text.size());
        const bool apart = spot.max.x < name.min.x || name.max.x < spot.min.x ||
                           spot.max.y < name.min.y || name.max.y < spot.min.y;
        EXPECT_TRUE(apart) << other.text << " at " << width;
      }
    }
    EXPECT_EQ(names, 3) << width;
  }
}

}  // namespace
}  // namespace headscope::ui
