// The curves of a run: loss, right answers and the best mass of each relation over steps. They
// share a time axis; the shown moment can be dragged along it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/train/run_chart.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

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
      : look_(look), moment_(moment), room_(room) {
    for (std::size_t r = 0; r < moment.foundAt.size(); ++r) {
      if (!moment.foundAt[r]) continue;
      marks_.push_back({*moment.foundAt[r], relationColor(look.theme, moment, r),
                        std::string(moment.task->relations[r].name)});
    }
  }

  /// Returns the step under the mouse while it is dragged.
  std::optional<Index> draw() {
    loss();
    answers();
    masses();
    return dragged_;
  }

 private:
  RunChart chart(int n, const std::string& title, std::vector<ChartKey> keys,
                 const ChartAxis& y) const {
    return {look_,
            room_.column(n, 3, look_.space.wide),
            {moment_.settings.steps, moment_.stepsTaken, moment_.step},
            title,
            std::move(keys),
            y};
  }

  /// `words` returns the tooltip of an evaluation.
  template <typename Words>
  void finish(const RunChart& chart, const char* id, const Words& words) {
    const auto dragged = chart.finish(id, marks_, [&](Index step) {
      const training::Evaluation* at = newestAt(moment_.evaluations, step);
      return at != nullptr ? words(*at) : std::string();
    });
    if (dragged) dragged_ = dragged;
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
    RunChart plot = chart(
        0, "loss",
        {{named("batch", now != nullptr ? &now->loss : nullptr), look_.theme.accent},
         {named(tr("fixed examples"), evaluation != nullptr ? &evaluation->losses.loss : nullptr),
          look_.theme.textMuted}},
        roundAxis(0.0, most > 0.0 ? most : 1.0));
    plot.curve(0, std::move(points));
    plot.curve(1, std::move(asked));
    plot.markNames(marks_);
    finish(plot, "loss", [](const training::Evaluation& at) {
      return trFormat("step {}: loss {:.3f} on the fixed examples", withThousands(at.step),
                      at.losses.loss);
    });
  }

  void answers() {
    const auto& questions = moment_.task->questions;
    std::vector<ChartKey> keys;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      keys.push_back({std::string(questions[q].name), relationColor(look_.theme, moment_, q), q});
    }
    // numbers have no right or wrong answers
    const bool numbers =
        std::any_of(questions.begin(), questions.end(),
                    [](const training::Question& question) { return question.classes == 1; });
    RunChart plot = chart(1,
                          numbers ? tr("answered right; for numbers R²") + belowZero()
                                  : std::string(tr("answered right")),
                          std::move(keys), roundAxis(0.0, 1.0));
    for (std::size_t q = 0; q < questions.size(); ++q) {
      std::vector<ChartPoint> points;
      for (const training::Evaluation& at : moment_.evaluations) {
        points.push_back(
            {static_cast<double>(at.step), std::max(0.0, at.losses.questions[q].accuracy)});
      }
      plot.curve(q, std::move(points));
    }
    plot.endNames();
    finish(plot, "answers", [&](const training::Evaluation& at) {
      std::string text = trFormat("step {}", withThousands(at.step));
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
    return text.empty() ? text : trFormat(" ({}: drawn at 0)", text);
  }

  void masses() {
    const auto& relations = moment_.task->relations;
    std::vector<ChartKey> keys;
    for (std::size_t r = 0; r < relations.size(); ++r) {
      keys.push_back({std::string(relations[r].name), relationColor(look_.theme, moment_, r), r});
    }
    RunChart plot = chart(2, tr("best weight on the answer"), std::move(keys), roundAxis(0.0, 1.0));
    plot.level(training::kFoundMass);
    for (std::size_t r = 0; r < relations.size(); ++r) {
      std::vector<ChartPoint> points;
      for (const training::Evaluation& at : moment_.evaluations) {
        points.push_back({static_cast<double>(at.step), bestMass(at, r)});
      }
      plot.curve(r, std::move(points));
    }
    plot.endNames();
    finish(plot, "masses", [&](const training::Evaluation& at) {
      std::string text = trFormat("step {}", withThousands(at.step));
      for (std::size_t r = 0; r < relations.size(); ++r) {
        text += fmt::format("\n{} {:.2f}", relations[r].name, bestMass(at, r));
      }
      return text;
    });
  }

  const FrameContext& look_;
  const TrainingMoment& moment_;
  Rect room_;
  std::vector<RunMark> marks_;  // where relations were found
  std::optional<Index> dragged_;
};

class CurvesCard final : public Card {
 public:
  explicit CurvesCard(LiveTraining& training)
      : Card({kCurvesCard, tr("Curves"), tr("the run so far; drag to go back")}),
        training_(training) {}

  void draw(const PanelContext& panel) override {
    heading(panel.look, tr("Curves"),
            tr("the run so far · drag along the curves to go back to any moment"));
    const auto moment = training_.moment();
    if (moment == nullptr) return;
    const auto dragged = Curves(panel.look, *moment, Rect::rest()).draw();
    if (dragged) training_.showStep(*dragged);
  }

 private:
  LiveTraining& training_;
};

}  // namespace

std::unique_ptr<Card> makeCurvesCard(LiveTraining& training) {
  return std::make_unique<CurvesCard>(training);
}

}  // namespace headscope::ui
