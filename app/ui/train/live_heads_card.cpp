// The heads of a run, live: layers × heads as heatmaps of the example, with the relation that each
// learns and the step where it was found.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/train/run_controls.h"
#include "app/ui/train/train_page.h"
#include "app/ui/train/train_view.h"
#include "app/ui/train/trained_heads.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

/// The relation that a head learns at the shown moment.
HeadTitle titleOf(const FrameContext& look, const TrainingMoment& moment, const HeadOfLayer& head) {
  const training::Evaluation* evaluation = moment.evaluation();
  const auto role =
      evaluation != nullptr ? training::becoming(evaluation->roles, head) : std::nullopt;
  if (!role) return {};
  HeadTitle title;
  title.does = moment.task->relations[role->relation].name;
  title.mass = fmt::format("{:.2f}", role->mass);
  title.found = role->mass >= training::kFoundMass;
  if (!title.found) return title;
  const auto place = static_cast<std::size_t>(head.layer * moment.settings.model.heads + head.head);
  title.color = headColor(look.theme, place);
  const training::Role& given = evaluation->roles.relations[role->relation];
  const auto when = moment.foundAt[role->relation];
  if (when && *when <= moment.step && given.head == head) title.since = std::to_string(*when);
  return title;
}

/// The colour that a place of the task Cards names: "blue 10".
std::optional<ImU32> colorOfCard(std::string_view name) {
  struct Named {
    std::string_view name;
    ImU32 color;
  };
  static constexpr Named kColors[] = {
      {"red", IM_COL32(214, 40, 40, 255)},     {"orange", IM_COL32(245, 145, 30, 255)},
      {"yellow", IM_COL32(245, 215, 60, 255)}, {"green", IM_COL32(45, 155, 75, 255)},
      {"blue", IM_COL32(40, 100, 220, 255)},   {"violet", IM_COL32(130, 70, 190, 255)},
      {"brown", IM_COL32(125, 80, 45, 255)},   {"black", IM_COL32(30, 30, 34, 255)}};
  for (const Named& each : kColors) {
    const bool begins = name.starts_with(each.name) && name.size() > each.name.size();
    if (begins && name[each.name.size()] == ' ') return each.color;
  }
  return std::nullopt;
}

