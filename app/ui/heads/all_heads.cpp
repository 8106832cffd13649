#include "app/ui/heads/all_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/axis_labels.h"
#include "app/ui/color_bar.h"
#include "app/ui/heads/grid_controls.h"
#include "app/ui/heads/head_lines.h"
#include "app/ui/heads/head_order.h"
#include "app/ui/heads/minimap.h"
#include "app/ui/heads/token_zoom.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kMostStretched = 4.0F;   // a picture's longer side to its shorter one
constexpr float kLongLabelled = 150.0F;  // points
constexpr float kComparedShare = 0.66F;  // of the height, at most

ImVec2 aspectOf(const TokensShown& shown) {
  const ImVec2 aspect = matrixAspect(shown.queries.count, shown.keys.count);
  return {std::min(aspect.x, kMostStretched), std::min(aspect.y, kMostStretched)};
}

class AllHeads {
 public:
  AllHeads(const Panel& panel, AllHeadsMemory& memory, const Figures* figures)
      : panel_(panel),
        look_(panel.look),
        c_(panel.trace.config()),
        view_(panel.view.heads),
        memory_(memory),
        figures_(figures),
        shown_(tokensShown(panel)),
        compared_(comparedHeads(view_.compared, c_.numHeads)) {}

  void draw() {
    memory_.pictures.take(panel_);
    const GridControls controls{oneScale(memory_.pictures.drawn()), memory_.queryStep,
                                memory_.keyStep};
    gridControls(panel_, figures_, controls);
    layOut();
    PictureSpec grid = specOf(grid_, true);
    PictureSpec compared = specOf(comparison_, false);
    memory_.queryStep = grid.blocks.rowStep;
    memory_.keyStep = grid.blocks.colStep;
    memory_.pictures.follow(panel_, grid, compared);
    const HeadPictures::Drawn* drawn = memory_.pictures.drawn();
    if (drawn == nullptr && !memory_.pictures.error().empty()) {
      label(look_.fonts.regular, look_.theme.bad, memory_.pictures.error());
      return;
    }
    grid_.drawn = comparison_.drawn = drawn;
    if (drawn != nullptr) {
      grid_.set = drawn->grid.get();
      comparison_.set = drawn->compared.get();
    }
    fillGrid();
    fillComparison();
    lightHovered();
    if (!compared_.empty()) comparisonHeading();
    headTiles(panel_, grid_, shown_, memory_.mouse);
    if (!compared_.empty()) headTiles(panel_, comparison_, shown_, memory_.mouse);
    if (minimapWidth(panel_) > 0.0F) {
      const float high = drawn == nullptr ? 1.0F : overviewLargest(*drawn);
      minimap(panel_, drawn, shown_, scaleTo(high), {memory_.queryStep, memory_.keyStep},
              minimapAt_);
    }
    if (!ImGui::IsMouseDown(0)) memory_.mouse = {};
  }

 private:
  bool lines() const { return view_.drawing == GridDrawing::lines; }
  bool meanTile() const { return view_.meanShown && view_.content == GridContent::weights; }

  HeadTileGroup groupAt(const char* id, ImVec2 origin, ImVec2 room, Index count) const {
    HeadTileGroup group;
    group.id = id;
    group.origin = origin;
    group.lines = lines();
    group.font = count <= 4 ? look_.fonts.small : look_.fonts.tiny;
    const auto widthOf = [&](const std::vector<std::string>& labels) {
      return labelWidth(group.font, labels, look_.px(64)) + look_.px(10);
    };
    TileSpace space;
    space.count = count;
    space.room = room;
    space.aspect = aspectOf(shown_);
    space.title = look_.px(22);
    space.left = widthOf(shown_.queryLabels);
    space.scale = look_.scale;
    // of many tokens few labels can stand: not at the cost of the pictures
    if (std::max(shown_.queries.count, shown_.keys.count) > kShortInput) {
      space.labelledFrom = kLongLabelled;
    }
    if (lines()) {
      space.aspect = {1.0F, 1.0F};
      space.left = std::max(space.left, widthOf(shown_.keyLabels));
      space.right = space.left;
    } else {
      space.below = look_.px(32);
    }
    group.grid = layoutTiles(space);
    if (group.grid.size.x < look_.px(kTinyTile)) {
      space.title = look_.px(14);
      space.gap = 6.0F;
      group.grid = layoutTiles(space);
    }
    // in the middle of their places
    const float used = group.grid.size.x + (group.grid.labelled ? space.left + space.right : 0.0F);
    group.origin.x += std::max(0.0F, (group.grid.place.x - used) * 0.5F - look_.px(4));
    return group;
  }

