// The card of the heads over steps: every head at several moments of the run, with the relation
// that it was learning at each.
#include <fmt/format.h>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/train/heads_over_steps.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

/// The relation that a head has most of its weight on.
HeadTitle titleAt(const Theme& theme, const TrainingMoment& moment,
                  const training::StripMoment& then, const HeadOfLayer& head) {
  HeadTitle title;
  const auto role = training::becoming(then.evaluation.roles, head);
  if (!role) return title;
  title.does = moment.task->relations[role->relation].name;
  title.mass = fmt::format("{:.2f}", role->mass);
  title.found = role->mass >= training::kFoundMass;
  const Index place = head.layer * moment.settings.model.heads + head.head;
  if (title.found) title.color = headColor(theme, static_cast<std::size_t>(place));
  return title;
}

class OverStepsCard final : public Card {
 public:
  explicit OverStepsCard(LiveTraining& training)
      : Card({kOverStepsCard, tr("Over steps"), tr("every head at moments of the run")}),
        training_(training) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    training_.request(LiveTraining::Extra::strip);
    const auto moment = training_.moment();
    const std::string run =
        moment == nullptr || !panel.alone
            ? std::string()
            : trFormat("{} · seed {}", moment->task->title, moment->settings.seed);
    middleTabs(panel, TrainTab::overSteps, run.empty() ? nullptr : run.c_str());
    if (moment == nullptr) return;
    if (!panel.alone) runButtons(panel, training_, *moment);
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        tr("The start, the newest step, those at which relations were found, and between "
           "them where the loss changed most (that of the fixed examples). Below each head: "
           "the relation it has most of its weight on."));
    if (moment->strip.empty()) return;
    HeadsOverSteps shown{.layers = moment->layers(),
                         .heads = moment->settings.model.heads,
                         .causal = moment->settings.model.causal,
                         .number = moment->number,
                         .columns = {}};
    for (const training::StripMoment& then : moment->strip) {
      shown.columns.push_back(
          {then.step, then.evaluation.losses.loss, then.weights,
           [&](const HeadOfLayer& head) { return titleAt(look.theme, *moment, then, head); }});
    }
    const auto clicked = drawHeadsOverSteps(look, Rect::rest(), shown);
    if (clicked && !panel.alone) training_.showStep(*clicked);
  }

 private:
  LiveTraining& training_;
};

}  // namespace

std::unique_ptr<Card> makeOverStepsCard(LiveTraining& training) {
  return std::make_unique<OverStepsCard>(training);
}

}  // namespace headscope::ui
