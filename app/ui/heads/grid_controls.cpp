// The parts around the grid of all heads: the switches and sentences above it, and the map of long
// inputs (see all_heads.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "app/gl/scene.h"
#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/all_heads.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/menu.h"
#include "app/ui/panel.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/analysis/head_metrics.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr double kZoomStep = 0.5;
constexpr Index kZoomable = 16;  // with fewer tokens, cells are large without zoom
constexpr float kStripWidth = 70.0F;
constexpr float kWideRow = 830.0F;  // points; narrower rows use shorter texts

constexpr float kControlsApart = 12.0F;
constexpr std::array kDrawings{GridDrawing::arcs, GridDrawing::heatmaps, GridDrawing::lines};

/// Draws a pill of the control row. Returns whether it was clicked.
bool controlPill(const FrameContext& look, const std::string& text, bool lit, bool enabled = true) {
  flowOn(look, buttonWidth(look, text), kControlsApart);
  return pill(look, text.c_str(), lit, enabled);
}

std::string sortName(const std::string& key) {
  const auto metric = metricFromKey(key);
  return metric ? std::string(tr(info(*metric).title)) : std::string(tr("number"));
}

/// Draws the popup of sort keys: every metric, with its definition as tooltip.
void sortPopup(const PanelContext& panel) {
  if (!beginPopup("sort heads")) return;
  std::string& by = panel.headsView.sortBy;
  if (ImGui::MenuItem(tr("number"), nullptr, by.empty())) by.clear();
  for (const MetricInfo& metric : metricsFor(panel.document.input->patches.on())) {
    const std::string title(tr(metric.title));
    if (ImGui::MenuItem(title.c_str(), nullptr, by == metric.key)) by = metric.key;
    tip(panel.look, std::string(metric.words) + tr(". Largest first; heads without it last."));
  }
  ImGui::EndPopup();
}

/// Draws "All heads  rows: queries …" and, at the right, the choices of drawing and sort order.
void headingRow(const PanelContext& panel, const HeadsState& state) {
  const FrameContext& look = panel.look;
  HeadsView& view = panel.headsView;
  const std::string sort = trFormat("sort: {} ▾", sortName(view.sortBy));
  const float width = choicesWidth(look, {tr("arcs"), tr("heatmaps"), tr("lines")}) +
                      look.space.medium + buttonWidth(look, sort);
  const ImVec2 start = ImGui::GetCursorPos();
  const float right = start.x + ImGui::GetContentRegionAvail().x;
  const float frame = ImGui::GetFrameHeight();
  const float title = textSize(look.fonts.semibold, tr("All heads")).x + look.space.large;
  if (start.x + title <= right - width) {  // on a phone the tab above has it
    label(look.fonts.semibold, look.theme.text, tr("All heads"));
  }
  float room = right - width - start.x - title - look.space.medium;
  const float how =
      headsAreTrained(panel.purposes) ? buttonWidth(look, kHowLearned) + look.space.medium : 0;
  if (how > 0.0F && room > how) {
    ImGui::SetCursorPos({right - width - how, start.y - look.space.tight});
    howLearnedButton(panel);
    room -= how;
  }
  if (room > look.px(40)) {
    ImGui::SetCursorPos({start.x + title, start.y + look.px(3)});
    label(look.fonts.small, look.theme.textMuted,
          wholeParts(look.fonts.small, gridAbout(state), room));
  }
  ImGui::SetCursorPos({right - width, start.y - look.space.tight});
  const auto* shown = std::ranges::find(kDrawings, view.drawing);
  const int drawing = choices(look, "drawing", {tr("arcs"), tr("heatmaps"), tr("lines")},
                              static_cast<int>(shown - kDrawings.begin()));
  if (drawing >= 0) view.drawing = kDrawings[static_cast<std::size_t>(drawing)];
  if (view.drawing == GridDrawing::arcs) view.content = GridContent::weights;
  ImGui::SameLine(0.0F, look.space.medium);
  if (pill(look, (sort + "###sort").c_str(), !view.sortBy.empty())) openMenu("sort heads");
  sortPopup(panel);
  ImGui::SetCursorPos({start.x, start.y + frame});
}

void zoomPills(const PanelContext& panel) {
  HeadsView& view = panel.headsView;
  const Trace& trace = panel.trace;
  const bool whole = isWhole(view.queries, trace.queries()) && isWhole(view.keys, trace.keys());
  if (whole && std::max(trace.queries(), trace.keys()) < kZoomable) return;
  const auto zoom = [&](double factor) {
    view.queries = zoomed(view.queries, trace.queries(), factor);
    view.keys = zoomed(view.keys, trace.keys(), factor);
  };
  flowOn(panel.look, choicesWidth(panel.look, {"−", "+", "0"}), kControlsApart);  // one line
  if (pill(panel.look, "−##zoom", false, !whole)) zoom(1.0 / kZoomStep);
  tip(panel.look, tr("Shows more tokens. The wheel zooms at the mouse; dragging pans."));
  ImGui::SameLine(0.0F, panel.look.space.tight);
  if (pill(panel.look, "+##zoom")) zoom(kZoomStep);
  tip(panel.look, tr("Shows fewer tokens, larger. The wheel zooms at the mouse; dragging pans."));
  ImGui::SameLine(0.0F, panel.look.space.tight);
  if (pill(panel.look, "0##zoom", false, !whole)) view.queries = view.keys = {};
  tip(panel.look, tr("All tokens"));
}

