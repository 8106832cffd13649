// The origin of the model's prediction at the chosen token: a card with a tab for each reading.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/ids.h"
#include "app/ui/model/compared_view.h"
#include "app/ui/model/generation_view.h"
#include "app/ui/model/model_page.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/model_words.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/sweep_texts.h"
#include "app/ui/model/why_question.h"
#include "app/ui/panel.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/tab_row.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/attention_file.h"
#include "core/model/position_patterns.h"
#include "core/model/tokenized.h"

namespace headscope::ui {
namespace {

/// Returns whether a pill has room on the line of the last item.
bool fitsInLine(const FrameContext& look, const std::string& pillText) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  return ImGui::GetItemRectMax().x + look.px(3) + buttonWidth(look, pillText) <= right;
}

struct PredictionReading {
  const char* title;
  const char* about;
  void (*draw)(const PanelContext&, const AskedWord&);  // null: the tab is not about a word
  bool differs;                                         // it supports the difference of two words
  bool ofImages = false;                                // it has a meaning for a model of images
};
constexpr std::array kReadings{
    PredictionReading{
        trLater("Layer by layer"),
        trLater("Logit lens: the prediction if the model stopped after each half layer"),
        &drawLogitLens, false, true},
    PredictionReading{
        trLater("Who says it"),
        trLater("Direct logit attribution: what each head and network adds to the logit"),
        &drawLogitParts, true, true},
    PredictionReading{trLater("Another output"),
                      trLater("Replaces a head's output and shows the effect on the prediction"),
                      &drawHeadReplaced, true, true},
    PredictionReading{trLater("Go on"),
                      trLater("The model continues the text, with cached keys and values"), nullptr,
                      false},
    PredictionReading{trLater("Every part"),
                      trLater("Activation patching: each head, layer or place is replaced in turn"),
                      &drawSweep, true, true},
    PredictionReading{trLater("Why"),
                      trLater("Follows a prediction, or a head's score, back to what was read"),
                      nullptr, true, true},
    PredictionReading{
        trLater("Alignment"),
        trLater("Which words of the source the decoder looks at, at each word of the target"),
        nullptr, false},
    PredictionReading{trLater("Side by side"),
                      trLater("Another text, picture or model, next to this one"), nullptr, false},
    PredictionReading{trLater("One head"),
                      trLater("Where the chosen head looks from the chosen word"), nullptr, false},
    PredictionReading{trLater("Its weights"),
                      trLater("What the chosen head does by its weights alone, without a text"),
                      nullptr, false},

    PredictionReading{trLater("Match"), trLater("How well lines of text match the image"), nullptr,
                      false, true},
    PredictionReading{trLater("Streams"),
                      trLater("The residual streams of both stacks, and the memory between them"),
                      nullptr, false},
    PredictionReading{trLater("Network"),
                      trLater("The residual stream and the network of the chosen layer, with "
                              "gradients of what is predicted"),
                      &drawLayerTensors, true, true}};

/// Only models with an encoder and a decoder have an alignment, and streams.
constexpr int kAlignment = 6;
constexpr int kSideBySide = 7;
constexpr int kOneHead = 8;
constexpr int kItsWeights = 9;
constexpr int kMatch = 10;
constexpr int kStreams = 11;
/// The readings in the order of their tabs.
constexpr std::array kOrder{
    kOneHead,    kItsWeights,     0,          1,           2,      3,       kEveryPartReading,
    kWhyReading, kNetworkReading, kAlignment, kSideBySide, kMatch, kStreams};
static_assert(kOrder.size() == kReadings.size());

/// Returns whether a reading has a meaning for the open model; without one all have.
bool isOffered(const PanelContext& panel, int i, const ModelMoment* moment) {
  if (moment == nullptr) return i != kAlignment && i != kMatch && i != kStreams;
  if (i == kMatch) return matchesTexts(panel, *moment);
  const bool two = moment->source != nullptr;
  const bool alone = moment->config().modelType == formats::kAttentionsAlone;
  if (i == kAlignment) return two;
  if (i == kStreams || (i == kSideBySide && two)) return two && !alone;
  if (i == kWhyReading) return !alone;
  if (i == kItsWeights) {
    const model::Model& model = *moment->trace->document().model;
    return model.hasReadout() && hasPositionPatterns(model) && !moment->config().latent.on();
  }
  if (i == kOneHead) return !two && !moment->ofImage();
  if (i == kSideBySide) return true;
  const bool says = moment->trace->document().model->hasReadout();
  return says && (!moment->ofImage() || kReadings[static_cast<std::size_t>(i)].ofImages);
}

static_assert(kReadings[kEveryPartReading].draw == &drawSweep);

constexpr const char* kFold = trLater("fold");
constexpr const char* kUnfold = trLater("unfold");
constexpr const char* kEnlarge = trLater("enlarge");
constexpr const char* kReduce = trLater("reduce");

class ModelPredictionCard final : public Card {
 public:
  ModelPredictionCard(LiveModel& model, LiveGeneration& generation)
      : Card({kModelPredictionCard, tr("Prediction"),
              tr("how the model arrives at its prediction")}),
        model_(model),
        generation_(model, generation),
        compared_(model) {}

