// The tiles of a group as they are drawn, and what the mouse and the keyboard do on them (see
// all_heads.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/designed_words.h"
#include "app/ui/heads/all_heads.h"
#include "app/ui/heads/figure_words.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/flash.h"
#include "app/ui/parts/matrix_marks.h"
#include "app/ui/widgets.h"
#include "core/analysis/weight_readings.h"

namespace headscope::ui {
namespace {

constexpr Index kFlashedCells = 1 << 18;  // more are not searched for what changed
constexpr double kWheelFactor = 0.8;
constexpr float kMostTileLines = 12000.0F;  // in all pictures together
constexpr float kThinnestLine = 0.6F;       // points
constexpr float kThickestLine = 3.2F;

class TileDrawing {
 public:
  TileDrawing(const Panel& panel, const HeadTileGroup& group, const VisibleTokens& shown)
      : panel_(panel),
        look_(panel.look),
        group_(group),
        shown_(shown),
        list_(ImGui::GetWindowDrawList()) {}

  void heatmaps() const {
    Heatmaps heatmaps(look_);
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < group_.tiles.size(); ++i) {
      if (!addPicture(heatmaps, i)) waiting.push_back(i);
    }
    heatmaps.draw(list_);
    for (const std::size_t i : waiting) drawing(i);
    for (std::size_t i = 0; i < group_.tiles.size(); ++i) marks(i);
  }

  /// Each as lines from a column of queries to a column of keys, thickness by weight.
  void lines() const {
    for (std::size_t i = 0; i < group_.tiles.size(); ++i) {
      if (const auto at = found(i, true)) {
        drawTileLines(group_.tiles[i], group_.set->cells[*at], group_.at(i));
      } else {
        drawing(i);
      }
    }
  }

  void frame(std::size_t i) const {
    const HeadTile& tile = group_.tiles[i];
    const Theme& t = look_.theme;
    const Rect at = group_.at(i);
    const auto around = [&](float out, ImU32 color, float round, float width) {
      const Rect frame = at.outset(out);
      list_->AddRect(frame.a, frame.b, color, round, 0, width);
    };
    const bool isHead = tile.picture.of == HeadPicture::Of::head;
    drawTileTitle(list_, look_, tile, at, group_.titleLines);
    around(1.0F, t.panelBorder, 0.0F, 1.0F);
    if (!group_.lines) light(group_.place(i, shown_));
    const auto& compared = panel_.view.heads.compared;
    const bool isCompared =
        std::find(compared.begin(), compared.end(), tile.picture.head) != compared.end();
    if (isHead && group_.framesCompared && isCompared) {
      around(look_.px(2.5F), t.accent, look_.space.thin, look_.px(1.5F));
    }
    if (isHead && tile.picture.head == panel_.view.head) {
      around(1.0F, t.text, 0.0F, look_.space.thin);
    }
    if (group_.grid.labelled()) labels(static_cast<Index>(i), at);
  }

 private:
  /// The place of a tile's picture in the set, where that holds what is shown, drawn for lines or
  /// not.
  std::optional<std::size_t> found(std::size_t tile, bool forLines) const {
    const auto& set = group_.set;
    if (set == nullptr || (set->spec.how == Reduction::share) != forLines) return std::nullopt;
    if (!set->spec.blocks.holds(shown_.queries, shown_.keys)) return std::nullopt;
    return set->find(group_.tiles[tile].picture);
  }

  /// False where there is nothing to draw it from yet.
  bool addPicture(Heatmaps& heatmaps, std::size_t i) const {
    if (group_.drawn == nullptr) return false;
    if (const auto at = found(i, false)) {
      add(heatmaps, i, group_.set, *at);
      return true;
    }
    // coarse, until the part that is shown has been drawn
    const auto& parts = group_.drawn->parts;
    const auto at = parts->overview.find(group_.tiles[i].picture);
    if (!at) return false;
    add(heatmaps, i, std::shared_ptr<const PictureSet>(parts, &parts->overview), *at);
    return true;
  }

  void add(Heatmaps& heatmaps, std::size_t i, const std::shared_ptr<const PictureSet>& set,
           std::size_t at) const {
    const auto& [rows, cols] = set->spec.blocks;
    const HeadPicture& picture = group_.tiles[i].picture;
    gl::HeatmapQuad& quad = heatmaps.add(
        Fingerprint("head tile", ImGui::GetID(group_.id), picture.of, picture.head, picture.other),
        set->revision, set, set->cells[at], static_cast<int>(rows.blocks()),
        static_cast<int>(cols.blocks()), group_.tiles[i].scale, group_.at(i));
    const auto along = [](Index place, const AxisBlocks& blocks) {
      return static_cast<float>(place - blocks.first) / static_cast<float>(blocks.step);
    };
    quad.row0 = along(shown_.queries.first, rows);
    quad.row1 = along(shown_.queries.first + shown_.queries.count, rows);
    quad.col0 = along(shown_.keys.first, cols);
    quad.col1 = along(shown_.keys.first + shown_.keys.count, cols);
  }

