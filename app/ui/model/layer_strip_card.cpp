// The strip above Flow while Flow shows a layer of the model: the layer's position in the model,
// the parts around its attention, the model's prediction, and links to other layers and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "app/ui/asked_score.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/menu.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_page.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/why_question.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/selection.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/model/tokenized.h"

namespace headscope::ui {

using model::Stack;

namespace {

/// Returns the order of a layer's parts, from its attention on.
std::string wayThrough(const model::ModelConfig& c, Index layer) {
  if (c.crossAttention && !c.hasNetwork(layer)) {
    return c.preNorm ? tr("residual stream → norm → attention (here) → + → residual stream")
                     : tr("residual stream → attention (here) → + → norm");
  }
  if (c.attentionOnly) return tr("residual stream → attention (here) → + → residual stream");
  const std::string network = c.experts.at(layer) ? "experts" : "feed-forward";
  if (c.parallel) {
    return trFormat("residual stream → norm → attention (here) and {} → + → residual stream",
                    network);
  }
  if (c.preNorm) {
    return trFormat(
        "residual stream → norm → attention (here) → + → norm → {} → + → residual "
        "stream",
        network);
  }
  return tr("residual stream → attention (here) → + → norm → feed-forward → + → norm");
}

class LayerStripCard final : public Card {
 public:
  explicit LayerStripCard(LiveModel& model)
      : Card({kLayerStripCard, tr("Layer of the model"), tr("where it stands"), 0, false, nullptr,
              false}),
        model_(model) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = model_.moment();
    const LayersInFlow::Opened* shown = model_.layerInFlow();
    if (moment == nullptr || shown == nullptr) return;
    const model::ModelConfig& c = moment->config();
    const Stack stack = model_.stackInFlow();
    const model::ModelConfig& own = shown->of->model->config();
    if (pill(look, "← Model")) {
      chooseHead(panel.modelView, c, stack, {shown->layer, panel.modelView.head});
      panel.selection.page = kModelPage;
    }
    tip(look, tr("Back to all layers; your changes here stay in the model"));
    ImGui::SameLine();
    if (pill(look, tr("Why this score"))) {
      const ScoreInFlow score = scoreInFlow(panel);
      const HeadOfLayer head{shown->layer, score.head};
      chooseHead(panel.modelView, c, stack, head);
      explainScore(panel.modelView, {head, score.query, score.key, stack});
      panel.selection.page = kModelPage;
    }
    tip(look, tr("Takes the chosen score, or that of the strongest link, apart by all that earlier "
                 "layers wrote into its query and its key"));
    ImGui::SameLine();
    if (moment->trace->document().model->hasReadout() && pill(look, tr("Network"))) {
      chooseHead(panel.modelView, c, stack, {shown->layer, panel.modelView.head});
      panel.modelView.prediction.reading = kNetworkReading;
      panel.modelView.prediction.folded = false;
      panel.selection.page = kModelPage;
    }
    tip(look, tr("The residual stream around this attention and the network behind it, with the "
                 "gradients of what is predicted"));
    ImGui::SameLine();
    inlineLabel(look, look.fonts.semibold, look.theme.text,
                trFormat("{}, {} of {}", moment->trace->document().model->name(),
                         layerInWords(c, stack, shown->layer), own.depth()));
    ImGui::SameLine(0.0F, look.space.large);
    layers(panel, own, stack, shown->layer);
    experts(panel, *moment, shown->layer);
    const std::string said = saysInWords(panel.modelView, *moment);
    const std::string way = wayThrough(own, shown->layer);
    const float room = ImGui::GetContentRegionAvail().x;
    const float words = textSize(look.fonts.small, said).x;
    if (textSize(look.fonts.small, way).x + words + 2 * look.space.large < room) {
      inlineLabel(look, look.fonts.small, look.theme.textMuted, way);
      ImGui::SameLine(0.0F, look.space.large);
    }
    inlineLabel(look, look.fonts.small, model_.problem().empty() ? look.theme.text : look.theme.bad,
                model_.problem().empty() ? said : model_.problem());
  }