// The map.

constexpr float kMapSide = 112.0F;  // points
constexpr double kMapStep = 0.5;    // share of the part shown that an arrow pans by

void overview(const PanelContext& panel, const HeadPictures& pictures, const ColorScale& scale,
              const Rect& at) {
  const PictureSet& set = pictures.parts->overview;
  const Index head = panel.selection.head;
  const auto found = set.find({HeadPicture::Of::head, head, 0});
  if (!found) return;
  const Trace& trace = panel.trace;
  const auto& [rows, cols] = set.spec.blocks;
  Heatmaps heatmaps(panel.look);
  gl::HeatmapQuad& quad =
      heatmaps.add(Fingerprint("minimap"), Fingerprint("minimap", set.revision, head),
                   pictures.parts, set.cells[*found], static_cast<int>(rows.blocks()),
                   static_cast<int>(cols.blocks()), scale, at);
  quad.row1 = static_cast<float>(trace.queries()) / static_cast<float>(rows.step);
  quad.col1 = static_cast<float>(trace.keys()) / static_cast<float>(cols.step);
  heatmaps.draw(ImGui::GetWindowDrawList());
}

/// Centres the part shown at a share of all tokens.
void centreOn(TokenRange& range, Index n, float share) {
  const TokenRange now = shownOf(range, n);
  const auto middle = static_cast<Index>(share * static_cast<float>(n));
  range = moved(range, n, middle - now.count / 2 - now.first);
}

/// Draws arrow buttons that pan the map by keyboard.
void panArrows(const PanelContext& panel, const VisibleTokens& shown) {
  HeadsView& view = panel.headsView;
  const Trace& trace = panel.trace;
  const auto stepOf = [](const TokenRange& range) {
    return std::max<Index>(1, static_cast<Index>(static_cast<double>(range.count) * kMapStep));
  };
  const auto press = [&](const char* text, TokenRange& range, Index n, Index by) {
    if (pill(panel.look, text, false, !isWhole(range, n))) range = moved(range, n, by);
  };
  const float gap = panel.look.px(3);
  const Index queries = stepOf(shown.queries);
  const Index keys = stepOf(shown.keys);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(panel.look.space.small, ImGui::GetStyle().FramePadding.y));
  press("◀##keys", view.keys, trace.keys(), -keys);
  ImGui::SameLine(0.0F, gap);
  press("▶##keys", view.keys, trace.keys(), keys);
  ImGui::SameLine(0.0F, gap);
  press("▲##queries", view.queries, trace.queries(), -queries);
  ImGui::SameLine(0.0F, gap);
  press("▼##queries", view.queries, trace.queries(), queries);
  ImGui::PopStyleVar();
}

/// Draws the pills of the chosen head.
void choosingPills(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const Index head = panel.selection.head;
  auto& compared = panel.headsView.compared;
  const bool inIt = std::ranges::find(compared, head) != compared.end();
  if (controlPill(look, tr("compare"), inIt)) toggleCompared(compared, head);
  tip(look, trFormat("Compares head {} with others (also ctrl+click on any head, or ctrl+space)",
                     head + 1));
  if (controlPill(look, tr("to Flow"), false)) openHead(panel.view, head);
  tip(look, tr("Shows the chosen head step by step (also double click on any head, or enter)"));
}

}  // namespace

