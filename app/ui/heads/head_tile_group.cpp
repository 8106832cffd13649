// The drawing of a group's tiles, the tooltips of their cells, and their mouse and keyboard input
// (see all_heads.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/frame_state.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/all_heads.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/flash.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/parts/matrix_marks.h"
#include "app/ui/selection.h"
#include "app/ui/stage/head_stage.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/widgets.h"
#include "core/analysis/weight_readings.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr Index kFlashedCells = 1 << 18;  // larger parts do not flash changed cells
constexpr double kWheelFactor = 0.8;
constexpr float kLargeCell = 56.0F;    // points; wider cells have larger numbers
constexpr float kThinnestLine = 0.6F;  // points
constexpr float kThickestLine = 3.2F;
constexpr float kNotedFrom = 64.0F;  // points; the least height of arcs with a note

/// The rooms within a tile of arcs, not at its frame: of the note, where the tile is high enough
/// for one, and of the words below it.
struct ArcRooms {
  Rect note, words;
};
ArcRooms arcRooms(const FrameContext& look, const Rect& tile) {
  ArcRooms rooms{{}, tile.inset({look.space.small, look.space.tight})};
  if (tile.height() < look.px(kNotedFrom)) return rooms;
  rooms.note = rooms.words.cutTop(fontSize(look.fonts.tiny), look.space.thin);
  return rooms;
}

