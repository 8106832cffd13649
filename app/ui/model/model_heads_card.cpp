// The card of all heads of a model: the choice of the map, its arrangement, findings about the
// chosen head, and the heads themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/model/compared_model.h"
#include "app/ui/model/compositions_view.h"
#include "app/ui/model/head_maps.h"
#include "app/ui/model/heads_over_set.h"
#include "app/ui/model/model_heads.h"
#include "app/ui/model/model_page.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/model_words.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/view_state.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/attention_file.h"

namespace headscope::ui {

using model::Stack;

namespace {

class ModelHeadsCard final : public Card {
 public:
  explicit ModelHeadsCard(LiveModel& model)
      : Card({kModelHeadsCard, tr("All layers"),
              tr("rows: layers, columns: heads · wheel and drag zoom")}),
        model_(model) {}

  bool takesWheel() const override { return memory_.takesWheel; }

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const bool inPlace = panel.modelView.heads.order.empty();
    heading(look, text().title,
            look.still
                ? (inPlace ? tr("rows: layers, columns: heads") : tr("sorted: the strongest first"))
            : inPlace ? text().about
                      : tr("sorted: the strongest first · wheel and drag zoom"));
    const auto whole = model_.moment();
    if (whole == nullptr) return;
    ModelView& view = panel.modelView;
    const bool alone = whole->config().modelType == formats::kAttentionsAlone;
    if (alone) view.attention = AttentionShown::cross;  // a file of two texts has no other
    if (whole->source != nullptr && !alone) attentions(look, view, whole->config());
    const std::shared_ptr<const ModelMoment> moment = momentShown(view, whole);
    chooseWithin(view, moment->config());
    const bool adapted = moment->trace->document().model->adapter() != nullptr;
    if (!adapted && view.metric == kAdapterMap) view.metric.clear();
    if (!adapted && view.heads.order == kAdapterMap) view.heads.order.clear();
    const ComparedPass compared = comparedPass(panel, model_);
    if (!compared.asked) {
      if (view.metric == kDistanceMap) view.metric.clear();
      if (view.heads.order == kDistanceMap) view.heads.order.clear();
    }
    maps(look, view, *moment, compared);
    arrangement(panel, view, *moment, compared);
    actions(panel, *moment);
    const bool ofText = view.heads.on == MeasuredOn::text;
    if (compared.asked && ofText && view.metric != kDistanceMap) passes(panel, compared);
    if (view.heads.on == MeasuredOn::set) {
      const ShownHeads measured = headsOverSet(panel, model_, *moment, set_);
      return heads(panel, {moment}, measured);
    }
    if (view.heads.on == MeasuredOn::text) return ofTexts(panel, moment, compared);
    const auto probed = probedModel(panel, *moment);
    // the probe of the model before its last change is shown meanwhile
    const ProbedModel* shown = probed.last;
    if (shown != nullptr &&
        shown->moment->trace->document().model != moment->trace->document().model) {
      shown = nullptr;
    }
    const bool current = probed.current != nullptr;
    if (shown == nullptr) return findings(panel, *moment, {nullptr, 0, false, probed.problem});
    heads(panel, {shown->moment},
          ShownHeads{shown->heads.get(), shown->moment->trace->tokens(), current, probed.problem});
  }

 private:
  /// Draws the choice between the page's own pass, the other one, and their difference.
  static void passes(const PanelContext& panel, const ComparedPass& compared) {
    const FrameContext& look = panel.look;
    ComparedView& view = panel.modelView.compared;
    const std::vector<const char*> offered{tr("this pass"), tr("the other"), "difference"};
    flowOn(look, choicesWidth(look, offered), 14.0F);
    const int chosen = choices(look, "passes", offered, static_cast<int>(view.shown));
    if (chosen >= 0) view.shown = static_cast<PassShown>(chosen);
    const std::string other = compared.moment != nullptr
                                  ? comparedName(panel.modelView, *compared.moment)
                                  : tr("the other");
    tip(look, trFormat("The other pass is {}, chosen in the tab Side by side. The difference is "
                       "this pass minus the other",
                       other));
    if (view.shown == PassShown::own) return;
    const std::string& why = compared.problem.empty() && view.shown == PassShown::difference
                                 ? compared.whyNoDifference
                                 : compared.problem;
    if (!why.empty()) return wrappedLabel(look.fonts.small, look.theme.bad, why);
    if (view.shown == PassShown::difference) saysPairs(look, compared);
  }

