// The card of all heads: every head as a heatmap or as lines, in a grid that fits the number of
// heads and the window; compared heads side by side; long inputs in parts.
#include <fmt/format.h>

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
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kComparedShare = 0.66F;  // the compared heads' largest share of the height
constexpr float kPairShare = 0.5F;       // the same limit for the chosen head's norm-weighted row
constexpr float kLeastShift = 0.01F;     // smaller shifts are mostly rounding and stay uncoloured
constexpr float kNameRoom = 60.0F;       // points, for a tile's title and labels

/// One frame of the card.
class AllHeads {
 public:
  struct Memory {
    std::optional<HeadPictures> pictures;  // the latest, for the panel's content
    TileMouse mouse;
    Index queryStep = 1, keyStep = 1;  // tokens per drawn cell
    bool takesWheel = false;           // whether the mouse is on a tile
  };

  AllHeads(const PanelContext& panel, Memory& memory, const Figures* figures)
      : panel_(panel),
        look_(panel.look),
        c_(panel.trace.config()),
        view_(panel.headsView),
        memory_(memory),
        figures_(figures),
        shown_(visibleTokens(panel)),
        range_(weightRange(panel.trace, panel.selection.item, -1)),
        compared_(comparedHeads(view_.compared, c_.numHeads)) {
    if (memory_.pictures && memory_.pictures->source.kind != pictureSource(panel).kind) {
      memory_.pictures.reset();
    }
    fillSide();
  }

  void draw() {
    gridControls(panel_, figures_, {oneScale(), memory_.queryStep, memory_.keyStep});
    layOut();
    const std::string_view problem = wantPictures();
    if (!memory_.pictures && !problem.empty()) {
      label(look_.fonts.regular, look_.theme.bad, problem);
      return;
    }
    for (HeadTileGroup* group : {&grid_, &comparison_}) {
      if (memory_.pictures) {
        group->drawn = &*memory_.pictures;
        group->set = group == &grid_ ? group->drawn->grid : group->drawn->compared;
      }
      setScales(*group);
    }
    lightHovered();
    if (!side_.empty()) comparisonHeading();
    headTiles(panel_, grid_, shown_, memory_.mouse);
    if (!side_.empty()) headTiles(panel_, comparison_, shown_, memory_.mouse);
    if (minimapWidth(panel_) > 0.0F) {
      const HeadPicture chosen{HeadPicture::Of::head, panel_.selection.head, 0};
      const float high =
          memory_.pictures ? memory_.pictures->parts->overview.largestOf(chosen) : 1.0F;
      minimap(panel_, grid_.drawn, shown_, {scaleTo(high), memory_.queryStep, memory_.keyStep},
              minimapAt_);
    }
    if (!ImGui::IsMouseDown(0)) memory_.mouse = {};
  }

 private:
  bool lines() const { return view_.drawing == GridDrawing::lines; }
  bool normWeighted() const { return view_.content == GridContent::normWeighted; }
  bool meanTile() const { return view_.meanShown && !normWeighted(); }
  bool difference() const { return compared_.size() == 2 && !lines(); }

  /// Lists the pictures side by side below the grid: the compared heads or, for norm-weighted
  /// content, each head's plain weights, its norm-weighted matrix and their difference. Without
  /// compared heads, norm-weighted content shows the chosen head there.
  void fillSide() {
    std::vector<Index> heads = compared_;
    if (heads.empty() && normWeighted()) heads = {panel_.selection.head};
    for (const Index head : heads) {
      if (normWeighted()) side_.push_back({HeadPicture::Of::plain, head, 0});
      side_.push_back({HeadPicture::Of::head, head, 0});
      if (normWeighted() && !lines()) side_.push_back({HeadPicture::Of::shift, head, 0});
    }
    if (difference()) side_.push_back({HeadPicture::Of::difference, compared_[0], compared_[1]});
  }

