// All layers × heads of a model as small heatmaps, layers down and heads across; wheel and drag go
// from the whole model into one head. A metric can be shown in their place: one cell a head.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/model/model_page.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/widgets.h"
#include "core/ledger.h"

namespace headscope::ui {
namespace {

constexpr float kMostZoom = 200.0F;
constexpr float kTitledFrom = 90.0F;  // points of a tile's place: what its head does stands above
constexpr float kNamedFrom = 230.0F;  // the tokens stand beside it
constexpr float kNames = 60.0F;       // their room

/// Which metrics a map can show: those that say in one number what a head does.
constexpr std::array kMapped{Metric::previousToken, Metric::induction, Metric::duplicateToken,
                             Metric::firstToken,    Metric::self,      Metric::entropy};

/// Where the tiles stand: the whole model in the room at zoom 1, moved so that `seen` (0 … 1 both
/// ways) is in its middle.
struct ModelCanvas {
  Rect room;
  Index layers = 1, heads = 1;
  float zoom = 1.0F;
  ImVec2 seen{0.5F, 0.5F};

  ImVec2 size() const { return {room.width() * zoom, room.height() * zoom}; }
  ImVec2 origin() const {
    const ImVec2 all = size();
    const ImVec2 middle = room.centre();
    return {middle.x - seen.x * all.x, middle.y - seen.y * all.y};
  }
  ImVec2 place() const {
    return {size().x / static_cast<float>(heads), size().y / static_cast<float>(layers)};
  }
  /// The square of a head in its place, with room for a title above, and for names at its left and
  /// below.
  Rect tile(Index layer, Index head, float gap, float title, float names) const {
    const ImVec2 all = place(), from = origin();
    const ImVec2 room(all.x - gap - names, all.y - gap - title - names);
    const float side = std::max(2.0F, std::min(room.x, room.y));
    const ImVec2 corner(from.x + static_cast<float>(head) * all.x + names + gap * 0.5F,
                        from.y + static_cast<float>(layer) * all.y + title + gap * 0.5F);
    return Rect::at({corner.x + (room.x - side) * 0.5F, corner.y + (room.y - side) * 0.5F},
                    {side, side});
  }
  /// At least what fills the room stays in sight.
  void keepInSight() {
    zoom = std::clamp(zoom, 1.0F, kMostZoom);
    const float half = 0.5F / zoom;
    seen.x = std::clamp(seen.x, half, 1.0F - half);
    seen.y = std::clamp(seen.y, half, 1.0F - half);
  }
  void zoomAt(ImVec2 point, float factor) {
    const ImVec2 all = size(), from = origin();
    const ImVec2 share((point.x - from.x) / all.x, (point.y - from.y) / all.y);
    const float before = zoom;
    zoom = std::clamp(zoom * factor, 1.0F, kMostZoom);
    const float shrunk = before / zoom;  // what is at the point stays there
    seen.x = share.x + (seen.x - share.x) * shrunk;
    seen.y = share.y + (seen.y - share.y) * shrunk;
    keepInSight();
  }
  void moveBy(ImVec2 points) {
    const ImVec2 all = size();
    seen.x -= points.x / all.x;
    seen.y -= points.y / all.y;
    keepInSight();
  }
};

class ModelHeads {
 public:
  struct Memory {
    ModelCanvas canvas;
    Index litQuery = -1;
    bool takesWheel = false;
  };

  ModelHeads(const Panel& panel, const ModelMoment& moment, Memory& memory)
      : panel_(panel),
        look_(panel.look),
        moment_(moment),
        view_(panel.view.model),
        memory_(memory),
        names_(moment.tokenNames()) {}