  std::vector<CardTab> tabs(const PanelContext& panel) const override {
    std::vector<CardTab> tabs;
    const auto moment = model_.moment();
    for (const int i : kOrder) {
      if (moment == nullptr || !isOffered(panel, i, moment.get())) continue;
      const PredictionReading& reading = kReadings[static_cast<std::size_t>(i)];
      tabs.push_back({tr(reading.title), tr(reading.about), [i](const PanelContext& of) {
                        of.modelView.prediction.reading = i;
                        of.modelView.prediction.folded = false;
                      }});
    }
    return tabs;
  }

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    PredictionView& view = panel.modelView.prediction;
    const auto moment = model_.moment();
    std::vector<int> offered;
    std::vector<Tab> tabs;
    for (const int i : kOrder) {
      if (!isOffered(panel, i, moment.get())) continue;
      const PredictionReading& reading = kReadings[static_cast<std::size_t>(i)];
      offered.push_back(i);
      tabs.push_back({tr(reading.title), tr(reading.about)});
    }
    takeOffered(view.reading, offered);
    const auto shown = std::ranges::find(offered, view.reading);
    const float top = ImGui::GetCursorPosY();
    const float fold = std::max(buttonWidth(look, tr(kFold)), buttonWidth(look, tr(kUnfold)));
    const float enlarge = std::max(buttonWidth(look, tr(kEnlarge)), buttonWidth(look, tr(kReduce)));
    const float sizes = enlarge + look.space.tight + fold;
    const int clicked = tabRow(look, "readings", tabs, static_cast<int>(shown - offered.begin()),
                               tr(kReadings[static_cast<std::size_t>(view.reading)].about),
                               sizes + look.space.large);
    const ImVec2 below = ImGui::GetCursorPos();
    const auto at = [&](float fromRight) {
      ImGui::SetCursorPos(
          {ImGui::GetWindowContentRegionMax().x - fromRight, top - look.space.tight});
    };
    at(sizes);
    const bool large = view.enlarged && !view.folded;
    if (pill(look, large ? tr(kReduce) : tr(kEnlarge))) {
      view.enlarged = !large;
      view.folded = false;
    }
    tip(look, large ? tr("Shows the heads of all layers again")
                    : tr("Gives this card the room of the heads"));
    at(fold);
    if (pill(look, view.folded ? tr(kUnfold) : tr(kFold))) view.folded = !view.folded;
    tip(look, tr("Folds the card to leave more room for the heads"));
    ImGui::SetCursorPos(below);
    if (clicked >= 0) {
      view.reading = offered[static_cast<std::size_t>(clicked)];
      view.folded = false;
      instead_.reset();
    }
    if (view.folded) return;
    if (moment == nullptr) return;
    if (view.reading == kAlignment) return drawAlignment(panel, *moment);
    if (view.reading == kStreams) return drawStreams(panel, *moment);
    if (view.reading == kOneHead) return drawChosenHead(panel, moment);
    if (view.reading == kItsWeights) return drawHeadCircuits(panel, *moment);
    if (view.reading == kMatch) return drawMatch(panel, *moment);
    if (view.reading == kSideBySide) return compared_.draw(panel, *moment);
    if (view.reading == kWhyReading) return why(panel, moment);
    if (moment->predictions.empty()) {
      return wrappedLabel(look.fonts.regular, look.theme.textMuted,
                          model_.busy() ? tr("being computed …") : tr("could not be computed"));
    }
    const PredictionReading& reading = kReadings[static_cast<std::size_t>(view.reading)];
    if (reading.draw == nullptr) return generation_.draw(panel, *moment);
    const bool answered = view.reading == kEveryPartReading && allAnswered(panel, *moment);
    const AskedWord asked =
        answered ? answers(panel, moment) : words(panel, moment, reading.differs);
    ImGui::Dummy({0.0F, look.space.tight});
    reading.draw(panel, asked);
  }