 private:
  /// Draws as many layers around the shown one as fit into half of the line; where layers are
  /// hidden at a side, "…" there opens the list of all.
  void layers(const PanelContext& panel, const model::ModelConfig& c, Stack stack, Index shown) {
    const FrameContext& look = panel.look;
    const Index count = c.layers;
    const float each = buttonWidth(look, c.crossAttention ? "00 cross" : "00") + look.space.thin;
    const auto fit =
        std::max<Index>(1, static_cast<Index>(ImGui::GetContentRegionAvail().x * 0.35F / each));
    const Index first = std::clamp<Index>(shown - fit / 2, 0, std::max<Index>(0, count - fit));
    const Index end = std::min(count, first + fit);
    if (first > 0) moreLayers(look, "…##layers before", first);
    for (Index layer = first; layer < end; ++layer) {
      const std::string name = fmt::format("{}##layer {}", layerName(c, stack, layer), layer);
      if (pill(look, name.c_str(), layer == shown) && layer != shown) {
        openLayerInFlow(panel, model_, {layer, panel.selection.head}, stack);
      }
      tip(look, trFormat("{}{}: open it here", c.layerInWords(layer, true),
                         model_.differs(layer, stack) ? ", edited" : ""));
      ImGui::SameLine(0.0F, look.space.thin);
    }
    if (end < count) moreLayers(look, "…##layers behind", count - end);
    allLayers(panel, c, stack, shown);
    ImGui::SameLine(0.0F, look.space.large);
  }

  /// "3", "3 cross*".
  std::string layerName(const model::ModelConfig& c, Stack stack, Index layer) const {
    const char* kind = !c.crossAttention ? "" : c.readsMemory(layer) ? " cross" : " self";
    return fmt::format("{}{}{}", c.depthOf(layer) + 1, kind,
                       model_.differs(layer, stack) ? "*" : "");
  }

  void moreLayers(const FrameContext& look, const char* text, Index hidden) {
    if (pill(look, text)) opensList_ = true;
    tip(look, trFormat("{} more; a list of all layers", withThousands(hidden)));
    ImGui::SameLine(0.0F, look.space.thin);
  }

