// The chosen head: where it looks from the chosen token, as arcs over the text, and all its
// weights.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/model/chosen_head.h"
#include "app/ui/model/compared_pictures.h"
#include "app/ui/model/model_page.h"
#include "app/ui/model/model_study.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/why_question.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/stage/sentence_drawing.h"
#include "app/ui/stage/stage_story.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/formats/attention_file.h"

namespace headscope::ui {
namespace {

using MomentHeld = std::shared_ptr<const ModelMoment>;

/// The trace of the layer, which a large model computes again.
struct ChosenLayer {
  TracePtr trace;
};

Computed<ChosenLayer> chosenLayer(const PanelContext& panel, const MomentHeld& moment,
                                  Index layer) {
  const Fingerprint key("chosen layer", moment->number, moment->changes, layer);
  return panel.computations.request<ChosenLayer>("chosen layer", key, Schedule::background, [&] {
    return [moment, layer](const std::atomic<bool>&) -> std::optional<ChosenLayer> {
      return ChosenLayer{moment->trace->layer(layer)};
    };
  });
}

/// "“slept” looks at “cat” 86 %, “the” 8 %."
std::string lookInWords(const ModelMoment& moment, Index query, const std::vector<Link>& links) {
  std::string words = trFormat("“{}” looks at", moment.tokenName(query));
  for (std::size_t i = 0; i < links.size(); ++i) {
    words += fmt::format("{} “{}” {}", i > 0 ? "," : "", moment.tokenName(links[i].key),
                         percent(links[i].weight));
  }
  return words + ".";
}

/// Says the weight of the word under the mouse; a click chooses it. Returns it, or −1.
int chooseWord(const PanelContext& panel, const SentenceLayout& layout,
               const std::vector<float>& weights, const ModelMoment& moment) {
  const int hovered = ImGui::IsWindowHovered() ? layout.at(ImGui::GetMousePos()) : -1;
  if (hovered < 0) return hovered;
  showTooltip(trFormat("“{}”: {}\nA click shows where it looks.", moment.tokenName(hovered),
                       percent(weights[static_cast<std::size_t>(hovered)])));
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) panel.modelView.token = hovered;
  return hovered;
}

void drawSentence(const PanelContext& panel, const ModelMoment& moment,
                  const std::vector<float>& weights, const std::vector<Link>& links, Index query,
                  ImU32 color, const Rect& room) {
  const FrameContext& look = panel.look;
  const std::vector<std::string> names = moment.tokenNames();
  SentenceSpace space{room};
  space.largest = look.px(26);
  space.smallest = look.px(12);
  const SentenceLayout layout = layoutSentence(widthsOf(look, names), space);
  std::vector<Arc> arcs;
  for (const Link& link : links) {
    arcs.push_back({static_cast<int>(link.query), static_cast<int>(link.key),
                    arcThickness(look, layout, link.weight), arcs.empty() ? 0.92F : 0.45F,
                    percent(link.weight)});
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(room.a, room.b, true);
  drawArcs(look, list, layout, layout, arcs, color);
  const int hovered = chooseWord(panel, layout, weights, moment);
  drawWords(look, list, {&layout, names, static_cast<int>(query), hovered, weights}, color);
  list->PopClipRect();
}

}  // namespace

void drawChosenHead(const PanelContext& panel, const MomentHeld& moment) {
  const FrameContext& look = panel.look;
  const HeadOfLayer head = chosenHead(panel.modelView, moment->config());
  const auto layer = chosenLayer(panel, moment, head.layer);
  if (layer.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("running the layer …"));
  }
  const Trace& trace = *layer.current->trace;
  const Index query = chosenToken(panel.modelView, *moment);
  const CellRows cells =
      cellsOf(trace, wholeMatrix(TensorId::weights, trace.config(), 0, head.head));
  std::vector<float> weights(static_cast<std::size_t>(cells.cols));
  cells.read(query, weights);
  for (float& weight : weights) weight = std::max(weight, 0.0F);  // masked cells are no weights
  const std::vector<Link> links = strongLinks(weights, query);

  const auto measured = measuredHeads(panel, *moment, Schedule::background);
  std::string title =
      trFormat("{}, head {}", moment->config().layerInWords(head.layer, true), head.head + 1);
  if (measured.current != nullptr) {
    const auto& labels = measured.current->heads->labels;
    title += fmt::format(": {}", labelWithScore(labels[placeOf(head, moment->config())]));
  }
  label(look.fonts.semibold, look.theme.text, title);
  const bool alone = moment->config().modelType == formats::kAttentionsAlone;
  if (!alone && !links.empty() &&
      flowingPill(look, tr("Why this score"),
                  tr("What wrote into the query and the key of the strongest "
                     "link: opens the tab Why"))) {
    explainScore(panel.modelView, {head, query, links.front().key});
  }
  wrappedLabel(look.fonts.regular, look.theme.textMuted, lookInWords(*moment, query, links));
  Rect room = Rect::rest();
  Pictures pictures;
  pictures.count = 1;
  pictures.values =
      Fingerprint("chosen head", moment->number, moment->changes, head.layer, head.head);
  pictures.all[0] = {
      cells, weightScale(look, {}), tr("all weights: rows are queries, columns keys"),
      {},    moment->tokenNames(),  moment->tokenNames()};
  const Rect right =
      room.cutRight(std::min(room.width() * 0.4F, room.height() + look.px(60)), look.space.large);
  drawSentence(panel, *moment, weights, links, query,
               headColor(look.theme, static_cast<std::size_t>(head.head)), room);
  pictures.click = tr("A click shows why it has this score.");
  const auto under = drawPictures(look, pictures, right);
  if (under && ImGui::IsWindowHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    explainScore(panel.modelView, {head, under->row, under->col});
  }
}

}  // namespace headscope::ui