 private:
  /// Takes the first reading in the place of one that the model does not have, until a model has
  /// it again.
  void takeOffered(int& reading, const std::vector<int>& offered) {
    const auto has = [&](int each) { return std::ranges::find(offered, each) != offered.end(); };
    if (instead_ && reading == instead_->second && has(instead_->first)) {
      reading = instead_->first;
      instead_.reset();
    }
    if (has(reading)) return;
    instead_ = {reading, offered.front()};
    reading = offered.front();
  }

  /// Draws the reading Why, of the chosen word or of a score.
  void why(const PanelContext& panel, const std::shared_ptr<const ModelMoment>& moment) {
    const FrameContext& look = panel.look;
    chooseQuestion(panel, moment);
    const PredictionView& view = panel.modelView.prediction;
    if (view.whyScore.empty()) {
      if (view.whyOfScore || moment->predictions.empty()) {
        return label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
      }
      ImGui::SameLine(0.0F, look.space.large);
      (void)words(panel, moment, true);
    }
    drawWhy(panel, moment);
  }

  /// Says where the words come from that a set of texts asks for, which the page's do not change.
  static AskedWord answers(const PanelContext& panel,
                           const std::shared_ptr<const ModelMoment>& moment) {
    label(panel.look.fonts.regular, panel.look.theme.textMuted,
          tr("each text asks for its own answer"));
    const auto [row, word, against] = chosenWord(panel.modelView, *moment).value();
    return {moment, row, word, against};
  }

  /// Draws the choice of a word, from the most probable ones or typed, and of one to compare it
  /// with.
  AskedWord words(const PanelContext& panel, const std::shared_ptr<const ModelMoment>& moment,
                  bool differs) {
    const FrameContext& look = panel.look;
    PredictionView& view = panel.modelView.prediction;
    const Index known = moment->config().vocabulary;
    if (view.word >= known) view.word = -1;
    if (view.other >= known) view.other = -1;
    const auto [row, word, against] = chosenWord(panel.modelView, *moment).value();
    const auto& best = moment->predictions[static_cast<std::size_t>(row)];

    const std::size_t offered = Rect::rest().width() < look.px(1000) ? 4 : 6;
    const auto offer = [&](const char* what, Index chosen, Index leftOut, auto&& choose) {
      float gap = 6.0F;
      const auto shortName = [&](Index id) {  // labels of images are lists of names
        return elided(look.fonts.regular, moment->nameOf(id), look.px(150));
      };
      const auto one = [&](Index id) {
        const std::string name = moment->nameOf(id), part = shortName(id);
        const std::string text = fmt::format("{}##{} {}", part, what, id);
        flowOn(look, buttonWidth(look, text), std::exchange(gap, 3.0F));
        if (pill(look, text.c_str(), id == chosen)) choose(id);
        if (part != name) tip(look, name);
      };
      bool among = chosen < 0 || chosen == leftOut, some = false;
      for (std::size_t i = 0; i < std::min(offered, best.size()); ++i) {
        if (best[i].id == leftOut) continue;
        const bool further = leftOut >= 0 && best[i].id != chosen && some;
        if (further && !fitsInLine(look, shortName(best[i].id))) continue;  // not worth a line
        some = true;
        among = among || best[i].id == chosen;
        one(best[i].id);
      }
      if (!among) one(chosen);
    };
    rowCaption(
        look, fmt::format(fmt::runtime(moment->config().causal ? tr("after “{}”") : tr("for “{}”")),
                          moment->tokenName(row))
                  .c_str());
    offer("word", word, -1, [&](Index id) { view.word = id; });
    typedWord(panel, *moment);
    if (!differs) return {moment, row, word, std::nullopt};
    flowOn(look, buttonWidth(look, tr("none")) + look.px(70), 14.0F);
    rowCaption(look, tr("against"));
    if (pill(look, tr("none##against"), !against)) view.other = -1;
    offer("against", view.other, word, [&](Index id) { view.other = id; });
    return {moment, row, word, against};
  }