  /// Requests the pictures of both groups; returns the reason where they cannot be computed.
  std::string_view wantPictures() {
    const PictureSpec grid = specOf(grid_, true);
    memory_.queryStep = grid.blocks.rows.step;
    memory_.keyStep = grid.blocks.cols.step;
    const auto found = headPictures(panel_, grid, specOf(comparison_, false), memory_.pictures);
    if (found.last != nullptr && found.last->source.kind == pictureSource(panel_).kind) {
      const bool anew = !memory_.pictures || memory_.pictures->grid != found.last->grid;
      if (anew) *look_.wantsFrame = true;  // the controls show its scale
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
    if (!side_.empty()) {
      // this height lets the pictures fill the width
      const ImVec2 aspect = pictureAspect(shown_, lines());
      const float place = room.x / static_cast<float>(side_.size());
      const float share = compared_.empty() ? kPairShare : kComparedShare;
      below.y =
          std::min(heading + look_.px(kNameRoom) + place * aspect.y / aspect.x, room.y * share);
      room.y -= below.y;
    }
    grid_ = group("grid", gridTiles());
    layOutHeadTiles(grid_, look_, shown_, origin, room);
    if (side_.empty()) return;
    const float spare = std::max(0.0F, room.y - usedHeight(grid_) - look_.space.medium);
    headingAt_ = {origin.x, origin.y + room.y - spare};
    below.y += spare;
    comparison_ = group("compared", sideTiles());
    comparison_.framesCompared = false;
    layOutHeadTiles(comparison_, look_, shown_, {origin.x, headingAt_.y + heading},
                    {below.x, below.y - heading});
  }

  HeadTileGroup group(const char* id, std::vector<HeadTile> tiles) const {
    HeadTileGroup group;
    group.id = id;
    group.lines = lines();
    group.figures = figures_;
    group.tiles = std::move(tiles);
    return group;
  }

  /// Returns the pictures that a group needs. Grid pictures are in the order of the heads, whatever
  /// the order of the tiles.
  PictureSpec specOf(const HeadTileGroup& group, bool all) const {
    PictureSpec spec;
    const float pixels = look_.scene.pixelsPerPoint;
    ImVec2 cells(group.grid.size.x * pixels, group.grid.size.y * pixels);
    spec.how = view_.pooling == Pooling::mean ? Reduction::mean : Reduction::largest;
    if (lines()) {
      const Index heads = all ? c_.numHeads : static_cast<Index>(side_.size());
      const auto ends = static_cast<float>(lineEnds(group.grid.size.y, heads, look_.scale));
      cells = {ends, ends};
      spec.how = Reduction::share;
    }
    spec.blocks = {blocksFor(shown_.queries, c_.seqLen, cells.y),
                   blocksFor(shown_.keys, c_.keys(), cells.x)};
    if (!all) {
      spec.pictures = side_;
      return spec;
    }
    for (Index h = 0; h < c_.numHeads; ++h) {
      spec.pictures.push_back({HeadPicture::Of::head, h, 0});
    }
    if (meanTile()) spec.pictures.push_back({HeadPicture::Of::mean, 0, 0});
    return spec;
  }

  /// Whether cells may be below 0. Only a pin makes a weight negative; lengths never are.
  bool belowZero() const { return !normWeighted() && range_.low < 0.0F; }
  /// Returns the largest magnitude of a weight: 1, or more where the weights exceed it.
  float mostWeight() const { return range_.magnitude(); }

  ColorScale scaleTo(float high) const {
    if (belowZero()) return divergingScale(look_, high);
    ColorScale scale = sequentialScale(look_, 0.0F, high);
    scale.allZero = high <= 0.0F;
    if (scale.allZero) scale.high = 1.0F;
    return scale;
  }

  bool plainToOne() const { return lines() || c_.keys() <= kShortInput; }

  /// Returns the common scale of all heads: up to the largest possible weight for short inputs,
  /// else up to the largest cell drawn.
  ColorScale oneScale() const {
    const bool toOne = !normWeighted() && plainToOne();
    const bool drawn = memory_.pictures && memory_.pictures->grid != nullptr;
    return scaleTo(toOne || !drawn ? mostWeight() : memory_.pictures->grid->largestOfAll());
  }

  ColorScale scaleOf(const HeadTileGroup& group, const HeadPicture& picture) const {
    const bool own = view_.ownScale;
    const float largest = group.set == nullptr ? 0.0F : group.set->largestOf(picture);
    const float ofKind = group.set == nullptr ? 0.0F : group.set->largestOf(picture.of);
    switch (picture.of) {
      case HeadPicture::Of::difference:
        return divergingScale(look_, own ? largest : oneScale().high);
      case HeadPicture::Of::shift:
        return divergingScale(look_, std::max(kLeastShift, own ? largest : ofKind));
      case HeadPicture::Of::plain:
        if (!own) return scaleTo(plainToOne() ? mostWeight() : ofKind);
        break;
      case HeadPicture::Of::head:
      case HeadPicture::Of::mean:
        if (!own) return oneScale();
        break;
    }
    return scaleTo(largest);
  }

  HeadTile tileOf(const HeadPicture& picture) const {
    HeadTile tile;
    tile.picture = picture;
    const bool ofHead = picture.of == HeadPicture::Of::head ||
                        picture.of == HeadPicture::Of::plain ||
                        picture.of == HeadPicture::Of::shift;
    tile.color =
        ofHead ? headColor(look_.theme, static_cast<std::size_t>(picture.head)) : look_.theme.text;
    tile.title.name = nameOf(picture);
    tile.title.shortName = fmt::format("{}", picture.head + 1);
    if (picture.of == HeadPicture::Of::mean) tile.title.shortName = "Mean";
    if (picture.of == HeadPicture::Of::difference) {
      tile.title.shortName = fmt::format("{} − {}", picture.head + 1, picture.other + 1);
    }
    return tile;
  }

  HeadTile headTile(const HeadPicture& picture) const {
    HeadTile tile = tileOf(picture);
    const Index head = picture.head;
    tile.title = headTitle(panel_, figures_, head);
    const float gain = c_.gain(head);
    if (gain == 0.0F) addFigure(tile.title, "off");
    if (gain != 0.0F && gain != 1.0F) addFigure(tile.title, fmt::format("× {:g}", gain));
    const auto by = metricFromKey(view_.sortBy);
    if (by && figures_ != nullptr) {
      const MetricValue& value = figures_->report.metrics[static_cast<std::size_t>(head)][*by];
      addFigure(tile.title, value ? number(*value, 3) : "not defined");
    }
    return tile;
  }

  static void addFigure(TileTitle& title, const std::string& figure) {
    title.figure += (title.figure.empty() ? "" : " · ") + figure;
  }

  std::vector<HeadTile> gridTiles() const {
    static const std::vector<HeadMetrics> kNone;
    const auto& metrics = figures_ == nullptr ? kNone : figures_->report.metrics;
    std::vector<HeadTile> tiles;
    for (const Index head : headOrder(metrics, view_.sortBy, c_.numHeads)) {
      tiles.push_back(headTile({HeadPicture::Of::head, head, 0}));
    }
    if (meanTile()) tiles.push_back(tileOf({HeadPicture::Of::mean, 0, 0}));
    return tiles;
  }

  std::vector<HeadTile> sideTiles() const {
    std::vector<HeadTile> tiles;
    for (const HeadPicture& picture : side_) {
      const bool whole = picture.of == HeadPicture::Of::head && !normWeighted();
      tiles.push_back(whole ? headTile(picture) : tileOf(picture));
      if (!normWeighted() || picture.of == HeadPicture::Of::difference) continue;
      const std::string what = picture.of == HeadPicture::Of::plain   ? "weights A"
                               : picture.of == HeadPicture::Of::shift ? "difference"
                                                                      : "‖A v W_O‖";
      TileTitle& title = tiles.back().title;
      // for a single head the heading gives its number
      (compared_.size() < 2 ? title.name : title.made) = what;
    }
    return tiles;
  }

  void setScales(HeadTileGroup& group) const {
    for (HeadTile& tile : group.tiles) {
      tile.scale = scaleOf(group, tile.picture);
      if (!view_.ownScale) continue;
      const float largest = group.set == nullptr ? 0.0F : group.set->largestOf(tile.picture);
      addFigure(tile.title, (tile.scale.diverging ? "± " : "max ") + number(largest, 2));
    }
  }

  /// Draws the heading of the comparison: its description, the scale of the difference, and a pill
  /// that clears it.
  void comparisonHeading() {
    ImGui::GetWindowDrawList()->AddLine(
        {headingAt_.x, headingAt_.y - look_.space.thin},
        {headingAt_.x + ImGui::GetContentRegionAvail().x, headingAt_.y - look_.space.thin},
        look_.theme.divider);
    ImGui::SetCursorScreenPos({headingAt_.x, headingAt_.y + look_.space.thin});
    inlineLabel(look_, look_.fonts.regular, look_.theme.text, comparisonWords());
    const HeadPicture& last = side_.back();
    const bool aboutZero =
        last.of == HeadPicture::Of::difference || last.of == HeadPicture::Of::shift;
    if (aboutZero && !view_.ownScale) {
      ImGui::SameLine(0.0F, look_.space.large);
      colorStrip(look_, scaleOf(comparison_, last), look_.px(90));
    }
    if (compared_.empty()) return;
    ImGui::SameLine(0.0F, look_.space.large);
    if (pill(look_, "clear##compared")) view_.compared.clear();
  }

  std::string comparisonWords() const {
    if (normWeighted() && compared_.size() < 2) {
      return fmt::format("Head {}: its weights, what they move{}", side_.front().head + 1,
                         lines() ? "" : ", and the difference");
    }
    if (compared_.size() == 1) {
      return fmt::format("Head {}: compare another with it", compared_[0] + 1);
    }
    return difference() ? "Side by side, and their difference" : "Side by side";
  }

  /// Highlights the cell under the mouse in every tile; without one, the cell hovered in another
  /// card, else the chosen query.
  void lightHovered() {
    const std::optional<Hover> elsewhere = panel_.frame.hovered;
    std::optional<Hover> hovered;
    if (!memory_.mouse.dragging) {
      hovered = pickInTiles(panel_, grid_, shown_);
      if (!hovered && !side_.empty()) hovered = pickInTiles(panel_, comparison_, shown_);
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
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const AttentionConfig& c_;
  HeadsView& view_;
  Memory& memory_;
  const Figures* figures_;
  VisibleTokens shown_;
  WeightRange range_;  // of all heads
  std::vector<Index> compared_;
  std::vector<HeadPicture> side_;
  HeadTileGroup grid_, comparison_;
  ImVec2 headingAt_, minimapAt_;
};

class AllHeadsCard final : public Card {
 public:
  AllHeadsCard() : Card({"all heads", "All heads", "every head's weights next to each other"}) {}
  void draw(const PanelContext& panel) override {
    AllHeads(panel, memory_, measuredHeads(panel).figures).draw();
  }
  bool takesWheel() const override { return memory_.takesWheel; }

 private:
  AllHeads::Memory memory_;
};

}  // namespace

std::unique_ptr<Card> makeAllHeadsCard() { return std::make_unique<AllHeadsCard>(); }

}  // namespace headscope::ui