  void drawTileLines(const HeadTile& tile, std::span<const float> shares, const Rect& at) const {
    const auto& [rows, cols] = group_.set->spec.blocks;
    // the middle of a block, as a share of the tokens shown
    const auto placeOf = [](const AxisBlocks& blocks, Index block, const TokenRange& shown) {
      const auto middle = static_cast<float>(blocks.first + block * blocks.step) +
                          static_cast<float>(blocks.step) * 0.5F;
      return (middle - static_cast<float>(shown.first)) / static_cast<float>(shown.count);
    };
    const auto across = static_cast<std::size_t>(cols.blocks());
    list_->PushClipRect(at.a, at.b, true);
    for (Index r = 0; r < rows.blocks(); ++r) {
      const float from = placeOf(rows, r, shown_.queries);
      if (from < 0.0F || from > 1.0F) continue;
      const auto row = shares.subspan(static_cast<std::size_t>(r) * across, across);
      const Index first = rows.first + r * rows.step;
      const bool lit = shown_.litQuery >= first && shown_.litQuery < first + rows.step;
      const float strength = shown_.litQuery < 0 || lit ? 1.0F : 0.15F;
      for (const Index k : largestOfMass(row, panel_.view.heads.lineMass)) {
        const float to = placeOf(cols, k, shown_.keys);
        const float share = std::abs(row[static_cast<std::size_t>(k)]);
        const float weight = std::clamp(share / tile.scale.high, 0.0F, 1.0F);
        list_->AddLine({at.a.x, at.a.y + from * at.height()}, {at.b.x, at.a.y + to * at.height()},
                       withAlpha(tile.color, (0.12F + 0.78F * weight) * strength),
                       look_.px(kThinnestLine + (kThickestLine - kThinnestLine) * weight));
      }
    }
    list_->PopClipRect();
  }

  void drawing(std::size_t i) const {
    const Rect at = group_.at(i);
    list_->AddRectFilled(at.a, at.b, look_.theme.field);
    drawTextCentred(list_, look_.fonts.small, at.centre(), look_.theme.textMuted,
                    at.width() > look_.px(60) ? "drawing …" : "…");
  }

  /// Pins, dropout, and what the last edit changed.
  void marks(std::size_t i) const {
    const HeadPicture& picture = group_.tiles[i].picture;
    if (picture.of != HeadPicture::Of::head) return;
    if (panel_.view.heads.content != GridContent::weights) return;
    MatrixRef ref;
    ref.tensor = TensorId::weights;
    ref.item = panel_.view.item;
    ref.head = picture.head;
    ref.row0 = shown_.queries.first;
    ref.rows = shown_.queries.count;
    ref.col0 = shown_.keys.first;
    ref.cols = shown_.keys.count;
    const Rect at = group_.at(i);
    drawCellMarks(panel_, list_, {ref, at.a, at.b});
    const Index cells = ref.rows * ref.cols * panel_.trace.config().numHeads;
    if (cells <= kFlashedCells) drawFlash(panel_, ref, at.a, at.b);
  }

  /// The same row and cell in every tile.
  void light(const MatrixPlace& place) const {
    const Index row = litIn(shown_.litQuery, shown_.queries);
    const Index col = litIn(shown_.litKey, shown_.keys);
    if (row < 0) return;
    const float least = look_.px(3);
    const ImVec2 cell = place.cell();
    const float line = look_.px(std::min(cell.x, cell.y) < look_.space.small ? 1.0F : 1.5F);
    const auto y = static_cast<double>(row);
    const Rect whole = place.block(y, 1, 0, static_cast<double>(place.cols), least);
    list_->AddRect(whole.a, whole.b, look_.theme.queryText, 0, 0, line);
    if (col < 0) return;
    const Rect one = place.block(y, 1, static_cast<double>(col), 1, least);
    list_->AddRect(one.a, one.b, look_.theme.text, 0, 0, line * 1.3F);
  }

  /// A token's place in what is shown; −1 where it is not.
  static Index litIn(Index token, const TokenRange& range) {
    return token >= range.first && token < range.first + range.count ? token - range.first : -1;
  }