  /// Says which tokens and heads are compared, where the passes differ in size.
  static void saysPairs(const FrameContext& look, const ComparedPass& compared) {
    if (compared.pairs == nullptr || compared.pairs->inWords.empty()) return;
    wrappedLabel(look.fonts.small, look.theme.textMuted, compared.pairs->inWords);
  }

  /// Draws all heads on the page's own text, in the other pass, or their difference.
  void ofTexts(const PanelContext& panel, const std::shared_ptr<const ModelMoment>& own,
               const ComparedPass& compared) {
    const PassShown shown = panel.modelView.compared.shown;
    if (compared.moment != nullptr && shown == PassShown::other) {
      const auto found = measuredOther(panel, *compared.shown);
      const model::MeasuredHeads* measured =
          found.current != nullptr ? found.current->heads.get() : nullptr;
      return heads(panel, {compared.shown},
                   ShownHeads{measured, compared.shown->trace->tokens(), measured != nullptr,
                              found.problem});
    }
    const bool difference = compared.subtracts() && shown == PassShown::difference;
    heads(panel, {own, difference ? compared.shown : nullptr, compared.pairs}, std::nullopt);
  }

  /// Draws all heads in a pass, of a text or of the probe.
  void heads(const PanelContext& panel, const ShownWeights& weights,
             const std::optional<ShownHeads>& measured) {
    const FrameContext& look = panel.look;
    const ModelMoment& moment = *weights.of;
    if (panel.modelView.metric == kTokensMap) tokens(look, panel.modelView, moment);
    ModelHeads heads(panel, model_, weights, memory_, measured);
    findings(panel, moment, heads.shown());
    if (const auto opened = heads.draw()) open(panel, moment, *opened);
  }

  void open(const PanelContext& panel, const ModelMoment& moment, const HeadOfLayer& head) {
    const auto whole = model_.moment();
    const bool own = &moment == whole.get() || &moment == whole->source.get();
    const bool other = panel.modelView.compared.shown == PassShown::other;
    if (other && !own) return openAloneInFlow(panel, moment, head);
    openLayerInFlow(panel, model_, head, stackOf(model_, moment));
  }

  /// Draws the choice among the three attentions of two stacks.
  static void attentions(const FrameContext& look, ModelView& view,
                         const model::ModelConfig& decoder) {
    const int chosen = choices(look, "attention", {tr("encoder"), tr("decoder"), tr("cross")},
                               static_cast<int>(view.attention));
    tip(look, tr("The encoder attends within the source text, the decoder within the target; its "
                 "cross-attention looks from the target at the source"));
    if (chosen >= 0) {  // the chosen layer stays, as users count layers
      const bool encoder = view.attention == AttentionShown::encoder;
      const Index depth = encoder ? view.layer : decoder.depthOf(view.layer);
      view.attention = static_cast<AttentionShown>(chosen);
      view.layer = view.attention == AttentionShown::encoder ? depth : 2 * depth;
    }
    ImGui::SameLine(0.0F, look.space.large);
  }

  /// Keeps the chosen head among those that are shown.
  static void chooseWithin(ModelView& view, const model::ModelConfig& config) {
    view.head = std::clamp<Index>(view.head, 0, config.heads - 1);
    view.layer = std::clamp<Index>(view.layer, 0, config.layers - 1);
    if (!config.crossAttention) return;
    const bool cross = view.attention == AttentionShown::cross;
    if (config.readsMemory(view.layer) != cross) view.layer += cross ? 1 : -1;
  }

  std::vector<HeadMap> offeredMaps(const ModelMoment& moment, const ComparedPass& compared) const {
    const model::ModelTrace& predicts = *predictedBy(model_, moment).trace;
    return headMaps(moment, compared.subtracts(), predicts.document().model->hasReadout());
  }

  /// Draws the choice of the map, which determines what represents a head.
  void maps(const FrameContext& look, ModelView& view, const ModelMoment& moment,
            const ComparedPass& compared) const {
    if (pill(look, tr("weights"), view.metric.empty())) view.metric.clear();
    flowOn(look, buttonWidth(look, tr("what it does")), 3.0F);
    if (pill(look, tr("what it does"), view.metric == kLabelMap)) view.metric = kLabelMap;
    tip(look, tr("Colours each head by what it does. ") + labelRule());
    const std::vector<HeadMap> offered = offeredMaps(moment, compared);
    const auto chosen = std::ranges::find(offered, view.metric, &HeadMap::key);
    const bool open =
        beginChoice(look, "##map", chosen != offered.end() ? chosen->name : tr("a measure"));
    if (!open) {
      return tip(look,
                 chosen != offered.end() ? chosen->about : tr("Colours each head by one number"));
    }
    for (const HeadMap& map : offered) {
      if (ImGui::Selectable(map.name.c_str(), view.metric == map.key)) view.metric = map.key;
    }
    ImGui::EndCombo();
  }