  /// Gives the head that was double-clicked.
  std::optional<model::HeadOfLayer> draw() {
    ModelCanvas& canvas = memory_.canvas;
    Rect room = Rect::rest();
    const float row = fontSize(look_.fonts.tiny) + look_.space.small;
    Rect top = room.cutTop(row);
    Rect left = room.cutLeft(textSize(look_.fonts.tiny, "layer 00").x + look_.space.small);
    top.a.x = room.a.x;
    canvas.room = room;
    canvas.layers = moment_.config().layers;
    canvas.heads = moment_.config().heads;
    canvas.keepInSight();
    ImGui::InvisibleButton(
        "model heads", {std::max(1.0F, room.b.x - left.a.x), std::max(1.0F, room.b.y - top.a.y)});
    const bool over = ImGui::IsItemHovered();
    memory_.takesWheel = over;
    const float wheel = ImGui::GetIO().MouseWheel;
    if (over && wheel != 0.0F) {
      canvas.zoomAt(ImGui::GetIO().MousePos, std::pow(1.25F, wheel));
      *look_.wantsFrame = true;
    }
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0)) {
      canvas.moveBy(ImGui::GetIO().MouseDelta);
    }
    sides(top, left);
    ImGui::PushClipRect(room.a, room.b, true);
    const auto under = tiles(over);
    ImGui::PopClipRect();
    if (!under) return std::nullopt;
    ImGui::SetTooltip("%s", inWords(*under).c_str());
    if (ImGui::IsMouseReleased(0) && !ImGui::IsMouseDragging(0)) {
      view_.layer = under->place.layer;
      view_.head = under->place.head;
      if (under->cell) view_.token = under->cell->row;
    }
    return ImGui::IsMouseDoubleClicked(0) ? std::optional(under->place) : std::nullopt;
  }

 private:
  struct Under {
    model::HeadOfLayer place;
    std::optional<MatrixCell> cell;
  };

  Rect tile(Index layer, Index head) const {
    const float title = titled() ? 1.5F * fontSize(look_.fonts.tiny) : 0.0F;
    const float names = named() ? look_.px(kNames) : 0.0F;
    return memory_.canvas.tile(layer, head, look_.px(titled() ? 8 : 3), title, names);
  }
  float narrower() const {
    const ImVec2 place = memory_.canvas.place();
    return std::min(place.x, place.y);
  }
  bool titled() const { return narrower() >= look_.px(kTitledFrom); }
  bool named() const { return view_.metric.empty() && narrower() >= look_.px(kNamedFrom); }

