#include "app/ui/heads/head_tile_group.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/heads/head_lines.h"
#include "app/ui/heads/head_order.h"
#include "app/ui/heads/token_zoom.h"
#include "app/ui/parts/flash.h"
#include "app/ui/parts/matrix_marks.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr Index kFlashedCells = 1 << 18;  // more are not searched for what changed
constexpr double kWheelFactor = 0.8;

MatrixRef partOf(const Picture& picture, Index item, const TokensShown& shown) {
  MatrixRef ref;
  ref.tensor = TensorId::weights;
  ref.item = item;
  ref.head = picture.head;
  ref.row0 = shown.queries.first;
  ref.rows = shown.queries.count;
  ref.col0 = shown.keys.first;
  ref.cols = shown.keys.count;
  return ref;
}

std::uint64_t placeKey(const char* group, const Picture& picture) {
  return static_cast<std::uint64_t>(ImGui::GetID(group)) * 1000003U +
         static_cast<std::uint64_t>(picture.head * 512 + picture.other) * 8U +
         static_cast<std::uint64_t>(picture.of);
}

bool holdsShown(const CellBlocks& blocks, const TokensShown& shown) {
  return blocks.holds(shown.queries.first, shown.queries.count, shown.keys.first, shown.keys.count);
}

class Group {
 public:
  Group(const Panel& panel, const HeadTileGroup& group, const TokensShown& shown)
      : panel_(panel),
        look_(panel.look),
        group_(group),
        shown_(shown),
        list_(ImGui::GetWindowDrawList()),
        cell_(group.grid.size.x / static_cast<float>(shown.keys.count),
              group.grid.size.y / static_cast<float>(shown.queries.count)) {}

