// The curves of a run: loss, right answers and the best mass of each relation over steps, on one
// time axis with the moment that is shown, which can be dragged back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/parts/chart.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

double bestMass(const training::Evaluation& at, std::size_t relation) {
  double best = std::nan("");
  for (const training::LayerRoles& layer : at.roles.layers) {
    for (const auto& head : layer.mass) {
      if (!(head[relation] <= best)) best = head[relation];
    }
  }
  return best;
}

class Curves {
 public:
  Curves(const Look& look, const TrainingMoment& moment, const Rect& room)
      : look_(look),
        moment_(moment),
        list_(ImGui::GetWindowDrawList()),
        room_(room),
        steps_(roundAxis(0.0, static_cast<double>(moment.settings.steps))) {}

  /// Gives the step under the mouse while it is dragged.
  std::optional<Index> draw() {
    loss();
    answers();
    masses();
    return dragged_;
  }

 private:
  Rect part(int n) const { return room_.column(n, 3, look_.space.wide); }

  Chart chart(Rect room, const std::string& title, const std::vector<ChartKey>& keys,
              const ChartAxis& y) {
    drawChartTitle(look_, room, title, keys);
    ChartFrame frame{room, steps_, y};
    frame.xName = "step";
    Chart chart(look_, frame);
    chart.drawAxes(list_);
    return chart;
  }

  void finish(const Chart& chart, const char* id) {
    for (std::size_t r = 0; r < moment_.foundAt.size(); ++r) {
      if (!moment_.foundAt[r]) continue;
      chart.cursor(list_, static_cast<double>(*moment_.foundAt[r]),
                   withAlpha(relationColor(look_.theme, r), 0.45F));
    }
    chart.cursor(list_, static_cast<double>(moment_.step), look_.theme.text, 1.5F);
    chart.item(id);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    }
    if (!ImGui::IsItemActive()) return;
    const auto step = static_cast<Index>(std::llround(chart.underMouse().x));
    dragged_ = std::clamp<Index>(step, 0, moment_.stepsTaken);
  }

  void loss() {
    double most = 0.0;
    std::vector<ChartPoint> points;
    for (const training::StepRecord& record : moment_.records) {
      points.push_back({static_cast<double>(record.step), record.loss});
      most = std::max(most, record.loss);
    }
    if (points.empty() && !moment_.evaluations.empty()) {
      most = moment_.evaluations.front().losses.loss;
    }
    const training::StepRecord* now = moment_.record();
    const Chart plot =
        chart(part(0), now != nullptr ? fmt::format("loss {:.3f}", now->loss) : "loss", {},
              roundAxis(0.0, std::max(most, 1e-3)));
    plot.curve(list_, points, look_.theme.accent);
    finish(plot, "loss");
  }

  void answers() {
    const auto questions = moment_.task->questions();
    std::vector<ChartKey> keys;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      keys.push_back({std::string(questions[q].name), relationColor(look_.theme, q)});
    }
    // of a number there is no right or wrong
    const bool numbers =
        std::any_of(questions.begin(), questions.end(),
                    [](const training::Question& question) { return question.classes == 1; });
    const Chart plot = chart(part(1), numbers ? "answered right; of numbers R²" : "answered right",
                             keys, roundAxis(0.0, 1.0));
    for (std::size_t q = 0; q < questions.size(); ++q) {
      std::vector<ChartPoint> points;
      for (const training::Evaluation& at : moment_.evaluations) {
        points.push_back(
            {static_cast<double>(at.step), std::max(0.0, at.losses.questions[q].accuracy)});
      }
      plot.curve(list_, points, keys[q].color);
    }
    finish(plot, "answers");
  }

  void masses() {
    const auto relations = moment_.task->relations();
    std::vector<ChartKey> keys;
    for (std::size_t r = 0; r < relations.size(); ++r) {
      keys.push_back({std::string(relations[r].name), relationColor(look_.theme, r)});
    }
    const Chart plot =
        chart(part(2), "weight on the partner, best head", keys, roundAxis(0.0, 1.0));
    const float found = plot.at(0.0, training::kFoundMass).y;
    list_->AddLine({plot.plot().a.x, found}, {plot.plot().b.x, found}, look_.theme.divider,
                   look_.space.thin);
    for (std::size_t r = 0; r < relations.size(); ++r) {
      std::vector<ChartPoint> points;
      for (const training::Evaluation& at : moment_.evaluations) {
        points.push_back({static_cast<double>(at.step), bestMass(at, r)});
      }
      plot.curve(list_, points, keys[r].color);
    }
    finish(plot, "masses");
  }

  const Look& look_;
  const TrainingMoment& moment_;
  ImDrawList* list_;
  Rect room_;
  ChartAxis steps_;
  std::optional<Index> dragged_;
};

class CurvesCard final : public Card {
 public:
  explicit CurvesCard(LiveTraining& training)
      : Card({"curves", "Curves", "the run so far; drag to look back"}), training_(training) {}

  void draw(const Panel& panel) override {
    heading(panel.look, "Curves", "the run so far · drag along them to look back at any moment");
    const auto moment = training_.moment();
    if (moment == nullptr) return;
    const auto dragged = Curves(panel.look, *moment, Rect::rest()).draw();
    if (!dragged) return;
    training_.play(false);
    training_.lookAt(*dragged < moment->stepsTaken ? dragged : std::nullopt);
  }

 private:
  LiveTraining& training_;
};

}  // namespace

std::unique_ptr<Card> makeCurvesCard(LiveTraining& training) {
  return std::make_unique<CurvesCard>(training);
}

}  // namespace headscope::ui