  void sides(const Rect& top, const Rect& left) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ModelCanvas& c = memory_.canvas;
    float last = -1e9F;
    ImGui::PushClipRect(top.a, top.b, true);
    for (Index head = 0; head < c.heads; ++head) {
      const Rect at = tile(0, head);
      const std::string name = fmt::format("head {}", head + 1);
      const float width = textSize(look_.fonts.tiny, name).x;
      if (at.centre().x - width * 0.5F < last + look_.space.small) continue;
      last = at.centre().x + width * 0.5F;
      drawTextCentred(list, look_.fonts.tiny, {at.centre().x, top.centre().y},
                      look_.theme.textMuted, name);
    }
    ImGui::PopClipRect();
    last = -1e9F;
    ImGui::PushClipRect(left.a, left.b, true);
    for (Index layer = 0; layer < c.layers; ++layer) {
      const float y = tile(layer, 0).centre().y - fontSize(look_.fonts.tiny) * 0.5F;
      if (y < last + fontSize(look_.fonts.tiny)) continue;
      last = y;
      drawText(list, look_.fonts.tiny, {left.a.x, y}, look_.theme.textMuted,
               fmt::format("layer {}", layer + 1));
    }
    ImGui::PopClipRect();
  }

  std::optional<Under> tiles(bool over) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ModelCanvas& c = memory_.canvas;
    Heatmaps heatmaps(look_);
    std::optional<Under> under;
    const Index tokens = moment_.trace->tokens();
    const auto metric = metricFromKey(view_.metric);
    for (Index layer = 0; layer < c.layers; ++layer) {
      for (Index head = 0; head < c.heads; ++head) {
        const Rect at = tile(layer, head);
        if (!at.overlaps(c.room)) continue;
        if (metric) {
          metricCell(list, at, moment_.metrics[moment_.headAt(layer, head)][*metric], *metric);
          if (over && at.contains(ImGui::GetIO().MousePos)) under = Under{{layer, head}, {}};
          continue;
        }
        if (!moment_.trace->held(layer)) {
          heatmaps.addHatched(at);
          continue;
        }
        heatmaps.add(Fingerprint("model head", layer, head),
                     Fingerprint("model", moment_.number, view_.firstToken), cells(layer, head),
                     scaleOf(layer, head), at);
        if (memory_.litQuery >= 0) heatmaps.light(memory_.litQuery, -1);
        const MatrixPlace place{at, tokens, tokens};
        if (over && at.contains(ImGui::GetIO().MousePos)) {
          under = Under{{layer, head}, place.nearest(ImGui::GetIO().MousePos)};
        }
      }
    }
    heatmaps.draw(list);
    for (Index layer = 0; layer < c.layers; ++layer) {
      for (Index head = 0; head < c.heads; ++head) {
        const Rect at = tile(layer, head);
        if (at.overlaps(c.room)) frame(list, layer, head, at);
      }
    }
    memory_.litQuery =
        under && under->cell && at(*under).width() >= look_.px(16) ? under->cell->row : -1;
    return under;
  }

  Rect at(const Under& under) const { return tile(under.place.layer, under.place.head); }

  void frame(ImDrawList* list, Index layer, Index head, const Rect& at) const {
    const bool chosen = layer == view_.layer && head == view_.head;
    if (chosen) {
      drawFrame(look_, list, at, look_.theme.accent);
    } else if (at.width() > look_.px(12)) {
      list->AddRect(at.a, at.b, look_.theme.panelBorder);
    }
    if (named()) names(list, at);
    if (!titled()) return;
    const HeadLabel& found = moment_.labels[moment_.headAt(layer, head)];
    const std::string words =
        found.score ? fmt::format("{} {:.2f}", found.title, *found.score) : found.title;
    drawText(list, look_.fonts.tiny,
             {at.a.x, at.a.y - fontSize(look_.fonts.tiny) - look_.space.thin},
             found.key == "mixed" ? look_.theme.textMuted : look_.theme.text,
             elided(look_.fonts.tiny, words, at.width()));
  }

  void names(ImDrawList* list, const Rect& at) const {
    AxisLabels labels{names_,           look_.fonts.tiny, look_.theme.textMuted,
                      look_.theme.text, memory_.litQuery, look_.px(kNames - 10.0F)};
    drawRowLabels(list, labels, at, look_.space.tight);
    labels.lit = -1;
    ColumnLabels(look_, labels, at.width(), look_.px(kNames)).draw(list, at);
  }

  CellRows cells(Index layer, Index head) const {
    const TracePtr trace = moment_.trace->layer(layer);
    const bool all = view_.firstToken;
    CellRows rows = cellsOf(*trace, wholeMatrix(TensorId::weights, trace->config(), 0, head));
    return {rows.rows, rows.cols,
            [trace, read = std::move(rows.read), all](Index row, std::span<float> out) {
              read(row, out);
              if (!all && !out.empty()) out.front() = 0.0F;
            }};
  }

  ColorScale scaleOf(Index layer, Index head) const {
    float high = 1.0F;
    if (view_.ownScale) {
      const TracePtr trace = moment_.trace->layer(layer);
      high = std::max(1e-6F, panel_.magnitudes.of(*trace, TensorId::weights, 0, head));
    }
    return sequentialScale(look_, panel_.view, 0.0F, high);
  }

  void metricCell(ImDrawList* list, const Rect& at, const Measured& value, Metric metric) const {
    if (!value) {
      list->AddRect(at.a, at.b, look_.theme.panelBorder);
      return;
    }
    const double most = metric == Metric::entropy
                            ? std::max(1.0, std::log2(static_cast<double>(moment_.trace->tokens())))
                            : 1.0;
    const ColorScale scale = sequentialScale(look_, panel_.view, 0.0F, static_cast<float>(most));
    const ImU32 fill = scale.color(look_.maps, static_cast<float>(*value));
    list->AddRectFilled(at.a, at.b, fill);
    const std::string words = fmt::format("{:.2f}", *value);
    if (textSize(look_.fonts.tiny, words).x > at.width() - look_.space.tight) return;
    drawTextCentred(list, look_.fonts.tiny, at.centre(), legibleOn(fill), words);
  }

  std::string inWords(const Under& under) const {
    const auto& [layer, head] = under.place;
    const HeadLabel& found = moment_.labels[moment_.headAt(layer, head)];
    std::string text = fmt::format("Layer {}, head {}: {}", layer + 1, head + 1, found.title);
    if (found.score) text += fmt::format(" {:.2f}", *found.score);
    if (under.cell) {
      const CellRef cell{TensorId::weights, 0, head, under.cell->row, under.cell->col};
      text +=
          fmt::format("\n{} looks at {}: {:.3f}", names_[static_cast<std::size_t>(under.cell->row)],
                      names_[static_cast<std::size_t>(under.cell->col)],
                      static_cast<double>(moment_.trace->layer(layer)->value(cell)));
    }
    return text + "\ndouble click: open in Flow";
  }

  const Panel& panel_;
  const Look& look_;
  const ModelMoment& moment_;
  ModelView& view_;
  Memory& memory_;
  std::vector<std::string> names_;
};