  static bool beginChoice(const FrameContext& look, const char* id, const std::string& shown) {
    const float width = buttonWidth(look, shown) + ImGui::GetFrameHeight();
    flowOn(look, width);
    ImGui::SetNextItemWidth(width);
    return beginCombo(look, id, shown, ImGuiComboFlags_HeightLarge);
  }

  static void measuredOn(const FrameContext& look, ModelHeadsView& heads, bool twoStacks) {
    std::vector<const char*> offered{tr("this text"), tr("repeated random tokens")};
    if (!twoStacks) offered.push_back(tr("texts of a set"));
    if (twoStacks && heads.on == MeasuredOn::set) heads.on = MeasuredOn::text;
    const int on = choices(look, "measured on", offered, static_cast<int>(heads.on));
    if (on >= 0) heads.on = static_cast<MeasuredOn>(on);
    tip(look,
        tr("Maps and metrics describe this text; random tokens given twice, where a head can only "
           "use positions and earlier tokens (Olsson et al. 2022); or the mean over many texts"));
  }

  void order(const FrameContext& look, ModelHeadsView& heads, const ModelMoment& moment,
             const ComparedPass& compared) const {
    if (!beginChoice(look, "##order", orderInWords(heads.order))) return;
    const auto choice = [&](const std::string& key) {
      if (ImGui::Selectable(orderInWords(key).c_str(), heads.order == key)) heads.order = key;
    };
    choice("");
    choice(kLabelMap);
    for (const HeadMap& map : offeredMaps(moment, compared)) choice(map.key);
    ImGui::EndCombo();
  }

  void arrangement(const PanelContext& panel, ModelView& view, const ModelMoment& moment,
                   const ComparedPass& compared) {
    const FrameContext& look = panel.look;
    ModelHeadsView& heads = view.heads;
    if (moment.ofImage() || moment.config().modelType == formats::kAttentionsAlone) {
      heads.on = MeasuredOn::text;
    } else {
      measuredOn(look, heads, model_.moment()->source != nullptr);
    }
    set_ = heads.on == MeasuredOn::set ? chooseSet(panel, moment) : ChosenTexts{};
    order(look, heads, moment, compared);
    chooseLines(look, heads, moment);
    if (!view.metric.empty()) return;
    flowOn(look, buttonWidth(look, tr("each its own scale")), 14.0F);
    if (pill(look, tr("each its own scale"), view.ownScale)) view.ownScale = !view.ownScale;
    flowOn(look, buttonWidth(look, tr("first column")));
    if (pill(look, tr("first column"), view.firstToken)) view.firstToken = !view.firstToken;
    tip(look, trFormat("Many heads put idle weight on {}. Hiding its column shows the rest",
                       firstInWords(moment)));
    if (std::ranges::find(memory_.special, true) == memory_.special.end()) return;
    flowOn(look, buttonWidth(look, tr("special tokens")));
    if (pill(look, tr("special tokens"), heads.specialTokens)) {
      heads.specialTokens = !heads.specialTokens;
    }
    tip(look,
        tr("Shows the rows and columns of tokens that are not part of the text, such as [CLS]"));
  }

  void actions(const PanelContext& panel, const ModelMoment& moment) {
    const FrameContext& look = panel.look;
    const ModelView& view = panel.modelView;
    if (memory_.canvas.zoom > 1.0F &&
        flowingPill(look, tr("whole model"), tr("All layers and heads"))) {
      memory_.canvas = {};
    }
    const HeadOfLayer chosen{view.layer, view.head};
    if (moment.config().modelType == formats::kAttentionsAlone)
      return;  // only its weights are real
    const Stack stack = stackOf(model_, moment);
    const std::string layer = layerInWords(moment.config(), stack, view.layer);
    if (flowingPill(look, trFormat("open {} in Flow", layer),
                    tr("Opens this layer on this text with all its tools; edits there run in the "
                       "model"))) {
      this->open(panel, moment, chosen);
    }
    const std::string off = trFormat("{}, head {} {}", layer, view.head + 1,
                                     model_.isOff(chosen, stack) ? "on" : "off");
    if (flowingPill(look, off, tr("The prediction without it appears at the left"))) {
      model_.switchHead(chosen, stack);
    }
    if (model_.changed()) changes(look);
  }

