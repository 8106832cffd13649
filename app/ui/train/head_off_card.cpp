// Switch a head off: the answers of the model at the shown moment without the output of one head,
// head by head.
#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/panel.h"
#include "app/ui/parts/table.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

class HeadOffTable {
 public:
  HeadOffTable(const FrameContext& look, const TrainingMoment& moment)
      : look_(look), moment_(moment), off_(*moment.headsOff) {}

  void draw() {
    std::vector<TableColumn> columns{
        {tr("off"), {}, false, look_.px(120), 0.0F, false},
        {tr("is becoming"), {}, false, look_.px(110), 0.0F, false},
        {tr("loss"), tr("of the fixed examples"), true, look_.px(60), 0.0F, false}};
    for (const training::Question& question : moment_.task->questions) {
      columns.push_back({std::string(question.name) + (question.classes == 1 ? " R²" : ""),
                         std::string(tr(question.words)), true, 0.0F, 1.0F, false});
    }
    Table table(look_, {.id = "heads off"}, std::move(columns));
    row(table, std::nullopt, off_.all);
    for (std::size_t layer = 0; layer < off_.without.size(); ++layer) {
      for (std::size_t head = 0; head < off_.without[layer].size(); ++head) {
        row(table, HeadOfLayer{static_cast<Index>(layer), static_cast<Index>(head)},
            off_.without[layer][head]);
      }
    }
  }

 private:
  void row(Table& table, const std::optional<HeadOfLayer>& head, const training::Losses& losses) {
    const Theme& t = look_.theme;
    const Index n = head ? head->layer * moment_.settings.model.heads + head->head : -1;
    table.row(n);
    if (head) {
      table.swatch(training::headInWords(*head, moment_.layers()),
                   headColor(t, static_cast<std::size_t>(n)));
    } else {
      table.swatch(tr("none: all heads"), 0);
    }
    const training::Evaluation* evaluation = moment_.evaluation();
    const auto role =
        head && evaluation != nullptr ? training::becoming(evaluation->roles, *head) : std::nullopt;
    table.text(
        role ? fmt::format("{} {:.2f}", moment_.task->relations[role->relation].name, role->mass)
             : std::string(),
        role && role->mass >= training::kFoundMass ? relationColor(t, moment_, role->relation)
                                                   : t.textMuted);
    table.number(fmt::format("{:.3f}", losses.loss));
    for (std::size_t q = 0; q < losses.questions.size(); ++q)
      cell(table, head.has_value(), q, losses);
  }

  /// Draws a bar for the accuracy of the answers, with an outline up to the accuracy with all
  /// heads.
  void cell(Table& table, bool isOff, std::size_t q, const training::Losses& losses) {
    const Theme& t = look_.theme;
    const double with = off_.all.questions[q].accuracy;
    const double now = losses.questions[q].accuracy;
    float width = 0.0F;
    const ImVec2 corner = table.cell(&width);
    const float line = fontSize(look_.fonts.mono) + look_.space.tight;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto to = [&](double share) {
      return corner.x + width * std::clamp(static_cast<float>(share), 0.0F, 1.0F);
    };
    const ImU32 color = relationColor(t, moment_, q);
    list->AddRectFilled(corner, {to(now), corner.y + line}, withAlpha(color, 0.22F));
    if (isOff && now < with) {
      list->AddRect({to(now), corner.y}, {to(with), corner.y + line}, withAlpha(color, 0.35F));
    }
    const training::Question& question = moment_.task->questions[q];
    const std::string text =
        question.classes == 1 ? cellNumber(now, 2) : fmt::format("{:.0f} %", 100.0 * now);
    const float wide = textSize(look_.fonts.mono, text).x;
    drawText(list, look_.fonts.mono,
             {corner.x + width - wide - look_.space.tight, corner.y + look_.space.hair},
             isOff && with - now > 0.1 ? t.bad : t.text, text);
  }

  const FrameContext& look_;
  const TrainingMoment& moment_;
  const training::HeadsOff& off_;
};

class HeadOffCard final : public Card {
 public:
  explicit HeadOffCard(LiveTraining& training)
      : Card({"head off", tr("Switch a head off"), tr("which questions lose their answers")}),
        training_(training) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    training_.request(LiveTraining::Extra::headsOff);
    middleTabs(panel, TrainTab::headOff, nullptr);
    const auto moment = training_.moment();
    if (moment == nullptr) return;
    runButtons(panel, training_, *moment);
    ImGui::SameLine(0.0F, look.space.large);
    inlineLabel(look, look.fonts.small, look.theme.textMuted,
                trFormat("step {} of {} · right answers of {} examples",
                         withThousands(moment->step), withThousands(moment->settings.steps),
                         withThousands(training::kEvaluationExamples)));
    detailPills(panel);
    if (!moment->headsOff) return;
    HeadOffTable(look, *moment).draw();
    ImGui::Dummy({1.0F, look.space.tight});
    wrappedLabel(look.fonts.small, look.theme.text,
                 training::headsOffInWords(*moment->task, *moment->headsOff));
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        tr("Off: the head's output is multiplied by 0. The other heads were trained together "
           "with it and do not adapt."));
  }

 private:
  LiveTraining& training_;
};

}  // namespace

std::unique_ptr<Card> makeHeadOffCard(LiveTraining& training) {
  return std::make_unique<HeadOffCard>(training);
}

}  // namespace headscope::ui