  void layOut() {
    ImGui::Dummy({1.0F, look_.px(2)});
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    ImVec2 room = ImGui::GetContentRegionAvail();
    const float right = minimapWidth(panel_);
    room.x -= right;
    minimapAt_ = {origin.x + room.x + look_.px(14), origin.y};
    const auto count = static_cast<Index>(compared_.size()) + (difference() ? 1 : 0);
    const float heading = ImGui::GetFrameHeight() + look_.px(6);
    ImVec2 below(room.x, 0.0F);
    if (count > 0) {
      below.y = std::min(heading + heightFor(room.x / static_cast<float>(count)),
                         room.y * kComparedShare);
      room.y -= below.y;
    }
    grid_ = groupAt("grid", origin, room, c_.numHeads + (meanTile() ? 1 : 0));
    headingAt_ = {origin.x, origin.y + room.y};
    if (count > 0) {
      comparison_ = groupAt("compared", {origin.x, headingAt_.y + heading},
                            {below.x, below.y - heading}, count);
      comparison_.framesCompared = false;
    }
  }

  /// What tiles that stand beside each other need to be as wide as their places.
  float heightFor(float place) const {
    const ImVec2 aspect = lines() ? ImVec2(1.0F, 1.0F) : aspectOf(shown_);
    return place * aspect.y / aspect.x;
  }

  bool difference() const { return compared_.size() == 2 && !lines(); }

  /// What has to be drawn for a group; pictures in the order of the heads, whatever the tiles' is.
  PictureSpec specOf(const HeadTileGroup& group, bool all) const {
    PictureSpec spec;
    const float pixels = look_.scene.pixelsPerPoint;
    ImVec2 cells(group.grid.size.x * pixels, group.grid.size.y * pixels);
    spec.pool = view_.pooling == Pooling::mean ? Pool::mean : Pool::largest;
    if (lines()) {
      const Index heads = all ? c_.numHeads : static_cast<Index>(compared_.size());
      const auto ends = static_cast<float>(lineEnds(group.grid.size.y, heads, look_.scale));
      cells = {ends, ends};
      spec.pool = Pool::share;
    }
    spec.blocks = cellBlocks(blocksFor(shown_.queries, c_.seqLen, cells.y),
                             blocksFor(shown_.keys, c_.keys(), cells.x));
    if (all) {
      for (Index h = 0; h < c_.numHeads; ++h) spec.pictures.push_back({Picture::Of::head, h, 0});
      if (meanTile()) spec.pictures.push_back({Picture::Of::mean, 0, 0});
    } else {
      for (const Index h : compared_) spec.pictures.push_back({Picture::Of::head, h, 0});
      if (difference()) spec.pictures.push_back(differencePicture());
    }
    return spec;
  }

  Picture differencePicture() const {
    return {Picture::Of::difference, compared_[0], compared_[1]};
  }

  ColorScale scaleTo(float high) const {
    ColorScale scale = colorScale(look_, panel_.view, TensorId::weights, 1.0F);
    scale.allZero = high <= 0.0F;
    scale.high = scale.allZero ? 1.0F : high;
    return scale;
  }
  /// Of all heads: to 1 for the weights of short inputs, else to the largest cell drawn.
  ColorScale oneScale(const HeadPictures::Drawn* drawn) const {
    const bool toOne =
        view_.content == GridContent::weights && (lines() || c_.keys() <= kShortInput);
    if (toOne || drawn == nullptr || drawn->grid == nullptr) return scaleTo(1.0F);
    return scaleTo(drawn->grid->largestOfAll());
  }
  float overviewLargest(const HeadPictures::Drawn& drawn) const {
    const PictureSet& overview = drawn.parts->overview;
    const auto at = overview.find({Picture::Of::head, panel_.view.head, 0});
    return at ? overview.largest[*at] : 1.0F;
  }
  float largestIn(const HeadTileGroup& group, const Picture& picture) const {
    const auto at = group.set == nullptr ? std::nullopt : group.set->find(picture);
    return at ? group.set->largest[*at] : 0.0F;
  }
  ColorScale scaleOf(const HeadTileGroup& group, const Picture& picture) const {
    if (!view_.ownScale) return oneScale(group.drawn);
    return scaleTo(largestIn(group, picture));
  }