  /// Draws the list of changes of the model, which can be undone one by one or all at once.
  void changes(const FrameContext& look) {
    const ModelMoment& moment = *model_.moment();
    const model::ModelConfig& c = moment.config();
    std::vector<std::string> heads, layers;  // in a few letters
    const std::vector<Stack> stacks = stacksOf(*moment.trace);
    for (const Stack stack : stacks) {
      for (const HeadOfLayer& head : model_.headsOff(stack)) {
        const bool encoder = stack == Stack::encoder;
        heads.push_back(encoder ? trFormat("encoder {}·{}", head.layer + 1, head.head + 1)
                                : shortName(head, c));
      }
      for (const Index layer : model_.layersEdited(stack)) {
        layers.push_back(layerInWords(c, stack, layer));
      }
    }
    if (beginChoice(look, "##changes", changesInWords(heads, layers))) {
      for (const Stack stack : stacks) {
        for (const HeadOfLayer& head : model_.headsOff(stack)) {
          const std::string text =
              trFormat("{}, head {}: switch on", layerInWords(c, stack, head.layer), head.head + 1);
          if (ImGui::Selectable(text.c_str())) model_.switchHead(head, stack);
        }
        for (const Index layer : model_.layersEdited(stack)) {
          const std::string text = trFormat("{}: undo all changes", layerInWords(c, stack, layer));
          if (ImGui::Selectable(text.c_str())) model_.resetLayer(layer, stack);
        }
      }
      ImGui::EndCombo();
    }
    tip(look, tr("What differs from the model as loaded; ctrl+z takes the last of it back"));
    if (!heads.empty() && flowingPill(look, tr("all on"), tr("Switches every head on"))) {
      model_.switchAllOn();
    }
  }

  /// "off: 1·1, 2·3; edited: layer 2"
  static std::string changesInWords(const std::vector<std::string>& off,
                                    const std::vector<std::string>& edited) {
    static constexpr std::size_t kNamed = 3;
    const auto some = [](std::vector<std::string> names) {
      const std::size_t more = names.size() - std::min(kNamed, names.size());
      names.resize(names.size() - more);
      return fmt::format("{}{}", fmt::join(names, ", "),
                         more > 0 ? trFormat(" and {} more", more) : std::string());
    };
    std::string words = off.empty() ? std::string() : "off: " + some(off);
    if (edited.empty()) return words;
    return words + (words.empty() ? "" : "; ") + "edited: " + some(edited);
  }

