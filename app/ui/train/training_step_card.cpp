// A training step: the nine steps forward, the loss, the nine steps back, and the norm of each
// head's gradients, now and over the run.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "app/ui/compat.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/table.h"
#include "app/ui/rich_text.h"
#include "app/ui/step_looks.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/training/task_pass.h"
#include "core/training/weight_gradients.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

std::string symbols(const std::vector<TensorId>& tensors, const char* prefix) {
  std::string text;
  for (const TensorId id : tensors) {
    if (!text.empty()) text += ", ";
    text += prefix + std::string(isResult(id) ? stepViewSymbol(id) : info(id).name);
  }
  return text;
}

/// Draws the steps: forward from top to bottom, backward from bottom to top.
void stepsTable(const FrameContext& look, const AttentionConfig& config) {
  Table table(look, {.id = "both ways", .dense = true},
              {{tr("step"), {}, false, look.px(84), 0.0F, false},
               {tr("forward gives"), {}, false, 0.0F, 1.4F, false},
               {tr("back gives"), {}, false, 0.0F, 1.5F, false}});
  const auto steps = stepsOf(config);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = *steps[i];
    table.row(static_cast<Index>(i));
    table.text(step.text(config).title, look.theme.textMuted);
    const Shape shape = shapeOf(step.mainOutput(), config);
    table.text(fmt::format("{} {}", symbols(step.outputs(), ""), toString(shape)));
    table.text(symbols(step.inputs(config), "∂"));
  }
}

class GradientLengths {
 public:
  GradientLengths(const FrameContext& look, const TrainingMoment& moment)
      : look_(look), moment_(moment), heads_(moment.settings.model.heads) {}

  void table() const {
    const training::StepRecord* record = moment_.record();
    if (record == nullptr) return;
    Table table(
        look_, {.id = "lengths", .dense = true},
        {{tr("head"), {}, false, look_.px(48), 0.0F, false},
         {"‖∂S‖", tr("over all raw scores of the head in the batch"), true, 0.0F, 1.0F, false},
         {"‖∂W_Q‖", {}, true, 0.0F, 1.0F, false},
         {"‖∂W_K‖", {}, true, 0.0F, 1.0F, false},
         {"‖∂W_V‖", {}, true, 0.0F, 1.0F, false},
         {"‖∂W_O‖", {}, true, 0.0F, 1.0F, false}});
    for (std::size_t h = 0; h < record->heads.size(); ++h) {
      const training::HeadGradients& g = record->heads[h];
      table.row(static_cast<Index>(h));
      table.text(name(h), headColor(look_.theme, h));
      for (const float length : {g.rawScores, g.wQ, g.wK, g.wV, g.wO}) {
        table.number(fmt::format("{:.3f}", static_cast<double>(length)));
      }
    }
  }

  void curves(Rect room) const {
    drawChartTitle(look_, room, tr("‖∂S‖ of each head over the run"));
    std::vector<std::vector<ChartPoint>> heads(moment_.records.front().heads.size());
    for (const auto& record : moment_.records) {
      for (std::size_t h = 0; h < heads.size(); ++h) {
        heads[h].push_back(
            {static_cast<double>(record.step), static_cast<double>(record.heads[h].rawScores)});
      }
    }
    std::vector<ImU32> colors;
    for (std::size_t h = 0; h < heads.size(); ++h) colors.push_back(headColor(look_.theme, h));
    chart(room, heads, colors);
  }

  /// Draws the gradient norms of W_Q and W_K and of W_V and W_O, over all heads.
  void weightCurves(Rect room) const {
    const std::vector<ImU32> colors{look_.theme.queryText, look_.theme.valueText};
    drawChartTitle(look_, room, tr("gradients of"),
                   {{"W_Q, W_K", colors.front()}, {"W_V, W_O", colors.back()}});
    std::vector<std::vector<ChartPoint>> curves(2);
    for (const auto& record : moment_.records) {
      const training::WeightGradients g = training::weightGradients(record);
      curves.front().push_back({static_cast<double>(record.step), g.queryKey});
      curves.back().push_back({static_cast<double>(record.step), g.valueOutput});
    }
    chart(room, curves, colors);
  }

 private:
  void chart(const Rect& room, const std::vector<std::vector<ChartPoint>>& curves,
             const std::vector<ImU32>& colors) const {
    double most = 1e-6;
    for (const auto& curve : curves) {
      for (const ChartPoint& point : curve) most = std::max(most, point.y);
    }
    ChartFrame frame{room, roundAxis(0.0, static_cast<double>(moment_.settings.steps)),
                     roundAxis(0.0, most)};
    frame.xName = "step";
    const Chart chart(look_, frame);
    ImDrawList* list = ImGui::GetWindowDrawList();
    chart.drawAxes(list);
    for (std::size_t i = 0; i < curves.size(); ++i) chart.curve(list, curves[i], colors[i]);
    chart.cursor(list, static_cast<double>(moment_.step), look_.theme.text, 1.5F);
  }

  std::string name(std::size_t head) const {
    const auto n = static_cast<Index>(head);
    return moment_.layers() > 1 ? shortName(HeadOfLayer{n / heads_, n % heads_})
                                : std::to_string(n + 1);
  }

  const FrameContext& look_;
  const TrainingMoment& moment_;
  Index heads_;
};

class TrainingStepCard final : public Card {
 public:
  explicit TrainingStepCard(LiveTraining& training)
      : Card({"training step", "A step", tr("forward, loss, back")}), training_(training) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    heading(look, tr("What a step does"), tr("forward, the loss, and back"));
    const auto moment = training_.moment();
    if (moment == nullptr) return;
    stepsTable(
        look, training::attentionOf(*moment->task, moment->settings.model, moment->settings.batch));
    const training::StepRecord* record = moment->record();
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        record == nullptr
            ? trFormat(
                  "{} parameters are learned. No step has run yet.",
                  withThousands(training::parameterCount(*moment->task, moment->settings.model)))
            : trFormat("loss {:.4f} of {} examples · whole gradient {:.3g} long{}", record->loss,
                       withThousands(moment->settings.batch), record->gradientLength,
                       record->gradientLength > moment->settings.optimiser.clip
                           ? trFormat(", shortened to {:g}", moment->settings.optimiser.clip)
                           : std::string()));
    const GradientLengths lengths(look, *moment);
    lengths.table();
    if (record == nullptr) return;
    ImGui::Dummy({1.0F, look.space.tight});
    richParagraph(look.fonts, look.fonts.small, look.theme.text,
                  training::weightGradientsInWords(
                      std::span(moment->records).first(static_cast<std::size_t>(record->step))),
                  ImGui::GetContentRegionAvail().x);
    Rect room = Rect::rest();
    if (room.height() > look.px(210)) {
      lengths.weightCurves(room.cutTop(room.height() * 0.45F, look.space.small));
    }
    if (room.height() > look.px(70)) lengths.curves(room);
  }

 private:
  LiveTraining& training_;
};

}  // namespace

std::unique_ptr<Card> makeTrainingStepCard(LiveTraining& training) {
  return std::make_unique<TrainingStepCard>(training);
}

}  // namespace headscope::ui