  void heatmaps() {
    gl::HeatmapBatch batch;
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < group_.tiles.size(); ++i) {
      if (!addPicture(batch, i)) waiting.push_back(i);
    }
    addHeatmaps(list_, look_.scene, std::move(batch));
    for (const std::size_t i : waiting) drawing(i);
    for (std::size_t i = 0; i < group_.tiles.size(); ++i) marks(i);
  }

  void lines() {
    for (std::size_t i = 0; i < group_.tiles.size(); ++i) {
      const HeadTile& tile = group_.tiles[i];
      const auto at = found(tile.picture);
      if (!at || group_.set->spec.pool != Pool::share ||
          !holdsShown(group_.set->spec.blocks, shown_)) {
        drawing(i);
        continue;
      }
      const LinesPicture picture{group_.set->spec.blocks, group_.set->cells[*at],
                                 shown_.queries,          shown_.keys,
                                 tile.scale.high,         tile.color,
                                 shown_.litQuery};
      drawHeadLines(panel_, picture, group_.a(i), group_.b(i));
    }
  }

  void frame(std::size_t i) const {
    const HeadTile& tile = group_.tiles[i];
    const Theme& t = look_.theme;
    const ImVec2 a = group_.a(i);
    const ImVec2 b = group_.b(i);
    const bool isHead = tile.picture.of == Picture::Of::head;
    const bool chosen = isHead && tile.picture.head == panel_.view.head;
    drawTileTitle(list_, look_, tile.title, tile.color, a, group_.grid.size.x, group_.titleLines);
    list_->AddRect({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1}, t.panelBorder);
    if (!group_.lines) light(a, b);
    const auto& compared = panel_.view.heads.compared;
    if (isHead && group_.framesCompared &&
        std::find(compared.begin(), compared.end(), tile.picture.head) != compared.end()) {
      const float out = look_.px(2.5F);
      list_->AddRect({a.x - out, a.y - out}, {b.x + out, b.y + out}, t.accent, look_.px(2), 0,
                     look_.px(1.5F));
    }
    if (chosen) list_->AddRect({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1}, t.text, 0, 0, look_.px(2));
    if (group_.grid.labelled()) labels(static_cast<Index>(i), a, b);
  }

 private:
  std::optional<std::size_t> found(const Picture& picture) const {
    return group_.set == nullptr ? std::nullopt : group_.set->find(picture);
  }

  /// False where there is nothing to draw it from yet.
  bool addPicture(gl::HeatmapBatch& batch, std::size_t i) const {
    const HeadTile& tile = group_.tiles[i];
    if (group_.drawn == nullptr) return false;
    if (const auto at = found(tile.picture);
        at && group_.set->spec.pool != Pool::share && holdsShown(group_.set->spec.blocks, shown_)) {
      // kept alive by what the source is filled from
      const auto& held =
          group_.set == group_.drawn->grid.get() ? group_.drawn->grid : group_.drawn->compared;
      add(batch, i, std::shared_ptr<const PictureSet>(held), *at);
      return true;
    }
    // coarse, until the part that is shown has been drawn
    const auto at = group_.drawn->parts->overview.find(tile.picture);
    if (!at) return false;
    const auto& parts = group_.drawn->parts;
    add(batch, i, std::shared_ptr<const PictureSet>(parts, &parts->overview), *at);
    return true;
  }

  void add(gl::HeatmapBatch& batch, std::size_t i, const std::shared_ptr<const PictureSet>& set,
           std::size_t at) const {
    const CellBlocks& blocks = set->spec.blocks;
    gl::HeatmapSource source;
    source.rows = static_cast<int>(blocks.down());
    source.cols = static_cast<int>(blocks.across());
    source.key = placeKey(group_.id, group_.tiles[i].picture);
    source.revision = set->serial;
    source.fill = [set, at](float* out) {
      std::copy(set->cells[at].begin(), set->cells[at].end(), out);
    };
    addSource(batch, look_, std::move(source), group_.tiles[i].scale, group_.a(i), group_.b(i));
    gl::HeatmapQuad& quad = batch.quads.back();
    const auto along = [](Index at, Index first, Index step) {
      return static_cast<float>(at - first) / static_cast<float>(step);
    };
    quad.row0 = along(shown_.queries.first, blocks.row0, blocks.rowStep);
    quad.row1 = quad.row0 + along(shown_.queries.count, 0, blocks.rowStep);
    quad.col0 = along(shown_.keys.first, blocks.col0, blocks.colStep);
    quad.col1 = quad.col0 + along(shown_.keys.count, 0, blocks.colStep);
  }

  void drawing(std::size_t i) const {
    const ImVec2 a = group_.a(i);
    const ImVec2 b = group_.b(i);
    list_->AddRectFilled(a, b, look_.theme.field);
    const char* text = group_.grid.size.x > look_.px(60) ? "drawing …" : "…";
    drawTextCentred(list_, look_.fonts.small, {(a.x + b.x) * 0.5F, (a.y + b.y) * 0.5F},
                    look_.theme.textMuted, text);
  }

  /// Pins, dropout, and what the last edit changed.
  void marks(std::size_t i) const {
    const Picture& picture = group_.tiles[i].picture;
    if (picture.of != Picture::Of::head) return;
    if (panel_.view.heads.content != GridContent::weights) return;
    const MatrixRef ref = partOf(picture, panel_.view.item, shown_);
    drawCellMarks(panel_, list_, {ref, group_.a(i), group_.b(i)});
    const Index cells = ref.rows * ref.cols * panel_.trace.config().numHeads;
    if (cells <= kFlashedCells) drawFlash(panel_, ref, group_.a(i), group_.b(i));
  }

  /// The same row and cell in every tile.
  void light(ImVec2 a, ImVec2 b) const {
    const Index row = shown_.litQuery - shown_.queries.first;
    const Index col = shown_.litKey - shown_.keys.first;
    const bool rowShown = shown_.litQuery >= 0 && row >= 0 && row < shown_.queries.count;
    const bool colShown = shown_.litKey >= 0 && col >= 0 && col < shown_.keys.count;
    const ImVec2 cell(std::max(cell_.x, look_.px(3)), std::max(cell_.y, look_.px(3)));
    const float y = a.y + (static_cast<float>(row) + 0.5F) * cell_.y - cell.y * 0.5F;
    const float x = a.x + (static_cast<float>(col) + 0.5F) * cell_.x - cell.x * 0.5F;
    const float line = look_.px(std::min(cell_.x, cell_.y) < look_.px(6) ? 1.0F : 1.5F);
    if (rowShown) list_->AddRect({a.x, y}, {b.x, y + cell.y}, look_.theme.queryText, 0, 0, line);
    if (rowShown && colShown) {
      list_->AddRect({x, y}, {x + cell.x, y + cell.y}, look_.theme.text, 0, 0, line * 1.3F);
    }
  }

  void labels(Index tile, ImVec2 a, ImVec2 b) const {
    const Theme& t = look_.theme;
    const TileGrid& grid = group_.grid;
    const auto lit = [](Index at, const TokenRange& range) {
      return at >= range.first && at < range.first + range.count ? at - range.first : Index{-1};
    };
    const LabelStyle queries{group_.font, t.textMuted, t.queryText,
                             lit(shown_.litQuery, shown_.queries)};
    const float room = std::max(grid.left, grid.edge) - look_.px(5);
    if (grid.labelsLeft(tile)) {
      drawRowLabels(list_, shown_.queryLabels, {a.x - look_.px(5), a.y}, cell_.y, room, queries);
    }
    const LabelStyle keys{group_.font, t.textMuted, t.keyText, lit(shown_.litKey, shown_.keys)};
    if (!group_.lines) {
      if (!grid.labelsBelow(tile, group_.count())) return;
      drawColumnLabels(list_, shown_.keyLabels, {a.x, b.y + look_.px(3)}, cell_.x, look_.px(28),
                       keys);
      return;
    }
    if (!grid.labelsRight(tile, group_.count())) return;
    const float height = grid.size.y / static_cast<float>(shown_.keys.count);
    float width = 0.0F;
    for (const std::string& key : shown_.keyLabels) {
      width = std::max(width, textSize(group_.font, shownToken(key)).x);
      if (width > room) break;
    }
    drawRowLabels(list_, shown_.keyLabels, {b.x + look_.px(5) + std::min(width, room), a.y}, height,
                  room, keys);
  }

  const Panel& panel_;
  const Look& look_;
  const HeadTileGroup& group_;
  const TokensShown& shown_;
  ImDrawList* list_;
  ImVec2 cell_;
};

