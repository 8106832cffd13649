// The card of all heads: every head as a heatmap or as lines, in a grid that fits the number of
// heads and the window; compared heads side by side; long inputs in parts.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/gl/scene.h"
#include "app/ui/frame_state.h"
#include "app/ui/heads/all_heads.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/selection.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kComparedShare = 0.66F;  // the compared heads' largest share of the height
constexpr float kPairShare = 0.5F;       // the same limit for the chosen head's norm-weighted row
constexpr float kNameRoom = 60.0F;       // points, for a tile's title and labels

/// One frame of the card.
class AllHeads {
 public:
  struct Memory {
    std::optional<HeadPictures> pictures;  // the latest, for the panel's content
    TileMouse mouse;
    CellStep step;
    bool takesWheel = false;  // whether the mouse is on a tile
  };

  AllHeads(const PanelContext& panel, Memory& memory)
      : panel_(panel),
        look_(panel.look),
        view_(panel.headsView),
        memory_(memory),
        state_(headsState(panel, measuredHeads(panel).figures)),
        source_(pictureSource(state_.trace, view_, state_.item)),
        shown_(visibleTokens(panel)) {
    if (memory_.pictures && memory_.pictures->source.kind != source_.kind) {
      memory_.pictures.reset();
    }
  }

  void draw() {
    gridControls(panel_, state_, scaleOf(commonRange(state_, gridSet())), memory_.step);
    layOut();
    const std::string_view problem = wantPictures();
    if (!memory_.pictures && !problem.empty()) {
      label(look_.fonts.regular, look_.theme.bad, problem);
      return;
    }
    for (HeadTileGroup* group : {&grid_, &side_}) setPictures(*group);
    lightHovered();
    headTiles(panel_, state_, grid_, shown_, memory_.mouse);
    if (!side_.tiles.empty()) {
      sideHeadingRow();
      headTiles(panel_, state_, side_, shown_, memory_.mouse);
    }
    if (minimapWidth(panel_) > 0.0F && !state_.arcs()) {
      const HeadPicture chosen{HeadPicture::Of::head, state_.head, 0};
      const float high =
          memory_.pictures ? memory_.pictures->parts->overview.largestOf(chosen) : 1.0F;
      minimap(panel_, state_, grid_.drawn, shown_, scaleOf(rangeTo(state_, high)), memory_.step,
              minimapAt_);
    }
    if (!ImGui::IsMouseDown(0)) memory_.mouse = {};
  }

 private:
  const PictureSet* gridSet() const {
    return memory_.pictures ? memory_.pictures->grid.get() : nullptr;
  }

  /// Requests the pictures of both groups; returns the reason where they cannot be computed.
  std::string_view wantPictures() {
    const auto specOf = [&](const HeadTileGroup& group) {
      const ImVec2 size = group.grid.size;
      return picturesOf(state_, group.tiles,
                        {size.x, size.y, look_.scene.pixelsPerPoint, look_.scale});
    };
    const PictureSpec grid = specOf(grid_);
    memory_.step = {grid.blocks.rows.step, grid.blocks.cols.step};
    const auto found = headPictures(panel_.computations, panel_.traceHeld, source_, grid,
                                    specOf(side_), memory_.pictures);
    if (found.last != nullptr && found.last->source.kind == source_.kind) {
      if (gridSet() != found.last->grid.get()) *look_.wantsFrame = true;  // for its scale
      memory_.pictures = *found.last;
    }
    return found.problem;
  }

  void layOut() {
    ImGui::Dummy({1.0F, look_.space.thin});
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    ImVec2 room = ImGui::GetContentRegionAvail();
    const float right = minimapWidth(panel_);
    room.x -= right;
    minimapAt_ = {origin.x + room.x + look_.space.large, origin.y};
    const float heading = ImGui::GetFrameHeight() + look_.space.small;
    ImVec2 below(room.x, 0.0F);
    side_ = group("compared", sideTiles(state_));
    side_.framesCompared = false;
    if (!side_.tiles.empty()) {
      // this height lets the pictures fill the width
      const ImVec2 aspect = pictureAspect(shown_, view_.drawing);
      const float place = room.x / static_cast<float>(side_.tiles.size());
      const float share = comparing() ? kComparedShare : kPairShare;
      below.y =
          std::min(heading + look_.px(kNameRoom) + place * aspect.y / aspect.x, room.y * share);
      room.y -= below.y;
    }
    grid_ = group("grid", gridTiles(state_));
    const auto* stories = state_.arcs() ? storiesOf(panel_) : nullptr;
    if (stories != nullptr) noteArcs(state_, *stories, grid_.tiles);
    layOutHeadTiles(grid_, look_, shown_, origin, room);
    if (side_.tiles.empty()) return;
    const float spare = std::max(0.0F, room.y - usedHeight(grid_) - look_.space.medium);
    headingAt_ = {origin.x, origin.y + room.y - spare};
    below.y += spare;
    layOutHeadTiles(side_, look_, shown_, {origin.x, headingAt_.y + heading},
                    {below.x, below.y - heading});
  }