  /// Returns the names of the first chosen tokens.
  std::string namesOf(const std::vector<Index>& tokens) const {
    constexpr std::size_t kNamed = 4;
    std::string names;
    for (const Index token : std::span(tokens).first(std::min(kNamed, tokens.size()))) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ",
                           memory_.names[static_cast<std::size_t>(token)]);
    }
    if (tokens.size() > kNamed) names += trFormat(" and {} more", tokens.size() - kNamed);
    return names;
  }

  /// Draws a list that toggles tokens without closing.
  void tokenChoice(const FrameContext& look, const char* id, const std::string& shown,
                   std::vector<Index>& tokens, const char* none) const {
    if (!beginChoice(look, id, shown)) return;
    if (ImGui::Selectable(none, tokens.empty(), ImGuiSelectableFlags_DontClosePopups)) {
      tokens.clear();
    }
    for (Index i = 0; i < std::ssize(memory_.names); ++i) {
      const auto found = std::lower_bound(tokens.begin(), tokens.end(), i);
      const bool chosen = found != tokens.end() && *found == i;
      const std::string name =
          fmt::format("{}  {}##{}", i + 1, memory_.names[static_cast<std::size_t>(i)], i);
      if (!ImGui::Selectable(name.c_str(), chosen, ImGuiSelectableFlags_DontClosePopups)) continue;
      if (chosen) {
        tokens.erase(found);
      } else {
        tokens.insert(found, i);
      }
    }
    ImGui::EndCombo();
  }

  void tokens(const FrameContext& look, ModelView& view, const ModelMoment& moment) {
    if (memory_.of != moment.number) return;  // the names are set with the first picture
    inlineLabel(look, look.fonts.small, look.theme.textMuted, tr("mean weight from"));
    const auto queries = chosenQueries(view.heads, moment);
    tokenChoice(look, "##queries", queries.empty() ? tr("every token") : namesOf(queries),
                view.heads.queries, tr("every token"));
    ImGui::SameLine();
    inlineLabel(look, look.fonts.small, look.theme.textMuted, "to");
    tokenChoice(look, "##keys", namesOf(chosenKeys(view.heads, moment)), view.heads.keys,
                firstInWords(moment).c_str());
  }

  /// "the first token"; of an image "the class token".
  static std::string firstInWords(const ModelMoment& moment) {
    return moment.ofImage() ? trFormat("the {} token", moment.tokenName(0))
                            : std::string(tr("the first token"));
  }

  /// Draws, in a line, the computations under way and the partners of the chosen head.
  void findings(const PanelContext& panel, const ModelMoment& moment,
                const ShownHeads& shown) const {
    const FrameContext& look = panel.look;
    const ModelView& view = panel.modelView;
    const auto say = [&](std::string_view words, bool problem = false) {
      wrappedLabel(look.fonts.small, problem ? look.theme.bad : look.theme.textMuted, words);
    };
    if (!shown.problem.empty()) {
      say(shown.problem, true);
    } else if (!shown.current) {
      say(view.heads.on == MeasuredOn::probe ? tr("running repeated random tokens …")
                                             : tr("measuring the heads …"));
    }
    if (view.heads.on == MeasuredOn::probe && shown.current) {
      say(trFormat("maps and metrics describe {} random tokens, the second half equal to the first",
                   shown.tokens));
    }
    if (view.heads.on == MeasuredOn::set && view.metric.empty()) {
      say(tr("the weights are those of this page's own text; labels are those of the set"));
    }
    if (view.metric == kGradientMap || view.heads.order == kGradientMap) gradient(panel, moment);
    if (view.metric == kCopyingMap) {
      const auto copying = copyingOfHeads(panel, moment);
      if (!copying.problem.empty()) {
        say(copying.problem, true);
      } else if (copying.current == nullptr) {
        say(tr("multiplying the heads' weights …"));
      }
    }
    if (view.metric == kPositionMap) {
      const auto shares = sharesOfPositions(panel, moment);
      if (!shares.problem.empty()) say(shares.problem, true);
    }
    if (view.metric == kDistanceMap) {
      const ComparedPass compared = comparedPass(panel, model_);
      if (compared.asked && compared.moment == nullptr && compared.problem.empty()) {
        say(tr("running the other pass …"));
      }
      saysPairs(look, compared);
    }
    if (!view.heads.lines) return;
    const ModelMoment& whole = *model_.moment();
    const auto compositions = modelCompositions(panel, whole);
    if (!compositions.problem.empty()) return say(compositions.problem, true);
    if (compositions.current == nullptr) return say(tr("multiplying the heads' weights …"));
    say(partnersInWords(*compositions.current, *view.heads.lines, stackOf(model_, moment),
                        {view.layer, view.head}, whole.config()));
  }

  /// Says what the map of gradients is of, and whether it is computed.
  void gradient(const PanelContext& panel, const ModelMoment& shown) const {
    const FrameContext& look = panel.look;
    const ModelMoment& moment = predictedBy(model_, shown);
    const auto word = chosenWord(panel.modelView, moment);
    if (!word) {
      return wrappedLabel(look.fonts.small, look.theme.textMuted,
                          trFormat("no {} is predicted here, so there is no gradient of one",
                                   nounsOf(moment).said));
    }
    const auto found = gradientsOfHeads(panel, moment, stackOf(model_, shown), *word);
    const bool failed = !found.problem.empty();
    wrappedLabel(
        look.fonts.small, failed ? look.theme.bad : look.theme.textMuted,
        failed ? std::string(found.problem)
        : found.current == nullptr
            ? tr("running the model backward …")
            : trFormat("length of the gradient of the {} with respect to each head's output",
                       logitName(*word, moment)));
  }

  LiveModel& model_;
  ModelHeads::Memory memory_;
  ChosenTexts set_;  // whose texts heads are measured on
};

}  // namespace

std::unique_ptr<Card> makeModelHeadsCard(LiveModel& model) {
  return std::make_unique<ModelHeadsCard>(model);
}

}  // namespace headscope::ui
