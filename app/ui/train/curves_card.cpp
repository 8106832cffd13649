// The curves of a run: loss, right answers and the best mass of each relation over steps. They
// share a time axis; the shown moment can be dragged along it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"

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
  Curves(const FrameContext& look, const TrainingMoment& moment, const Rect& room)
      : look_(look),
        moment_(moment),
        list_(ImGui::GetWindowDrawList()),
        room_(room),
        steps_(roundAxis(0.0, static_cast<double>(moment.settings.steps))) {}

  /// Returns the step under the mouse while it is dragged.
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

  /// Draws the shown moment and the steps where relations were found, and handles the mouse.
  /// `words` returns the tooltip of an evaluation.
  template <typename Words>
  void finish(const Chart& chart, const char* id, const Words& words) {
    for (std::size_t r = 0; r < moment_.foundAt.size(); ++r) {
      if (!moment_.foundAt[r]) continue;
      chart.cursor(list_, static_cast<double>(*moment_.foundAt[r]),
                   withAlpha(relationColor(look_.theme, moment_, r), 0.45F));
    }
    chart.cursor(list_, static_cast<double>(moment_.step), look_.theme.text, 1.5F);
    chart.item(id);
    const auto step = std::clamp<Index>(std::llround(chart.underMouse().x), 0, moment_.stepsTaken);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
      const auto& all = moment_.evaluations;
      const auto after = std::find_if(all.begin(), all.end(), [step](const auto& evaluation) {
        return evaluation.step > step;
      });
      if (after != all.begin()) tipNow(words(*std::prev(after)));
    }
    if (ImGui::IsItemActive()) dragged_ = step;
  }

  /// Writes the names of the found relations, each next to its line.
  void foundNames(const Chart& chart) const {
    const float line = fontSize(look_.fonts.tiny) + look_.space.hair;
    float y = chart.plot().a.y;
    for (std::size_t r = 0; r < moment_.foundAt.size(); ++r) {
      if (!moment_.foundAt[r]) continue;
      const std::string text =
          fmt::format("{} {}", moment_.task->relations[r].name, *moment_.foundAt[r]);
      const float x = chart.at(static_cast<double>(*moment_.foundAt[r]), 0.0).x + look_.space.thin;
      const float wide = textSize(look_.fonts.tiny, text).x;
      drawText(list_, look_.fonts.tiny, {std::min(x, chart.plot().b.x - wide), y},
               relationColor(look_.theme, moment_, r), text);
      y += line;
    }
  }

  /// Writes the name of each curve at its end, so that curves of one colour are told apart.
  void endNames(const Chart& chart, const std::vector<ChartKey>& keys,
                const std::vector<std::vector<ChartPoint>>& curves) const {
    ImFont* font = look_.fonts.tiny;
    struct Name {
      ImVec2 at;
      std::size_t curve;
    };
    std::vector<Name> names;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if (curves[i].empty() || !std::isfinite(curves[i].back().y)) continue;
      const ImVec2 end = chart.at(curves[i].back());
      const float width = textSize(font, keys[i].name).x;
      const float x = std::min(end.x + look_.space.tight, chart.plot().b.x - width);
      names.push_back({{x, end.y - fontSize(font) * 0.5F}, i});
    }
    std::ranges::sort(names, {}, [](const Name& name) { return name.at.y; });
    float free = chart.plot().a.y;
    for (const Name& name : names) {
      const ImVec2 at(name.at.x, std::max(name.at.y, free));
      free = at.y + fontSize(font);
      const Rect ground = Rect::at(at, textSize(font, keys[name.curve].name));
      list_->AddRectFilled(ground.a, ground.b, withAlpha(look_.theme.panel, 0.8F));
      drawText(list_, font, at, keys[name.curve].color, keys[name.curve].name);
    }
  }

  void loss() {
    double most = 0.0;
    for (const training::Evaluation& at : moment_.evaluations) {
      most = std::max(most, at.losses.loss);
    }
    std::vector<ChartPoint> points;
    for (const training::StepRecord& record : moment_.records) {
      points.push_back({static_cast<double>(record.step), record.loss});
      most = std::max(most, record.loss);
    }
    std::vector<ChartPoint> asked;
    for (const training::Evaluation& at : moment_.evaluations) {
      asked.push_back({static_cast<double>(at.step), at.losses.loss});
    }
    const training::StepRecord* now = moment_.record();
    const training::Evaluation* evaluation = moment_.evaluation();
    const auto named = [](const char* of, const double* loss) {
      return loss != nullptr ? fmt::format("{} {:.3f}", of, *loss) : std::string(of);
    };
    const Chart plot =
        chart(part(0), "loss",
              {{named("batch", now != nullptr ? &now->loss : nullptr), look_.theme.accent},
               {named("fixed examples", evaluation != nullptr ? &evaluation->losses.loss : nullptr),
                look_.theme.textMuted}},
              roundAxis(0.0, most > 0.0 ? most : 1.0));
    plot.curve(list_, points, look_.theme.accent);
    plot.curve(list_, asked, look_.theme.textMuted);
    foundNames(plot);
    finish(plot, "loss", [](const training::Evaluation& at) {
      return fmt::format("step {}: loss {:.3f} on the fixed examples", at.step, at.losses.loss);
    });
  }

  void answers() {
    const auto& questions = moment_.task->questions;
    std::vector<ChartKey> keys;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      keys.push_back({std::string(questions[q].name), relationColor(look_.theme, moment_, q)});
    }
    // numbers have no right or wrong answers
    const bool numbers =
        std::any_of(questions.begin(), questions.end(),
                    [](const training::Question& question) { return question.classes == 1; });
    const Chart plot = chart(
        part(1),
        numbers ? "answered right; for numbers R²" + belowZero() : std::string("answered right"),
        keys, roundAxis(0.0, 1.0));
    std::vector<std::vector<ChartPoint>> curves;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      std::vector<ChartPoint> points;
      for (const training::Evaluation& at : moment_.evaluations) {
        points.push_back(
            {static_cast<double>(at.step), std::max(0.0, at.losses.questions[q].accuracy)});
      }
      plot.curve(list_, points, keys[q].color);
      curves.push_back(std::move(points));
    }
    endNames(plot, keys, curves);
    finish(plot, "answers", [&](const training::Evaluation& at) {
      std::string text = fmt::format("step {}", at.step);
      for (std::size_t q = 0; q < questions.size(); ++q) {
        text +=
            fmt::format("\n{} {}", questions[q].name,
                        training::accuracyInWords(questions[q], at.losses.questions[q].accuracy));
      }
      return text;
    });
  }

  /// Returns " (energy −0.31: drawn at 0)" for questions answered worse, now, than by the mean of
  /// all answers.
  std::string belowZero() const {
    const training::Evaluation* now = moment_.evaluation();
    std::string text;
    for (std::size_t q = 0; now != nullptr && q < now->losses.questions.size(); ++q) {
      const double accuracy = now->losses.questions[q].accuracy;
      if (accuracy >= 0.0) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", moment_.task->questions[q].name,
                          cellNumber(accuracy, 2));
    }
    return text.empty() ? text : fmt::format(" ({}: drawn at 0)", text);
  }

  void masses() {
    const auto& relations = moment_.task->relations;
    std::vector<ChartKey> keys;
    for (std::size_t r = 0; r < relations.size(); ++r) {
      keys.push_back({std::string(relations[r].name), relationColor(look_.theme, moment_, r)});
    }
    const Chart plot = chart(part(2), "best weight on the answer", keys, roundAxis(0.0, 1.0));
    const float found = plot.at(0.0, training::kFoundMass).y;
    list_->AddLine({plot.plot().a.x, found}, {plot.plot().b.x, found}, look_.theme.divider,
                   look_.space.thin);
    std::vector<std::vector<ChartPoint>> curves;
    for (std::size_t r = 0; r < relations.size(); ++r) {
      std::vector<ChartPoint> points;
      for (const training::Evaluation& at : moment_.evaluations) {
        points.push_back({static_cast<double>(at.step), bestMass(at, r)});
      }
      plot.curve(list_, points, keys[r].color);
      curves.push_back(std::move(points));
    }
    endNames(plot, keys, curves);
    finish(plot, "masses", [&](const training::Evaluation& at) {
      std::string text = fmt::format("step {}", at.step);
      for (std::size_t r = 0; r < relations.size(); ++r) {
        text += fmt::format("\n{} {:.2f}", relations[r].name, bestMass(at, r));
      }
      return text;
    });
  }

  const FrameContext& look_;
  const TrainingMoment& moment_;
  ImDrawList* list_;
  Rect room_;
  ChartAxis steps_;
  std::optional<Index> dragged_;
};

class CurvesCard final : public Card {
 public:
  explicit CurvesCard(LiveTraining& training)
      : Card({kCurvesCard, "Curves", "the run so far; drag to go back"}), training_(training) {}

  void draw(const PanelContext& panel) override {
    heading(panel.look, "Curves",
            "the run so far · drag along the curves to go back to any moment");
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