  HeadTile headTile(const HeadTileGroup& group, Index head) const {
    const Picture picture{Picture::Of::head, head, 0};
    const auto at = static_cast<std::size_t>(head);
    HeadTile tile{picture, fmt::format("Head {}", head + 1), fmt::format("{}", head + 1), {},
                  {},      headColor(look_.theme, at),       scaleOf(group, picture)};
    std::vector<std::string> figures;
    const float gain = c_.gain(head);
    if (gain == 0.0F) figures.emplace_back("off");
    if (gain != 0.0F && gain != 1.0F) figures.push_back(fmt::format("× {:g}", gain));
    if (view_.ownScale) figures.push_back("max " + number(largestIn(group, picture), 2));
    if (figures_ != nullptr) {
      tile.words = figures_->report.labels[at].title;
      if (const auto by = metricFromKey(view_.sortBy)) {
        const Measured& value = figures_->report.metrics[at][*by];
        figures.push_back(value ? number(*value, 3) : "not defined");
      }
    }
    for (const std::string& figure : figures) {
      tile.figure += (tile.figure.empty() ? "" : " · ") + figure;
    }
    return tile;
  }

  void fillGrid() {
    static const std::vector<HeadMetrics> kNone;
    const auto& metrics = figures_ == nullptr ? kNone : figures_->report.metrics;
    for (const Index head : headOrder(metrics, view_.sortBy, c_.numHeads)) {
      grid_.tiles.push_back(headTile(grid_, head));
    }
    if (!meanTile()) return;
    const Picture picture{Picture::Of::mean, 0, 0};
    HeadTile tile{picture,          "Mean over heads",      "Mean", {}, {},
                  look_.theme.text, scaleOf(grid_, picture)};
    if (view_.ownScale) tile.figure = "max " + number(largestIn(grid_, picture), 2);
    grid_.tiles.push_back(std::move(tile));
  }

  ColorScale differenceScale() const {
    float reach = oneScale(comparison_.drawn).high;
    if (view_.ownScale) reach = largestIn(comparison_, differencePicture());
    return colorScale(look_, panel_.view, TensorId::scores, reach);
  }

  void fillComparison() {
    for (const Index head : compared_) comparison_.tiles.push_back(headTile(comparison_, head));
    if (!difference()) return;
    HeadTile tile{differencePicture(),
                  fmt::format("Head {} − head {}", compared_[0] + 1, compared_[1] + 1),
                  fmt::format("{} − {}", compared_[0] + 1, compared_[1] + 1),
                  {},
                  {},
                  look_.theme.text,
                  differenceScale()};
    comparison_.tiles.push_back(std::move(tile));
  }

  /// "Compared: head 2, head 6", the scale of their difference, and the way out.
  void comparisonHeading() {
    ImGui::GetWindowDrawList()->AddLine(
        {headingAt_.x, headingAt_.y - look_.px(2)},
        {headingAt_.x + ImGui::GetContentRegionAvail().x, headingAt_.y - look_.px(2)},
        look_.theme.divider);
    ImGui::SetCursorScreenPos({headingAt_.x, headingAt_.y + look_.px(2)});
    std::string words = compared_.size() == 1
                            ? fmt::format("Head {}: compare another with it", compared_[0] + 1)
                            : std::string("Side by side");
    if (difference()) words += ", and their difference";
    inlineLabel(look_, look_.fonts.regular, look_.theme.text, words);
    if (difference()) {
      ImGui::SameLine(0.0F, look_.px(14));
      colorStrip(look_, differenceScale(), look_.px(90));
    }
    ImGui::SameLine(0.0F, look_.px(14));
    if (pill(look_, "clear##compared")) view_.compared.clear();
  }

  /// The cell under the mouse in every tile; else what another card points at, else the chosen one.
  void lightHovered() {
    const std::optional<Hover> elsewhere = panel_.view.hovered;
    std::optional<Hover> hovered;
    if (!memory_.mouse.dragging) {
      hovered = pickInTiles(panel_, grid_, shown_);
      if (!hovered && !compared_.empty()) hovered = pickInTiles(panel_, comparison_, shown_);
    }
    memory_.takesWheel = hovered.has_value();
    panel_.view.hovered = hovered;
    const auto& lit = hovered ? hovered : elsewhere;
    if (lit) {
      if (lit->rowLane == Lane::query) shown_.litQuery = lit->row;
      if (lit->colLane == Lane::key) shown_.litKey = lit->col;
    } else if (const auto& chosen = panel_.view.selected) {
      if (info(chosen->tensor).rows == Axis::query) shown_.litQuery = chosen->row;
    }
  }

  const Panel& panel_;
  const Look& look_;
  const AttentionConfig& c_;
  HeadsView& view_;
  AllHeadsMemory& memory_;
  const Figures* figures_;
  TokensShown shown_;
  std::vector<Index> compared_;
  HeadTileGroup grid_, comparison_;
  ImVec2 headingAt_, minimapAt_;
};

}  // namespace

void allHeadsCard(const Panel& panel, AllHeadsMemory& memory, const Figures* figures,
                  FiguresMemory&, Magnitudes&) {
  AllHeads(panel, memory, figures).draw();
}

}  // namespace headscope::ui