void gridControls(const PanelContext& panel, const HeadsState& state, const ColorScale& scale,
                  const CellStep& step) {
  const FrameContext& look = panel.look;
  HeadsView& view = panel.headsView;
  headingRow(panel, state);
  if (state.arcs()) return choosingPills(panel);
  const bool narrow = ImGui::GetContentRegionAvail().x < look.px(kWideRow);
  const float strip = look.px(narrow ? kStripWidth * 0.4F : kStripWidth);
  const int content = choices(look, "content", {tr("weights"), tr("norm-weighted")},
                              static_cast<int>(view.content));
  tip(look, termText("norm-weighted"));
  if (content >= 0) view.content = static_cast<GridContent>(content);
  flowOn(look, choicesWidth(look, {tr("one scale"), tr("each its own")}), kControlsApart);
  const int own =
      choices(look, "scale", {tr("one scale"), tr("each its own")}, view.ownScale ? 1 : 0);
  if (own >= 0) view.ownScale = own == 1;
  const char* high = view.ownScale ? tr("its maximum") : nullptr;
  if (view.drawing == GridDrawing::heatmaps) {
    flowOn(look, colorStripWidth(look, scale, strip, high), kControlsApart);
    colorStrip(look, scale, strip, high);
  }
  const bool plain = view.content == GridContent::weights;
  const char* mean = narrow ? "mean###mean" : tr("mean over heads###mean");
  if (controlPill(look, mean, view.meanShown && plain, plain)) {
    view.meanShown = !view.meanShown;
  }
  tip(look, plain ? tr("Shows the mean over heads as one more tile. PyTorch returns this mean by "
                       "default, which hides the single heads")
                  : tr("The mean is taken over weights: choose weights first"));
  choosingPills(panel);
  zoomPills(panel);
  // always present for long inputs, so that zooming does not move the controls
  const bool isLong =
      std::max(panel.trace.config().seqLen, panel.trace.config().keys()) > kShortInput;
  if (view.drawing == GridDrawing::heatmaps && (step.several() || isLong)) {
    const std::string covers = isLong ? std::string(tr("far out:"))
                                      : trFormat("a cell covers {} × {}:", step.queries, step.keys);
    flowOn(look,
           textSize(look.fonts.small, covers).x + look.space.small +
               choicesWidth(look, {tr("mean"), tr("maximum")}),
           kControlsApart);
    rowCaption(look, covers.c_str());
    const int pooling =
        choices(look, "pooling", {tr("mean"), tr("maximum")}, static_cast<int>(view.pooling));
    if (pooling >= 0) view.pooling = static_cast<Pooling>(pooling);
    tip(look, tr("The value of a cell that covers several weights; all of them count"));
  }
  for (const GridSentence& sentence : gridSentences(state, step)) {
    if (sentence.formula != nullptr) {
      richLabel(look.fonts, look.fonts.small, look.theme.text, sentence.formula);
      ImGui::SameLine(0.0F, look.space.medium);
    }
    wrappedLabel(look.fonts.small, look.theme.textMuted, sentence.text);
  }
}

float minimapWidth(const PanelContext& panel) {
  const Trace& trace = panel.trace;
  const HeadsView& view = panel.headsView;
  const bool whole = isWhole(view.queries, trace.queries()) && isWhole(view.keys, trace.keys());
  if (whole && std::max(trace.queries(), trace.keys()) <= kShortInput) return 0.0F;
  return panel.look.px(kMapSide + 14.0F);
}

void minimap(const PanelContext& panel, const HeadsState& state, const HeadPictures* pictures,
             const VisibleTokens& shown, const ColorScale& scale, const CellStep& step, ImVec2 at) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const Trace& trace = panel.trace;
  HeadsView& view = panel.headsView;
  const float line = fontSize(look.fonts.small) + look.space.tight;
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawText(list, look.fonts.small, at, t.text,
           trFormat("Head {}, whole", panel.selection.head + 1));
  const float side = look.px(kMapSide);
  const float least = look.space.wide;
  const auto ratio = static_cast<float>(trace.keys()) / static_cast<float>(trace.queries());
  const MatrixPlace place{
      Rect::at({at.x, at.y + line}, {std::max(side * std::min(ratio, 1.0F), least),
                                     std::max(side / std::max(ratio, 1.0F), least)}),
      trace.queries(), trace.keys()};
  const Rect& map = place.at;
  if (pictures != nullptr) overview(panel, *pictures, scale, map);
  list->AddRect(map.a, map.b, t.panelBorder);

  const auto number = [](Index n) { return static_cast<double>(n); };
  const Rect part =
      place.block(number(shown.queries.first), number(shown.queries.count),
                  number(shown.keys.first), number(shown.keys.count), look.space.tight);
  const bool whole = shown.queries.count == trace.queries() && shown.keys.count == trace.keys();
  if (!whole) list->AddRectFilled(part.a, part.b, withAlpha(t.accent, 0.15F));
  list->AddRect(part.a, part.b, t.accent, 0, 0, look.px(1.5F));

  ImGui::SetCursorScreenPos(map.a);
  pictureArea("minimap", map.size());
  if (ImGui::IsItemActive()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    centreOn(view.queries, trace.queries(), (mouse.y - map.a.y) / map.height());
    centreOn(view.keys, trace.keys(), (mouse.x - map.a.x) / map.width());
  }
  float below = map.b.y + look.space.tight;
  for (const std::string& words : mapInWords(state, step)) {
    drawText(list, look.fonts.small, {map.a.x, below}, t.textMuted, words);
    below += line;
  }
  ImGui::SetCursorScreenPos({map.a.x, below + look.space.thin});
  ImGui::BeginGroup();
  panArrows(panel, shown);
  ImGui::EndGroup();
}

}  // namespace headscope::ui