  void labels(Index tile, const Rect& at) const {
    const Theme& t = look_.theme;
    const TileGrid& grid = group_.grid;
    const float gap = look_.space.tight;
    AxisLabels queries{shown_.queryLabels, group_.font, t.textMuted, t.queryText,
                       litIn(shown_.litQuery, shown_.queries)};
    AxisLabels keys{shown_.keyLabels, group_.font, t.textMuted, t.keyText,
                    litIn(shown_.litKey, shown_.keys)};
    queries.limit = std::max(grid.left, grid.edge) - gap;
    if (grid.labelsLeft(tile)) drawRowLabels(list_, queries, at, gap);
    if (group_.lines) {
      keys.limit = queries.limit;
      if (grid.labelsRight(tile, group_.count())) drawRowLabelsRight(list_, keys, at, gap);
    } else if (grid.labelsBelow(tile, group_.count())) {
      keys.limit = look_.px(33);
      ColumnLabels(look_, keys, at.width(), look_.px(40)).draw(list_, at);
    }
  }

  const Panel& panel_;
  const Look& look_;
  const HeadTileGroup& group_;
  const VisibleTokens& shown_;
  ImDrawList* list_;
};

void zoomAndPan(const Panel& panel, const HeadTileGroup& group, const VisibleTokens& shown,
                const Rect& at, TileMouse& mouse) {
  const ImGuiIO& io = ImGui::GetIO();
  HeadsView& view = panel.view.heads;
  const AttentionConfig& c = panel.trace.config();
  const ImVec2 a = at.a;
  const ImVec2 size = at.size();
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
  if (!ImGui::IsItemActive() || !ImGui::IsMouseDragging(0, panel.look.space.tight)) return;
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
void pressTile(const Panel& panel, const HeadPicture& picture, const std::optional<Hover>& at) {
  ViewState& view = panel.view;
  if (picture.of != HeadPicture::Of::head) return;
  if (ImGui::GetIO().KeyCtrl) {
    toggleCompared(view.heads.compared, picture.head);
  } else if (!ImGui::IsMouseReleased(0)) {
    view.head = picture.head;
  } else {
    openHead(view, picture.head);
    if (at && at->cell.head == picture.head && at->col >= 0) view.selected = at->cell;
  }
}

/// What is said of a head where the mouse rests on its title: what it is called, by which rule, and
/// of designed weights what it was made for or why it was not.
void titleTip(const Panel& panel, const HeadTileGroup& group, const HeadPicture& picture,
              const Rect& at) {
  if (picture.of != HeadPicture::Of::head || ImGui::GetIO().MousePos.y >= at.a.y) return;
  if (!ImGui::IsItemHovered()) return;
  std::string text;
  if (group.figures != nullptr) {
    const auto head = static_cast<std::size_t>(picture.head);
    text = fmt::format("Head {}: {}.", picture.head + 1,
                       labelWithRule(group.figures->report.labels[head]));
  }
  const std::string made = designedExplanation(panel, picture.head);
  if (!made.empty()) text += (text.empty() ? "" : "\n\n") + made;
  if (!text.empty()) tip(panel.look, text);
}

}  // namespace

Index lineEnds(float height, Index heads, float scale) {
  const float apart = height / (5.0F * scale);
  const float quick = std::sqrt(kMostTileLines / static_cast<float>(heads));
  return std::max<Index>(4, static_cast<Index>(std::min(apart, quick)));
}

void headTiles(const Panel& panel, const HeadTileGroup& group, const VisibleTokens& shown,
               TileMouse& mouse) {
  const TileDrawing drawing(panel, group, shown);
  if (group.lines) {
    drawing.lines();
  } else {
    drawing.heatmaps();
  }
  ImGui::PushID(group.id);
  for (std::size_t i = 0; i < group.tiles.size(); ++i) {
    drawing.frame(i);
    const HeadPicture& picture = group.tiles[i].picture;
    const bool isHead = picture.of == HeadPicture::Of::head;
    const Rect at = group.at(i);
    const Rect all{{at.a.x, at.a.y - group.grid.title}, at.b};  // with its title
    ImGui::SetCursorScreenPos(all.a);
    ImGui::PushID(static_cast<int>(picture.of) * 4096 + static_cast<int>(picture.head));
    const bool clicked =
        isHead ? ImGui::InvisibleButton("tile", all.size()) : pictureArea("tile", all.size());
    zoomAndPan(panel, group, shown, at, mouse);
    // from 1.89 on Dear ImGui takes Enter for a click
    const bool entered = isHead && ImGui::IsItemFocused() && keyPressed(Key::enter, false);
    if (clicked && !entered && !mouse.dragging) pressTile(panel, picture, panel.view.hovered);
    titleTip(panel, group, picture, at);
    if (entered) openHead(panel.view, picture.head);
    ImGui::PopID();
  }
  ImGui::PopID();
}

}  // namespace headscope::ui
