// The tab Why: a trail of the parts that were followed, and the parts of the last of them or of
// all.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/export_choice.h"
#include "app/ui/frame_commands.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/why_chain.h"
#include "app/ui/model/why_question.h"
#include "app/ui/model/why_tables.h"
#include "app/ui/model/why_words.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/model/logit_parts.h"

namespace headscope::ui {
namespace {

using model::WhyLevel;
using model::WhyStep;
using WhyMoment = std::shared_ptr<const ModelMoment>;

/// Draws the chain.
class WhyView {
 public:
  WhyView(const PanelContext& panel, const WhyMoment& moment, const FoundWhy& found,
          const model::WithoutParts* without)
      : panel_(panel),
        look_(panel.look),
        view_(panel.modelView.prediction),
        moment_(moment),
        words_(moment),
        found_(found),
        without_(without) {}

  void draw() {
    if (found_.levels.size() < 2) view_.whyWhole = false;
    trail();
    if (view_.whyWhole) {
      const auto clicked =
          drawLevels(look_, words_, found_, changesOfLevels(panel_, moment_, found_));
      if (clicked) goTo(*clicked);
      return;
    }
    const WhyLevel& level = found_.levels.back();
    wrappedLabel(look_.fonts.small, look_.theme.text, inWords(level));
    // a list of its own for each step and text, which begins at its top
    const std::string id = trFormat("why {} {} {} {}", view_.why, view_.whyScore,
                                    static_cast<int>(view_.whyList), moment_->number);
    const auto step =
        level.score
            ? ofScore(id)
            : drawParts(look_, id, words_.linesOf(level, {view_.whyValues, view_.whyOfQuery}),
                        level.value,
                        {.measured = level.parts.has_value(),
                         .writers = without_ == nullptr ? nullptr : &without_->parts},
                        words_.pictures());
    if (step) follow(*step);
  }

 private:
  /// Draws a score, with the runs without its pairs where the user asked for them.
  std::optional<WhyStep> ofScore(const std::string& id) const {
    PairRuns runs;
    if (pairsAsked(view_)) {
      const auto found = withoutPairs(panel_, moment_, found_);
      const bool stopped = found.problem == Computations::kStopped;
      const bool ended = found.current != nullptr && found.current->done == found.current->units;
      runs.offered = stopped ? PairsClick::run : ended ? PairsClick::none : PairsClick::stop;
      if (ended) runs.found = &found.current->pairs;
      if (!ended && !stopped && found.current != nullptr) {
        runs.progress = trFormat("run {} of {}", found.current->done, found.current->units);
      }
    }
    const auto clicks =
        drawScore(look_, view_, id, words_, *found_.levels.back().score, without_, runs);
    if (clicks.pairs == PairsClick::run) {
      panel_.computations.forget(kWhyPairs);
      askForPairs(view_);
    }
    if (clicks.pairs == PairsClick::stop) panel_.computations.stop(kWhyPairs);
    return clicks.step;
  }

  void follow(const WhyStep& step) const {
    std::vector<WhyStep> steps = found_.steps;
    steps.push_back(step);
    view_.why = model::textOf(steps);
    if (step.kind != WhyStep::Kind::head) return;
    chooseHead(panel_.modelView, words_.config(), found_.levels.back().reading.stack, step.head);
  }
  void goTo(std::size_t level) const { showLevel(view_, found_, level); }

  /// The names of the levels; a click goes back to one.
  void trail() const {
    for (std::size_t i = 0; i < found_.levels.size(); ++i) {
      const std::string name = fmt::format("{}##level{}", words_.nameOf(found_, i), i);
      if (i > 0) {
        flowOn(look_, buttonWidth(look_, name) + look_.px(14), 2.0F);
        inlineLabel(look_, look_.fonts.small, look_.theme.textMuted, "›");
        ImGui::SameLine(0.0F, look_.space.tight);
      }
      const bool shown = i + 1 == found_.levels.size() && !view_.whyWhole;
      if (pill(look_, name.c_str(), shown)) goTo(i);
    }
    const auto next = strongestStep(found_.levels.back());
    if (next &&
        flowingPill(look_, tr("follow the largest"),
                    tr("Takes the step to the largest part that a head or network wrote, or to the "
                       "largest token or neuron, of those with the sign of the sum"))) {
      follow(*next);
    }
    if (next) largestHead(*next);
    if (found_.levels.size() > 1) ofChain();
    if (found_.levels.back().sources && !view_.whyWhole) tokenChoice();
    if (found_.levels.back().neuron && !view_.whyWhole) sideChoice(*found_.levels.back().neuron);
  }

  /// Offers the largest head where the largest part is of a network.
  void largestHead(const WhyStep& largest) const {
    const auto head = strongestStep(found_.levels.back(), model::Through::heads);
    if (!head || *head == largest) return;
    if (flowingPill(look_, tr("largest head"),
                    tr("Takes the step to the largest part that a head wrote, past what networks "
                       "wrote"))) {
      follow(*head);
    }
  }