  /// Draws the field for a word that is not among the most probable.
  void typedWord(const PanelContext& panel, const ModelMoment& moment) {
    const FrameContext& look = panel.look;
    const float width = look.px(110);
    flowOn(look, width, 3.0F);
    ImGui::SetNextItemWidth(width);
    const std::string hint = trFormat("another {}", nounsOf(moment).said);
    const TextField field{"##typed word", ImGuiInputTextFlags_EnterReturnsTrue, hint.c_str()};
    if (textField(look, field, typed_)) {
      const std::string problem = whyNot([&] {
        const Index id = model::onePredicted(typed_, moment.config(), moment.tokenizer.get());
        if (id < 0 || id >= moment.config().vocabulary) {
          throw UserError(trFormat("id {} is no {} of this model", id,
                                   moment.ofImage() ? tr("label") : tr("token")));
        }
        panel.modelView.prediction.word = id;
        typed_.clear();
      });
      if (!problem.empty()) panel.commands.say(problem, true);
    }
    tip(look, moment.ofImage()
                  ? tr("The name of a label, or its id; then enter")
                  : tr("One token, with the space before it where there is one, or its "
                       "id; then enter"));
  }

  LiveModel& model_;
  std::optional<std::pair<int, int>> instead_;  // a reading, and the one in its place
  GenerationTab generation_;
  ComparedTab compared_;
  std::string typed_;  // the word being typed
};

}  // namespace

std::unique_ptr<Card> makeModelPredictionCard(LiveModel& model, LiveGeneration& generation) {
  return std::make_unique<ModelPredictionCard>(model, generation);
}

std::string probabilityInWords(double probability) {
  const bool tiny = probability > 0.0 && probability < 0.0005;
  return tiny ? "<0.001" : fmt::format("{:.3f}", probability);
}

std::string changeInWords(double change) {
  return std::abs(change) < 0.0005 ? "0.000" : fmt::format("{:+.3f}", change);
}

std::optional<ChosenWord> chosenWord(const ModelView& view, const ModelMoment& moment) {
  if (moment.predictions.empty()) return std::nullopt;
  const Index known = moment.config().vocabulary, row = predictedRow(view, moment);
  const Index best = moment.predictions[static_cast<std::size_t>(row)].front().id;
  const auto& [word, other] = std::pair(view.prediction.word, view.prediction.other);
  ChosenWord chosen{row, word >= 0 && word < known ? word : best, std::nullopt};
  if (other >= 0 && other < known && other != chosen.word) chosen.other = other;
  return chosen;
}

std::string logitName(const ChosenWord& chosen, const ModelMoment& moment) {
  std::string logit = trFormat("logit of “{}”", moment.nameOf(chosen.word));
  if (!chosen.other) return logit;
  return trFormat("{} − logit of “{}”", logit, moment.nameOf(*chosen.other));
}

std::string AskedWord::name() const { return fmt::format("“{}”", moment->nameOf(word)); }

std::string AskedWord::logitName() const { return ui::logitName({row, word, other}, *moment); }

Fingerprint AskedWord::key(std::string_view what) const {
  return Fingerprint(what, moment->number, row, word, other.value_or(-1));
}

}  // namespace headscope::ui
