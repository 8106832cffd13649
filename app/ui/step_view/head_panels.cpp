#include "app/ui/step_view/head_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/head_switch.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/parts/matrix_marks.h"
#include "app/ui/selection.h"
#include "app/ui/step_view/step_view_matrix.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

class HeadGridPanel {
 public:
  HeadGridPanel(const PanelContext& panel, TensorId tensor, const std::optional<HeadGridPlay>& play)
      : panel_(panel),
        look_(panel.look),
        tensor_(tensor),
        play_(play),
        list_(ImGui::GetWindowDrawList()),
        tiles_(panel, panel.magnitudes, tensor, panel.frame.gradientsThere),
        room_(Rect::rest()) {
    const AttentionConfig& c = panel.trace.config();
    room_.cutRight(colorBarWidth(look_) + look_.space.large);
    if (play) room_.cutBottom(play->roomBelow);
    const TensorInfo& t = info(tensor);
    names_.rows = laneTokens(panel.trace, t.rows == Axis::query ? Lane::query : Lane::key,
                             panel.selection.item);
    names_.rowCurves = laneCurves(look_, panel.trace, Lane::query, panel.selection.item);
    if (t.cols == Axis::key) {
      names_.columns = laneTokens(panel.trace, Lane::key, panel.selection.item);
      names_.columnCurves = names_.rowCurves;
    }
    names_.font = look_.fonts.tiny;
    const MatrixRef first = tiles_.ref(0);
    TileSpace space;
    space.count = count_ = headCount(tensor, c);
    space.room = room_.size();
    space.aspect = t.cols == Axis::key ? matrixAspect(first.rows, first.cols) : ImVec2(1.6F, 1.0F);
    space.title = look_.px(18);
    const AxisLabels rows{names_.rows, names_.font, 0, 0, -1, look_.px(60), names_.rowCurves};
    space.left = rows.width() + look_.px(5);
    space.below = look_.px(30) + names_.columnCurves.room(names_.font);
    space.scale = look_.scale;
    grid_ = layoutTiles(space);
  }

  void draw() {
    std::optional<Hover> hovered;
    for (Index h = 0; h < count_; ++h) {
      tiles_.add(h, picture(h));
      if (!hovered) hovered = tiles_.pick(h, picture(h));
    }
    if (hovered) {
      names_.litRow = hovered->row;
      names_.litColumn = hovered->colLane == Lane::key ? hovered->col : -1;
    }
    if (const auto& chosen = panel_.selection.cell) {
      const TensorInfo& shown = info(tensor_);
      const TensorInfo& t = info(chosen->tensor);
      if (t.rows == shown.rows) names_.chosenRow = chosen->row;
      if (t.cols == Axis::key && shown.cols == Axis::key) names_.chosenColumn = chosen->col;
    }
    tiles_.draw(list_);
    for (Index h = 0; h < count_; ++h) {
      tile(h);
      if (hovered && info(tensor_).rows == Axis::query) {
        lightTile(look_, list_, tiles_.ref(h).placedAt(picture(h)), names_.litRow,
                  names_.litColumn);
      }
      item(h);
    }
    colorBar(look_, tiles_.scale(), {room_.b.x + look_.px(10), room_.a.y + grid_.title},
             std::min(room_.height() - grid_.title - look_.px(8), look_.px(160)));
    panel_.frame.hovered = hovered;
  }

 private:
  Rect picture(Index head) const { return grid_.pictureAt(room_.a, head); }

  void tile(Index head) {
    const Rect at = picture(head);
    const AttentionConfig& c = panel_.trace.config();
    const bool kv = info(tensor_).kvHeads;
    const MatrixRef ref = tiles_.ref(head);
    drawNumbers(look_, list_, ref.placedAt(at), tiles_.scale(), stepViewNumbers(panel_.trace, ref));
    if (play_ && head >= play_->reached) {
      list_->AddRectFilled(at.a, at.b, veilColor(look_.theme));
    }
    if (!kv) drawOff(panel_, list_, head, at.a, at.b);
    const ImU32 color = headColor(look_.theme, static_cast<std::size_t>(head));
    const bool wide = at.width() > look_.px(46);
    drawText(list_, wide ? look_.fonts.small : look_.fonts.tiny,
             {at.a.x, grid_.place0(room_.a, head).y + look_.space.hair}, color,
             wide ? fmt::format("{} {}", count_ < c.numHeads ? "K, V" : tr("Head"), head + 1)
                  : std::to_string(head + 1));
    const bool chosen = head == headIn(tensor_, panel_.selection.head, c);
    const Rect frame = at.outset(1.0F);
    list_->AddRect(frame.a, frame.b, chosen ? color : look_.theme.panelBorder, 0, 0,
                   look_.px(chosen ? 2.0F : 1.0F));
    if (panel_.selection.cell) frameCell(look_, list_, {ref, at}, *panel_.selection.cell);
    for (const CellRef& cell : panel_.frame.pointed) frameCell(look_, list_, {ref, at}, cell);
    drawTileNames(look_, list_, grid_, head, count_, at, names_);
  }

  void item(Index head) {
    const Rect at = picture(head);
    const ImVec2 corner(at.a.x, grid_.place0(room_.a, head).y);
    ImGui::SetCursorScreenPos(corner);
    ImGui::PushID(static_cast<int>(head));
    if (ImGui::InvisibleButton("head", {at.width(), at.height() + grid_.title})) {
      panel_.selection.head = queryHeadOf(tensor_, panel_.trace.config(), head);
      if (const auto clicked = tiles_.pick(head, at)) panel_.selection.cell = clicked->cell;
    }
    ImGui::PopID();
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  TensorId tensor_;
  const std::optional<HeadGridPlay>& play_;
  ImDrawList* list_;
  HeadTiles tiles_;
  Rect room_;
  Index count_ = 1;
  TileNames names_;
  TileGrid grid_;
};

}  // namespace

Index queryHeadOf(TensorId tensor, const AttentionConfig& c, Index head) {
  return info(tensor).kvHeads ? head * c.headsPerGroup() : head;
}

void headGrid(const PanelContext& panel, TensorId tensor, const std::optional<HeadGridPlay>& play) {
  HeadGridPanel(panel, tensor, play).draw();
}

}  // namespace headscope::ui