class ModelHeadsCard final : public Card {
 public:
  explicit ModelHeadsCard(LiveModel& model)
      : Card(
            {kModelHeadsCard, "All layers", "rows: layers, columns: heads · wheel and drag go in"}),
        model_(model) {}

  bool takesWheel() const override { return memory_.takesWheel; }

  void draw(const Panel& panel) override {
    const Look& look = panel.look;
    heading(look, text().title, text().about);
    const auto moment = model_.moment();
    if (moment == nullptr) return;
    controls(panel, *moment);
    if (const auto opened = ModelHeads(panel, *moment, memory_).draw()) {
      openLayerInFlow(panel, model_, *opened);
    }
  }

 private:
  void controls(const Panel& panel, const ModelMoment& moment) {
    const Look& look = panel.look;
    ModelView& view = panel.view.model;
    view.layer = std::clamp<Index>(view.layer, 0, moment.config().layers - 1);
    view.head = std::clamp<Index>(view.head, 0, moment.config().heads - 1);
    if (pill(look, "weights", view.metric.empty())) view.metric.clear();
    for (const Metric metric : kMapped) {
      const MetricInfo& about = info(metric);
      const std::string name(about.title);
      flowOn(look, buttonWidth(look, name), 3.0F);
      if (pill(look, name.c_str(), view.metric == about.key)) view.metric = about.key;
      tip(look, std::string(about.words));
    }
    if (view.metric.empty()) {
      flowOn(look, buttonWidth(look, "each its own scale"), look.space.large);
      if (pill(look, "each its own scale", view.ownScale)) view.ownScale = !view.ownScale;
      flowOn(look, buttonWidth(look, "first token"));
      if (pill(look, "first token", view.firstToken)) view.firstToken = !view.firstToken;
      tip(look, "Many heads rest on the first token; without its column the rest is seen");
    }
    if (memory_.canvas.zoom > 1.0F && flowingPill(look, "whole model", "All layers and heads")) {
      memory_.canvas = {};
    }
    const model::HeadOfLayer chosen{view.layer, view.head};
    const std::string open = fmt::format("open layer {} in Flow", view.layer + 1);
    if (flowingPill(look, open,
                    "This layer on this text: everything there works, and what is edited "
                    "is run in the model")) {
      openLayerInFlow(panel, model_, chosen);
    }
    const std::string off = fmt::format("layer {}, head {} {}", view.layer + 1, view.head + 1,
                                        model_.isOff(chosen) ? "on" : "off");
    if (flowingPill(look, off, "What the model says without it stands at the left")) {
      model_.switchHead(chosen);
    }
  }

  LiveModel& model_;
  ModelHeads::Memory memory_;
};

}  // namespace

std::unique_ptr<Card> makeModelHeadsCard(LiveModel& model) {
  return std::make_unique<ModelHeadsCard>(model);
}

}  // namespace headscope::ui