class TileDrawing {
 public:
  TileDrawing(const PanelContext& panel, const HeadTileGroup& group, const VisibleTokens& shown)
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
    for (std::size_t i = 0; i < group_.tiles.size(); ++i) numbers(i);
    for (std::size_t i = 0; i < group_.tiles.size(); ++i) marks(i);
  }

  /// Draws each tile as lines from a column of queries to a column of keys; thicker lines are
  /// larger weights.
  void lines() const {
    for (std::size_t i = 0; i < group_.tiles.size(); ++i) {
      if (const auto at = found(i, true)) {
        drawTileLines(i, group_.set->cells[*at]);
      } else {
        drawing(i);
      }
    }
  }

  /// Draws each head as arcs over the sentence, from the chosen word or from its own best one.
  void arcs() const {
    const std::vector<HeadStory>* stories = storiesOf(panel_);
    const Index query = panel_.headsView.query;
    const Index chosen = query < panel_.trace.queries() ? query : -1;
    for (std::size_t i = 0; i < group_.tiles.size() && stories != nullptr; ++i) {
      const HeadPicture& picture = group_.tiles[i].picture;
      if (!picture.ofHead()) continue;
      const HeadStory& story = (*stories)[static_cast<std::size_t>(picture.head)];
      const Rect at = group_.at(i);
      const ArcRooms rooms = arcRooms(look_, at);
      list_->PushClipRect(at.a, at.b, true);
      ImFont* font = look_.fonts.tiny;
      drawText(list_, font, rooms.note.a, look_.theme.textMuted,
               wholeParts(font, group_.tiles[i].note, rooms.note.width()));
      drawHeadWithWords(panel_, {picture.head, &story, rooms.words, chosen});
      list_->PopClipRect();
    }
  }

  void frame(std::size_t i) const {
    const GridTile& tile = group_.tiles[i];
    const Theme& t = look_.theme;
    const Rect at = group_.at(i);
    const auto around = [&](float out, ImU32 color, float round, float width) {
      const Rect frame = at.outset(out);
      list_->AddRect(frame.a, frame.b, color, round, 0, width);
    };
    const bool isHead = tile.picture.of == HeadPicture::Of::head;
    drawTileTitle(list_, look_, tile, group_.grid, at.a, group_.titleLines);
    around(1.0F, t.panelBorder, 0.0F, 1.0F);
    TileNames names{shown_.queryLabels, shown_.keyLabels, shown_.queries.first, shown_.keys.first};
    names.litRow = litIn(shown_.litQuery, shown_.queries);
    names.litColumn = litIn(shown_.litKey, shown_.keys);
    names.chosenRow = litIn(shown_.asked.query, shown_.queries);
    names.chosenColumn = litIn(shown_.asked.key, shown_.keys);
    names.font = group_.font;
    names.rowCurves = shown_.queryCurves;
    names.columnCurves = shown_.keyCurves;
    names.columnsRight = group_.lines;
    if (!group_.lines && !group_.arcs) {  // every tile highlights one row and cell
      lightTile(look_, list_, group_.place(i, shown_), names.litRow, names.litColumn);
    }
    const auto& compared = panel_.headsView.compared;
    const bool isCompared =
        std::find(compared.begin(), compared.end(), tile.picture.head) != compared.end();
    if (isHead && group_.framesCompared && isCompared) {
      around(look_.px(2.5F), t.accent, look_.space.thin, look_.px(1.5F));
    }
    if (isHead && tile.picture.head == panel_.selection.head) {
      around(1.0F, t.text, 0.0F, look_.space.thin);
    }
    if (!group_.grid.labelled()) return;
    drawTileNames(look_, list_, group_.grid, static_cast<Index>(i), group_.count(), at, names);
  }

 private:
  /// Returns the index of a tile's picture in the set, if the set covers the part shown and is
  /// reduced for the drawing asked for: lines or heatmaps.
  std::optional<std::size_t> found(std::size_t tile, bool forLines) const {
    const auto& set = group_.set;
    if (set == nullptr || (set->spec.how == Reduction::share) != forLines) return std::nullopt;
    if (!set->spec.blocks.holds(shown_.queries, shown_.keys)) return std::nullopt;
    return set->find(group_.tiles[tile].picture);
  }

  /// Adds a tile's heatmap. Returns false where no data exists for it yet.
  bool addPicture(Heatmaps& heatmaps, std::size_t i) const {
    if (group_.drawn == nullptr) return false;
    if (const auto at = found(i, false)) {
      add(heatmaps, i, group_.set, *at);
      return true;
    }
    // the coarse overview, until the part shown is computed
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
        static_cast<int>(cols.blocks()), group_.scales[i], group_.at(i));
    const auto along = [](Index place, const AxisBlocks& blocks) {
      return static_cast<float>(place - blocks.first) / static_cast<float>(blocks.step);
    };
    quad.row0 = along(shown_.queries.first, rows);
    quad.row1 = along(shown_.queries.first + shown_.queries.count, rows);
    quad.col0 = along(shown_.keys.first, cols);
    quad.col1 = along(shown_.keys.first + shown_.keys.count, cols);
  }

  /// Draws the number of each cell, where all of a tile's numbers fit into their cells.
  void numbers(std::size_t i) const {
    const auto at = found(i, false);
    if (!at) return;
    const auto& [rows, cols] = group_.set->spec.blocks;
    if (rows.step != 1 || cols.step != 1) return;
    const std::vector<float>& cells = group_.set->cells[*at];
    const Index top = shown_.queries.first - rows.first;
    const Index left = shown_.keys.first - cols.first;
    const CellNumbers values{[&cells, top, left, across = cols.blocks()](Index row, Index col) {
      return cells[static_cast<std::size_t>((top + row) * across + left + col)];
    }};
    const MatrixPlace place = group_.place(i, shown_);
    const bool large = place.cell().x > look_.px(kLargeCell);
    drawNumbers(look_, list_, place, group_.scales[i], values,
                large ? look_.fonts.mono : look_.fonts.monoSmall);
  }

  void drawTileLines(std::size_t i, std::span<const float> shares) const {
    const auto& [rows, cols] = group_.set->spec.blocks;
    const Rect at = group_.at(i);
    const ImU32 color = tileColor(look_.theme, group_.tiles[i].picture);
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
      for (const Index k : largestOfMass(row, panel_.headsView.lineMass)) {
        const float to = placeOf(cols, k, shown_.keys);
        const float share = std::abs(row[static_cast<std::size_t>(k)]);
        const float weight = std::clamp(share / group_.scales[i].high, 0.0F, 1.0F);
        list_->AddLine({at.a.x, at.a.y + from * at.height()}, {at.b.x, at.a.y + to * at.height()},
                       withAlpha(color, (0.12F + 0.78F * weight) * strength),
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

  /// Draws the marks of pins, dropout and the cells that the last edit changed.
  void marks(std::size_t i) const {
    const HeadPicture& picture = group_.tiles[i].picture;
    if (picture.of != HeadPicture::Of::head) return;
    if (panel_.headsView.content != GridContent::weights) return;
    MatrixRef ref;
    ref.tensor = TensorId::weights;
    ref.item = panel_.selection.item;
    ref.head = picture.head;
    ref.row0 = shown_.queries.first;
    ref.rows = shown_.queries.count;
    ref.col0 = shown_.keys.first;
    ref.cols = shown_.keys.count;
    const Rect at = group_.at(i);
    drawCellMarks(panel_, list_, {ref, at});
    const Index cells = ref.rows * ref.cols * panel_.trace.numHeads();
    if (cells <= kFlashedCells) drawFlash(panel_, ref, at.a, at.b);
  }

  /// Returns a token's index in the part shown; −1 where it is outside.
  static Index litIn(Index token, const TokenRange& range) {
    return token >= range.first && token < range.first + range.count ? token - range.first : -1;
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const HeadTileGroup& group_;
  const VisibleTokens& shown_;
  ImDrawList* list_;
};

/// Returns the names of a part of a lane. Tokens without a name get their index, which `numbers`
/// stores.
std::span<const std::string> tokenTexts(const PanelContext& panel, Lane lane,
                                        const TokenRange& part, std::vector<std::string>& numbers) {
  std::span<const std::string> all = laneTokens(panel.trace, lane, panel.selection.item);
  const Index end = part.first + part.count;
  if (std::ssize(all) < end) {
    numbers.assign(all.begin(), all.end());
    while (std::ssize(numbers) < end) numbers.push_back(std::to_string(numbers.size()));
    all = numbers;
  }
  return all.subspan(static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.count));
}

// Input on tiles.

void zoomAndPan(const PanelContext& panel, const HeadTileGroup& group, const VisibleTokens& shown,
                const Rect& at, TileMouse& mouse) {
  if (group.arcs) return;  // all words are shown
  const ImGuiIO& io = ImGui::GetIO();
  HeadsView& view = panel.headsView;
  const Trace& trace = panel.trace;
  const ImVec2 a = at.a;
  const ImVec2 size = at.size();
  if (ImGui::IsItemHovered() && io.MouseWheel != 0.0F) {
    const double factor = std::pow(kWheelFactor, static_cast<double>(io.MouseWheel));
    const auto about = [](float at, float length) {
      return std::clamp(static_cast<double>(at / length), 0.0, 1.0);
    };
    const double y = about(io.MousePos.y - a.y, size.y);
    const double x = group.lines ? y : about(io.MousePos.x - a.x, size.x);
    view.queries = zoomed(view.queries, trace.queries(), factor, y);
    view.keys = zoomed(view.keys, trace.keys(), factor, x);
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
  pan(view.queries, trace.queries(), shown.queries.count, by.y, size.y, mouse.left.y);
  pan(view.keys, trace.keys(), shown.keys.count, by.x, group.lines ? size.y : size.x, mouse.left.x);
}

/// Handles a press. A click chooses the head and the cell, a double click opens the head in Flow,
/// ctrl+click adds the head to the comparison or removes it.
void pressTile(const PanelContext& panel, const HeadPicture& picture,
               const std::optional<Hover>& at) {
  if (picture.of != HeadPicture::Of::head) return;
  if (ImGui::GetIO().KeyCtrl) {
    toggleCompared(panel.headsView.compared, picture.head);
    return;
  }
  panel.selection.head = picture.head;
  if (!ImGui::IsMouseReleased(0)) return;  // pressed by the space bar
  const bool cellThere = at && (at->col >= 0 || panel.headsView.drawing == GridDrawing::arcs);
  if (cellThere && at->cell.head == picture.head) panel.selection.cell = at->cell;
  if (ImGui::GetIO().MouseClickedLastCount[0] > 1) openHead(panel.view, picture.head);
}

/// Shows a tooltip while the mouse rests on a head's title: its label, the rule of the label and,
/// for designed weights, the head's purpose or why it has none.
void titleTip(const PanelContext& panel, const HeadsState& state, const HeadPicture& picture,
              const Rect& at) {
  if (picture.of != HeadPicture::Of::head || ImGui::GetIO().MousePos.y >= at.a.y) return;
  if (!ImGui::IsItemHovered()) return;
  std::string text;
  if (state.report != nullptr) {
    const auto head = static_cast<std::size_t>(picture.head);
    text = trFormat("Head {}: {}.", picture.head + 1, labelWithRule(state.report->labels[head]));
  }
  const std::string made = purposeExplanation(panel, picture.head);
  if (!made.empty()) text += (text.empty() ? "" : "\n\n") + made;
  if (!text.empty()) tip(panel.look, text);
}

}  // namespace

VisibleTokens visibleTokens(const PanelContext& panel) {
  const Trace& trace = panel.trace;
  const HeadsView& view = panel.headsView;
  VisibleTokens shown;
  shown.queries = shownOf(view.queries, trace.queries());
  shown.keys = shownOf(view.keys, trace.keys());
  shown.queryLabels = tokenTexts(panel, Lane::query, shown.queries, shown.queryNumbers);
  shown.keyLabels = tokenTexts(panel, Lane::key, shown.keys, shown.keyNumbers);
  const auto curvesOf = [&](Lane lane, const TokenRange& range) {
    return laneCurves(panel.look, panel.trace, lane, panel.selection.item, range.first);
  };
  shown.queryCurves = curvesOf(Lane::query, shown.queries);
  shown.keyCurves = curvesOf(Lane::key, shown.keys);
  return shown;
}

ImU32 tileColor(const Theme& theme, const HeadPicture& picture) {
  return picture.ofHead() ? headColor(theme, static_cast<std::size_t>(picture.head)) : theme.text;
}

std::optional<Hover> pickInTiles(const PanelContext& panel, const HeadsState& state,
                                 const HeadTileGroup& group, const VisibleTokens& shown) {
  // a held button must not end the hovering
  const bool here = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  if (group.drawn == nullptr || !here) return std::nullopt;
  const PassParts& parts = *group.drawn->parts;
  for (std::size_t i = 0; i < group.tiles.size(); ++i) {
    const HeadPicture& picture = group.tiles[i].picture;
    const MatrixPlace place = group.place(i, shown);
    if (!ImGui::IsMouseHoveringRect(place.at.a, place.at.b)) continue;
    if (group.arcs) {
      const SentenceLayout words = headStageLayout(panel, arcRooms(panel.look, place.at).words);
      const Index query = words.marks() ? -1 : words.at(ImGui::GetIO().MousePos);
      if (query < 0) return std::nullopt;
      const auto [text, key] = rowInWords(state, picture, query, parts);
      showTooltip(text, place.at);
      return Hover{{TensorId::weights, state.item, picture.head, query, key},
                   Lane::query,
                   Lane::none,
                   query,
                   -1};
    }
    const MatrixCell at = place.nearest(ImGui::GetIO().MousePos);
    const Index head = picture.ofHead() ? picture.head : state.head;
    CellRef cell{TensorId::weights, state.item, head, shown.queries.first + at.row, 0};
    const bool computed = picture.of != HeadPicture::Of::mean || !parts.mean.empty();
    if (group.lines) {
      if (computed) {
        const auto [text, key] = rowInWords(state, picture, cell.row, parts);
        showTooltip(text, place.at);
        cell.col = key;
      }
      return Hover{cell, Lane::query, Lane::none, cell.row, -1};
    }
    cell.col = shown.keys.first + at.col;
    if (computed) {
      showTooltip(cellInWords(state, picture, cell, parts, group.set.get(), ImGui::GetIO().KeyCtrl),
                  place.at);
    }
    return Hover{cell, Lane::query, Lane::key, cell.row, cell.col};
  }
  return std::nullopt;
}

void headTiles(const PanelContext& panel, const HeadsState& state, const HeadTileGroup& group,
               const VisibleTokens& shown, TileMouse& mouse) {
  const TileDrawing drawing(panel, group, shown);
  if (group.arcs) {
    drawing.arcs();
  } else if (group.lines) {
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
    const Rect all{{at.a.x, at.a.y - group.grid.title}, at.b};  // picture and title
    ImGui::SetCursorScreenPos(all.a);
    ImGui::PushID(static_cast<int>(picture.of) * 4096 + static_cast<int>(picture.head));
    const bool clicked =
        isHead ? ImGui::InvisibleButton("tile", all.size()) : pictureArea("tile", all.size());
    if (isHead) noteControl(panel.look, trFormat("Head {}", picture.head + 1));
    zoomAndPan(panel, group, shown, at, mouse);
    // from 1.89 on, Dear ImGui treats Enter as a click
    const bool entered = isHead && ImGui::IsItemFocused() && keyPressed(Key::enter, false);
    if (clicked && !entered && !mouse.dragging) pressTile(panel, picture, panel.frame.hovered);
    titleTip(panel, state, picture, at);
    if (entered) openHead(panel.view, picture.head);
    ImGui::PopID();
  }
  ImGui::PopID();
}

}  // namespace headscope::ui