class LiveHeadsCard final : public Card {
 public:
  explicit LiveHeadsCard(LiveTraining& training)
      : Card({kLiveHeadsCard, tr("All heads"), tr("every head as it forms")}),
        training_(training) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    training_.request(LiveTraining::Extra::nothing);
    const auto moment = training_.moment();
    if (panel.slide && moment != nullptr) return slide(panel, *moment);
    middleTabs(panel, TrainTab::live, nullptr);
    if (moment == nullptr) return;
    label(look.fonts.small, look.theme.textMuted,
          elided(look.fonts.small,
                 whereInRun(*moment) + tr(" · rows: queries, columns: keys, weights 0 to 1"),
                 ImGui::GetContentRegionAvail().x));
    if (const std::string problem = whyHalted(*moment); !problem.empty()) {
      wrappedLabel(look.fonts.small, look.theme.bad, problem);
    }
    controls(panel, *moment);
    const std::vector<std::string> names = placesOf(*moment->task, moment->example);
    heads(look, *moment, names, Rect::rest(), true);
    if (moment->document != nullptr && moment->number != opened_) {
      opened_ = moment->number;
      panel.commands.add(
          OpenDocument{moment->document, trFormat("{}, layer {} at step {}", moment->task->title,
                                                  layer_ + 1, withThousands(moment->step))});
      panel.selection.page = kFlowPage;
    }
  }

 private:
  std::string whyHalted(const TrainingMoment& moment) const {
    return moment.stopped ? moment.stopped->words : training_.problem();
  }

  /// Draws the heads of the moment; a click chooses the layer that “open in Flow” opens.
  void heads(const FrameContext& look, const TrainingMoment& moment,
             std::span<const std::string> names, const Rect& room, bool detailed) {
    std::vector<ImU32> marks;
    for (const std::string& name : names) {
      if (const auto color = colorOfCard(name)) marks.push_back(*color);
    }
    if (marks.size() < names.size()) marks.clear();  // not the task Cards
    const TrainedHeads pictures(
        look, room,
        {.layers = moment.layers(),
         .heads = moment.settings.model.heads,
         .causal = moment.settings.model.causal,
         .names = names,
         .weights = [&](Index layer) { return moment.weights[static_cast<std::size_t>(layer)]; },
         .title = [&](const HeadOfLayer& head) { return titleOf(look, moment, head); },
         .number = moment.number,
         .detailed = detailed,
         .marks = std::move(marks)});
    if (const auto clicked = pictures.draw()) layer_ = clicked->layer;
  }

  /// Draws the example in a row, the questions at the left, and the heads in the rest of the room.
  void slide(const PanelContext& panel, const TrainingMoment& moment) {
    training_.showExample(panel.trainView.example);
    Rect room = Rect::rest();
    const std::vector<std::string> names = placesOf(*moment.task, moment.example);
    exampleRow(panel.look, names, room);
    questions(panel, moment, room);
    const Fonts fonts = fontsForARoom(panel.look.fonts);
    const std::string step = trFormat("step {}", withThousands(moment.step));
    const Rect line = room.cutBottom(fontSize(fonts.title), panel.look.space.small);
    drawText(ImGui::GetWindowDrawList(), fonts.title,
             {line.b.x - textSize(fonts.title, step).x, line.a.y}, panel.look.theme.textMuted,
             step);
    heads(panel.look.withFonts(fonts), moment, names, room, false);
  }

  /// Draws the places of the example next to each other: "blue 10" as a blue card with a 10.
  static void exampleRow(const FrameContext& look, std::span<const std::string> names, Rect& room) {
    ImFont* font = look.fonts.semibold;
    const Rect row = room.cutTop(fontSize(font) + 2.0F * look.space.small, look.space.large);
    const auto count = static_cast<int>(names.size());
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (int i = 0; i < count; ++i) {
      const std::string& name = names[static_cast<std::size_t>(i)];
      const Rect card = row.column(i, count, look.space.tight);
      const auto color = colorOfCard(name);
      const std::string text = color ? name.substr(name.find(' ') + 1) : name;
      list->AddRectFilled(card.a, card.b, color.value_or(look.theme.accentSoft), look.space.small);
      drawTextCentred(list, font, card.centre(), color ? legibleOn(*color) : look.theme.text,
                      elided(font, text, card.width()));
    }
  }

  /// Draws the task's questions in large type at the left of a slide, each in its colour.
  static void questions(const PanelContext& panel, const TrainingMoment& moment, Rect& room) {
    const FrameContext& look = panel.look;
    Rect at = room.cutLeft(room.width() * 0.24F, look.space.wide);
    const auto& relations = moment.task->relations;
    ImDrawList* list = ImGui::GetWindowDrawList();
    drawText(list, look.fonts.title, at.a, look.theme.text,
             relations.size() == 1 ? tr("The question")
                                   : trFormat("The {} questions", relations.size()));
    at.cutTop(fontSize(look.fonts.title), look.space.large);
    for (std::size_t i = 0; i < relations.size(); ++i) {
      const std::string text =
          wrapped(look.fonts.title,
                  fmt::format("{}: {}", relations[i].name, tr(relations[i].words)), at.width());
      list->AddText(look.fonts.title, fontSize(look.fonts.title), at.a,
                    relationColor(look.theme, moment, i), text.c_str());
      at.cutTop(textSize(look.fonts.title, text).y, look.space.large);
    }
  }

  /// Draws the run's buttons, its speed, and the actions on the shown moment.
  void controls(const PanelContext& panel, const TrainingMoment& moment) {
    const FrameContext& look = panel.look;
    runButtons(panel, training_, moment);
    speedChoice(look, training_, {5.0, LiveTraining::kSlow, 0.0});
    if (flowingPill(look, tr("another example"),
                    tr("Another example of the same task; all heads are drawn on it"))) {
      panel.trainView.example = (panel.trainView.example + 1) % training::kEvaluationExamples;
    }
    training_.showExample(panel.trainView.example);
    layer_ = std::clamp<Index>(layer_, 0, moment.layers() - 1);
    for (Index layer = 0; layer < moment.layers(); ++layer) {
      const std::string text = moment.layers() == 1 ? std::string(tr("open in Flow"))
                                                    : trFormat("open layer {} in Flow", layer + 1);
      if (flowingPill(
              look, text,
              tr("Opens this layer, with these weights and this example, with all its tools"))) {
        layer_ = layer;
        training_.askForDocument(layer);
      }
    }
    detailPills(panel);
    earlierStepPills(look, training_, moment);
  }

  LiveTraining& training_;
  Index layer_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace

std::unique_ptr<Card> makeLiveHeadsCard(LiveTraining& training) {
  return std::make_unique<LiveHeadsCard>(training);
}

}  // namespace headscope::ui