  bool comparing() const {
    return !comparedHeads(view_.compared, state_.trace.config().numHeads).empty();
  }

  HeadTileGroup group(const char* id, std::vector<GridTile> tiles) const {
    HeadTileGroup group;
    group.id = id;
    group.lines = state_.lines();
    group.arcs = state_.arcs();
    group.tiles = std::move(tiles);
    return group;
  }

  ColorScale scaleOf(const PictureRange& range) const {
    if (range.diverging) return divergingScale(look_, range.high);
    const bool allZero = range.high <= 0.0F;
    ColorScale scale = sequentialScale(look_, 0.0F, allZero ? 1.0F : range.high);
    scale.allZero = allZero;
    return scale;
  }

  /// Gives a group its pictures and their scales; with scales of their own, titles name them.
  void setPictures(HeadTileGroup& group) const {
    if (memory_.pictures) {
      group.drawn = &*memory_.pictures;
      group.set = &group == &grid_ ? group.drawn->grid : group.drawn->compared;
    }
    for (GridTile& tile : group.tiles) {
      const PictureRange range = rangeOf(state_, tile.picture, group.set.get(), gridSet());
      group.scales.push_back(scaleOf(range));
      if (!view_.ownScale || state_.arcs()) continue;
      const float largest = group.set == nullptr ? 0.0F : group.set->largestOf(tile.picture);
      tile.title.addFigure((range.diverging ? "± " : "max ") + number(largest, 2));
    }
  }

  /// Draws the heading of the tiles below the grid: their description, the scale of a difference,
  /// and a pill that ends the comparison.
  void sideHeadingRow() {
    ImGui::GetWindowDrawList()->AddLine(
        {headingAt_.x, headingAt_.y - look_.space.thin},
        {headingAt_.x + ImGui::GetContentRegionAvail().x, headingAt_.y - look_.space.thin},
        look_.theme.divider);
    ImGui::SetCursorScreenPos({headingAt_.x, headingAt_.y + look_.space.thin});
    inlineLabel(look_, look_.fonts.regular, look_.theme.text, sideHeading(state_));
    const HeadPicture::Of last = side_.tiles.back().picture.of;
    const bool aboutZero = last == HeadPicture::Of::difference || last == HeadPicture::Of::shift;
    if (aboutZero && !view_.ownScale) {
      ImGui::SameLine(0.0F, look_.space.large);
      colorStrip(look_, side_.scales.back(), look_.px(90));
    }
    if (!comparing()) return;
    ImGui::SameLine(0.0F, look_.space.large);
    if (pill(look_, tr("clear##compared"))) view_.compared.clear();
  }

  /// Highlights the cell under the mouse in every tile; without one, the cell hovered in another
  /// card, else the chosen query.
  void lightHovered() {
    const std::optional<Hover> elsewhere = panel_.frame.hovered;
    std::optional<Hover> hovered;
    if (!memory_.mouse.dragging) {
      hovered = pickInTiles(panel_, state_, grid_, shown_);
      if (!hovered) hovered = pickInTiles(panel_, state_, side_, shown_);
    }
    memory_.takesWheel = hovered.has_value();
    panel_.frame.hovered = hovered;
    const auto& lit = hovered ? hovered : elsewhere;
    if (lit) {
      if (lit->rowLane == Lane::query) shown_.litQuery = lit->row;
      if (lit->colLane == Lane::key) shown_.litKey = lit->col;
    } else if (const auto& chosen = panel_.selection.cell) {
      if (info(chosen->tensor).rows == Axis::query) shown_.litQuery = chosen->row;
    }
    shown_.asked = asked();
  }

  /// Returns the query that the looks card shows and the key that it names: the chosen key, else
  /// the one at which the chosen head looks most.
  LooksAt asked() const {
    const AttentionConfig& c = panel_.trace.config();
    LooksAt at{view_.query < c.seqLen ? view_.query : -1, view_.key < c.keys() ? view_.key : -1};
    at.query = queryOr(at, c);
    if (at.key >= 0 || c.keys() > kShortInput) return at;
    CellRef cell{TensorId::weights, panel_.selection.item, panel_.selection.head, at.query, 0};
    float most = -1.0F;
    for (; cell.col < c.keys(); ++cell.col) {
      const float weight = panel_.trace.value(cell);
      if (weight > most) most = weight, at.key = cell.col;
    }
    return at;
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  HeadsView& view_;
  Memory& memory_;
  HeadsState state_;
  PictureSource source_;
  VisibleTokens shown_;
  HeadTileGroup grid_, side_;
  ImVec2 headingAt_, minimapAt_;
};

class AllHeadsCard final : public Card {
 public:
  AllHeadsCard()
      : Card({"all heads", tr("All heads"), tr("every head's weights next to each other")}) {}
  void draw(const PanelContext& panel) override { AllHeads(panel, memory_).draw(); }
  bool takesWheel() const override { return memory_.takesWheel; }

 private:
  AllHeads::Memory memory_;
};

}  // namespace

std::unique_ptr<Card> makeAllHeadsCard() { return std::make_unique<AllHeadsCard>(); }

}  // namespace headscope::ui