  /// Draws what is offered for a chain of several levels.
  void ofChain() const {
    const char* all = view_.whyWhole ? tr("one level") : tr("all levels");
    const char* about = view_.whyWhole
                            ? tr("The parts of the last level alone")
                            : tr("All levels of the chain beside each other, as one figure");
    if (flowingPill(look_, all, about)) {
      view_.whyWhole = !view_.whyWhole;
    }
    const bool scored = std::ranges::any_of(
        found_.levels, [](const WhyLevel& level) { return level.score.has_value(); });
    if (view_.whyWhole && scored && !pairsAsked(view_) &&
        flowingPill(look_, tr("without each pair##levels"),
                    tr("Runs the model again without each of the largest pairs of the scores"))) {
      askForPairs(view_);
    }
    if (flowingPill(
            look_, tr("export##why"),
            tr("The chain as JSON; Picture there draws all its levels, as PNG, SVG or PDF"))) {
      panel_.commands.add(ExportAs{ExportKind::chain});
    }
  }

  /// Names the parts that are larger than the one that a step follows.
  std::string passedInWords(const WhyStep& step) const {
    const auto passed = passedOver(found_.levels.back(), step);
    if (passed.empty()) return {};
    const model::PassedPart& most = passed.front();
    const bool opposed = std::ranges::any_of(passed, [](const model::PassedPart& part) {
      return model::canBeFollowed(part.writer) || (part.key && model::canBeFollowed(*part.key));
    });
    return trFormat(
        " “follow the largest” passes over {} that no head or network wrote{}: {}{} {}{}",
        passed.size() == 1 ? std::string(tr("a larger part"))
                           : trFormat("{} larger parts", passed.size()),
        opposed ? tr(", or of the other sign") : "", model::inWords(most.writer, words_.config()),
        most.key ? " × " + model::inWords(*most.key, words_.config()) : "",
        changeInWords(most.value), passed.size() == 1 ? "." : ", …");
  }

  /// The level in words, the changes without the head, and what the largest step passes over.
  std::string inWords(const WhyLevel& level) const {
    std::string words = words_.inWords(found_, found_.levels.size() - 1);
    const char* whole =
        level.reached ? model::inWords(*level.reached) : WhyWords::wholeOf(found_.question);
    if (without_ != nullptr && without_->followed) {
      words += trFormat(
          " Without this part: {}, {} held. Without everything that the {} gives here, with all "
          "later steps run again, the {} changes by {}.",
          changeInWords(without_->followed->frozen),
          model::heldInWords(words_.config(), !level.reached),
          level.sources ? tr("head") : tr("network"), whole,
          changeInWords(without_->followed->total));
    }
    const auto next = strongestStep(level);
    if (next) words += passedInWords(*next);
    if (const double networks = partOfNetworks(level); networks != 0.0) {
      words +=
          fmt::format(" {}: {}, {}.",
                      level.score ? tr("All pairs with a network") : tr("All that networks wrote"),
                      changeInWords(networks), model::percentOf(networks, level.value));
    }
    return words;
  }

  /// Offers both products of a gated neuron.
  void sideChoice(const model::PreActivation& neuron) const {
    if (!neuron.other) return;
    const std::vector<const char*> offered{"gate", "up"};
    flowOn(look_, choicesWidth(look_, offered) + look_.px(70), 14.0F);
    rowCaption(look_, tr("takes apart"));
    const bool ofUp = neuron.of.side == model::NeuronSide::up;
    const int chosen = choices(look_, "neuron's side", offered, ofUp ? 1 : 0);
    tip(look_, tr("The neuron is act(gate) · up; at first the larger product is taken apart"));
    if (chosen < 0) return;
    std::vector<WhyStep> steps = found_.steps;
    steps.back().neuron.side = chosen == 1 ? model::NeuronSide::up : model::NeuronSide::gate;
    view_.why = model::textOf(steps);
  }

  void tokenChoice() const {
    const std::vector<const char*> offered{tr("why it looks there"), tr("its value")};
    flowOn(look_, choicesWidth(look_, offered) + look_.px(50), 14.0F);
    rowCaption(look_, tr("follows"));
    const int chosen = choices(look_, "why follows", offered, view_.whyValues ? 1 : 0);
    if (chosen >= 0) view_.whyValues = chosen == 1;
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  PredictionView& view_;
  const WhyMoment& moment_;
  WhyWords words_;
  const FoundWhy& found_;
  const model::WithoutParts* without_;  // of the last level; null until it is computed
};

}  // namespace

void drawWhy(const PanelContext& panel, const WhyMoment& moment) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  const auto question = whyQuestion(panel.modelView, *moment);
  if (!question) return label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
  const auto found = chainOf(panel, moment, *question);
  if (!found.problem.empty()) {
    wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
    if (!view.why.empty() && pill(look, tr("start over##why"))) view.why.clear();
    if (view.why.empty() && view.whyScore.empty()) {
      wrappedLabel(look.fonts.regular, look.theme.textMuted,
                   tr("Scores of heads are sums in every model: choose “a score”."));
    }
    return;
  }
  if (found.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
  }
  const auto without = withoutLast(panel, moment, *found.current);
  WhyView(panel, moment, *found.current, without.current).draw();
}

}  // namespace headscope::ui
