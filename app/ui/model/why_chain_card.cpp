// The card of a whole chain: every level of the tab Why, without its controls.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/export_subject.h"
#include "app/ui/ids.h"
#include "app/ui/model/model_page.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/why_chain.h"
#include "app/ui/model/why_question.h"
#include "app/ui/model/why_tables.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

class ModelChainCard final : public Card {
 public:
  explicit ModelChainCard(LiveModel& model)
      : Card({kModelChainCard, tr("Chain"), tr("all levels of the chain of the tab Why")}),
        model_(model) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = model_.moment();
    const auto question = moment == nullptr ? std::nullopt : whyQuestion(panel.modelView, *moment);
    if (!question) {
      return label(
          look.fonts.regular, look.theme.textMuted,
          moment != nullptr || model_.busy() ? tr("being computed …") : tr("no model is open"));
    }
    const auto found = chainOf(panel, moment, *question);
    if (!found.problem.empty()) {
      return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
    }
    if (found.current == nullptr) {
      return label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
    }
    const WhyWords words(moment);
    wrappedLabel(look.fonts.semibold, look.theme.text, tr("Why: ") + words.titleOf(*question));
    std::string of = modelInWords(*moment->trace);
    if (!moment->ofImage()) of += fmt::format(" · {}", moment->given());
    label(look.fonts.small, look.theme.textMuted,
          elided(look.fonts.small, of, ImGui::GetContentRegionAvail().x));
    ImGui::Dummy({0.0F, look.space.small});
    const auto clicked =
        drawLevels(look, words, *found.current, changesOfLevels(panel, moment, *found.current));
    if (clicked) showLevel(panel.modelView.prediction, *found.current, *clicked);
  }

 private:
  LiveModel& model_;
};

}  // namespace

std::unique_ptr<Card> makeModelChainCard(LiveModel& model) {
  return std::make_unique<ModelChainCard>(model);
}

}  // namespace headscope::ui