  void allLayers(const PanelContext& panel, const model::ModelConfig& c, Stack stack, Index shown) {
    if (std::exchange(opensList_, false)) openMenu("all layers");
    constexpr int kLines = 16;
    ImGui::SetNextWindowSizeConstraints(
        {0.0F, 0.0F}, {panel.look.px(400), kLines * ImGui::GetFrameHeightWithSpacing()});
    if (!beginPopup("all layers")) return;
    for (Index layer = 0; layer < c.layers; ++layer) {
      const std::string name = fmt::format("{}{}", c.layerInWords(layer, true),
                                           model_.differs(layer, stack) ? ", edited" : "");
      if (ImGui::MenuItem(name.c_str(), nullptr, layer == shown) && layer != shown) {
        openLayerInFlow(panel, model_, {layer, panel.selection.head}, stack);
      }
      if (layer == shown && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
    }
    ImGui::EndPopup();
  }

  /// Names the experts that the chosen token goes to in this layer; the tip names those of all.
  static void experts(const PanelContext& panel, const ModelMoment& moment, Index layer) {
    if (!moment.config().experts.at(layer)) return;
    const FrameContext& look = panel.look;
    using Chosen = std::vector<std::vector<model::ChosenExpert>>;
    const auto* chosen = panel.computations.computeNow<Chosen>(
        "experts", Fingerprint("experts", moment.number, layer),
        [&] { return moment.trace->experts(layer); });
    if (chosen == nullptr) return;
    const auto line = [&](Index token) {
      const auto at = static_cast<std::size_t>(token);
      std::vector<std::string> each;
      for (const model::ChosenExpert& expert : (*chosen)[at]) {
        each.push_back(fmt::format("{} ({:.2f})", expert.expert + 1, expert.weight));
      }
      return trFormat("“{}” goes to experts {}", moment.tokenName(token), fmt::join(each, ", "));
    };
    inlineLabel(look, look.fonts.small, look.theme.text,
                line(chosenToken(panel.modelView, moment)));
    constexpr Index kMostLines = 24;
    std::string all = trFormat("Which of the {} experts each token goes to, and their weights",
                               moment.config().experts.count);
    for (Index token = 0; token < std::min(kMostLines, moment.trace->tokens()); ++token) {
      all += "\n" + line(token);
    }
    tip(look, all);
    ImGui::SameLine(0.0F, look.space.large);
  }

  static std::string saysInWords(const ModelView& view, const ModelMoment& moment) {
    if (moment.predictions.empty()) return {};
    const Index token = predictedRow(view, moment);
    const auto at = static_cast<std::size_t>(token);
    const model::TokenProbability& best = moment.predictions[at].front();
    const std::string name = moment.tokenName(token);
    const char* where = moment.config().causal ? "after" : "for";
    std::string said = trFormat("{} “{}” the model predicts “{}” {:.1f} %", where, name,
                                moment.nameOf(best.id), 100.0 * best.probability);
    if (moment.unedited == nullptr) return said;
    const model::TokenProbability& before = moment.unedited->best[at];
    return said + trFormat(", unedited “{}” {:.1f} %", moment.nameOf(before.id),
                           100.0 * before.probability);
  }

  LiveModel& model_;
  bool opensList_ = false;  // of all layers, with this frame
};

/// The weight of the key that a head looks at most from the chosen token.
CellRef strongestWeight(const ModelView& view, const ModelMoment& moment, const HeadOfLayer& head) {
  const TracePtr layer = moment.trace->layer(head.layer);
  std::vector<float> row(static_cast<std::size_t>(layer->config().keys()));
  const Index query = chosenToken(view, moment);
  layer->tile(TensorId::weights, 0, head.head, query, 1, 0, std::ssize(row), row.data());
  const Index key = std::ranges::max_element(row) - row.begin();
  return {TensorId::weights, 0, head.head, query, key};
}

/// Opens a layer in Flow at the chosen token.
void showInFlow(const PanelContext& panel, const ModelMoment& moment, const HeadOfLayer& head,
                const std::function<void(const DocumentPtr&)>& opened = {}) {
  const std::string name = fmt::format("{}, {}", moment.trace->document().model->name(),
                                       moment.config().layerInWords(head.layer));
  OpenDocument open{nullptr, name};
  const std::string problem = whyNot([&] {  // the layer's weights may have to be read
    open.document = moment.trace->documentOfLayer(head.layer, defaultMemoryBudget());
    open.chosen = strongestWeight(panel.modelView, moment, head);
  });
  if (!problem.empty()) return panel.commands.say(problem, true);
  if (opened) opened(open.document);
  if (panel.selection.page != kFlowPage) {
    panel.selection.step = StepId::softmax;  // which gives the chosen weight
    // Stage and Heads follow the token that was chosen here; Stage else the one that shows most
    panel.stageView.word = panel.modelView.token < 0 ? Index{-1} : open.chosen->row;
    panel.headsView.query = open.chosen->row;
  }
  panel.commands.add(std::move(open));
  panel.selection.head = head.head;
  panel.selection.page = kFlowPage;
}

}  // namespace

const std::shared_ptr<const ModelMoment>& momentShown(
    const ModelView& view, const std::shared_ptr<const ModelMoment>& moment) {
  const bool encoder = view.attention == AttentionShown::encoder && moment->source != nullptr;
  return encoder ? moment->source : moment;
}

Index chosenToken(const ModelView& view, const ModelMoment& moment) {
  const Index last = moment.trace->tokens() - 1;
  if (view.token < 0 && moment.ofImage()) return 0;
  if (view.token < 0) {
    const Index place = model::readPlace(*moment.trace, moment.tokenizer.get());
    // behind the end of a written target nothing follows: its last word is of more use
    const model::ModelInput& input = moment.trace->document().input;
    const bool ends = moment.config().crossAttention && place > 0 && !input.ids.empty() &&
                      moment.config().ends(input.ids[static_cast<std::size_t>(place)]);
    return ends ? place - 1 : place;
  }
  return std::min(view.token, last);
}

Index predictedRow(const ModelView& view, const ModelMoment& moment) {
  return moment.ofImage() ? Index{0} : chosenToken(view, moment);
}

void openLayerInFlow(const PanelContext& panel, LiveModel& live, const HeadOfLayer& head,
                     Stack stack) {
  const auto whole = live.moment();
  const auto moment = stack == Stack::encoder ? whole->source : whole;
  showInFlow(panel, *moment, head,
             [&](const DocumentPtr& document) { live.openedInFlow(head.layer, document, stack); });
}

void openAloneInFlow(const PanelContext& panel, const ModelMoment& moment,
                     const HeadOfLayer& head) {
  showInFlow(panel, moment, head);
}

std::unique_ptr<Card> makeLayerStripCard(LiveModel& model) {
  return std::make_unique<LayerStripCard>(model);
}

}  // namespace headscope::ui