void zoomAndPan(const Panel& panel, const HeadTileGroup& group, const TokensShown& shown, ImVec2 a,
                TileMouse& mouse) {
  const ImGuiIO& io = ImGui::GetIO();
  HeadsView& view = panel.view.heads;
  const AttentionConfig& c = panel.trace.config();
  const ImVec2 size = group.grid.size;
  if (ImGui::IsItemHovered() && io.MouseWheel != 0.0F) {
    const double factor = std::pow(kWheelFactor, static_cast<double>(io.MouseWheel));
    const auto about = [](float at, float length) {
      return std::clamp(static_cast<double>(at / length), 0.0, 1.0);
    };
    const double y = about(io.MousePos.y - a.y, size.y);
    const double x = group.lines ? y : about(io.MousePos.x - a.x, size.x);
    view.queries = zoomed(view.queries, c.seqLen, factor, y);
    view.keys = zoomed(view.keys, c.keys(), factor, x);
  }
  if (!ImGui::IsItemActive() || !ImGui::IsMouseDragging(0, panel.look.px(4))) return;
  ImVec2 by = io.MouseDelta;
  if (!mouse.dragging) {
    by = ImGui::GetMouseDragDelta(0, 0.0F);
    mouse = {true, {0.0F, 0.0F}};
  }
  if (group.lines) by.x = by.y;
  const auto pan = [](TokenRange& range, Index n, Index count, float points, float length,
                      float& left) {
    const float tokens = left - points / length * static_cast<float>(count);
    const float whole = std::trunc(tokens);
    left = tokens - whole;
    range = moved(range, n, static_cast<Index>(whole));
  };
  pan(view.queries, c.seqLen, shown.queries.count, by.y, size.y, mouse.left.y);
  pan(view.keys, c.keys(), shown.keys.count, by.x, group.lines ? size.y : size.x, mouse.left.x);
}

/// A click opens; the space bar, which presses buttons too, chooses and stays on the page.
void press(const Panel& panel, const Picture& picture, const std::optional<Hover>& at) {
  ViewState& view = panel.view;
  if (picture.of != Picture::Of::head) return;
  if (ImGui::GetIO().KeyCtrl) {
    toggleCompared(view.heads.compared, picture.head);
  } else if (!ImGui::IsMouseReleased(0)) {
    view.head = picture.head;
  } else {
    openHead(view, picture.head);
    if (at && at->cell.head == picture.head && at->col >= 0) view.selected = at->cell;
  }
}

/// What is said of a head where the mouse rests on its title.
void titleTip(const Panel& panel, const HeadTileGroup& group, const Picture& picture, ImVec2 a) {
  if (picture.of != Picture::Of::head || ImGui::GetIO().MousePos.y >= a.y) return;
  if (!ImGui::IsItemHovered()) return;
  const std::string text = headTooltip(panel, group.figures, picture.head);
  if (!text.empty()) tip(panel.look, text);
}

}  // namespace

void headTiles(const Panel& panel, const HeadTileGroup& group, const TokensShown& shown,
               TileMouse& mouse) {
  Group drawn(panel, group, shown);
  if (group.lines) {
    drawn.lines();
  } else {
    drawn.heatmaps();
  }
  ImGui::PushID(group.id);
  for (std::size_t i = 0; i < group.tiles.size(); ++i) {
    drawn.frame(i);
    const Picture& picture = group.tiles[i].picture;
    const ImVec2 a = group.a(i);
    const float title = group.grid.title;
    ImGui::SetCursorScreenPos({a.x, a.y - title});
    ImGui::PushID(static_cast<int>(picture.of) * 4096 + static_cast<int>(picture.head));
    const ImVec2 size(group.grid.size.x, group.grid.size.y + title);
    const bool clicked = picture.of == Picture::Of::head ? ImGui::InvisibleButton("tile", size)
                                                         : pictureArea("tile", size);
    zoomAndPan(panel, group, shown, a, mouse);
    // from 1.89 on Dear ImGui takes Enter for a click
    const bool entered =
        picture.of == Picture::Of::head && ImGui::IsItemFocused() && keyPressed(Key::enter, false);
    if (clicked && !entered && !mouse.dragging) press(panel, picture, panel.view.hovered);
    titleTip(panel, group, picture, a);
    if (entered) openHead(panel.view, picture.head);
    ImGui::PopID();
  }
  ImGui::PopID();
}

}  // namespace headscope::ui
