// Studies: several runs of one task that differ in one setting: their curves on one axis, their
// results as a table and in sentences, and their heads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/rich_text.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

using training::ScoreFigures;
using training::StudyFigures;
using training::Variant;

/// A figure of a study: a curve for every run, and a column of the table where `figure` is set.
struct StudyFigure {
  const char* title;
  const char* about;
  std::function<std::vector<ChartPoint>(const StudyMoment::Run&)> curve = {};  // null: none
  std::function<std::string(const StudyFigures&)> figure = {};                 // null: none
  bool share = false;                                                          // in 0 … 1
  const char* column = nullptr;  // the column's title, where it is not the curve's
};

/// The subject of a study and its texts.
struct StudyText {
  CardText card;
  TrainTab tab;
  const char* what;  // the description of its runs, shown before there are results
  std::function<std::vector<Variant>(const training::Task&, const training::TrainingSettings&)>
      variants;
  std::string (*words)(const training::Task&, const std::vector<StudyFigures>&);
  std::vector<StudyFigure> figures;
};

StudyFigure lossCurve() {
  const auto curve = [](const StudyMoment::Run& run) {
    std::vector<ChartPoint> points;
    for (const training::StepRecord& record : run.records) {
      points.push_back({static_cast<double>(record.step), record.loss});
    }
    return points;
  };
  return {"loss", tr("of its batch"), curve};
}

StudyFigure scoreFigure(const char* title, const char* about, double ScoreFigures::*field,
                        bool share = false) {
  const auto curve = [field](const StudyMoment::Run& run) {
    std::vector<ChartPoint> points;
    for (const ScoreFigures& at : run.scores) {
      points.push_back({static_cast<double>(at.step), at.*field});
    }
    return points;
  };
  const auto figure = [field, share](const StudyFigures& run) {
    const double value = run.last.*field;
    return share ? fmt::format("{:.0f} %", 100.0 * value) : number(value, 2);
  };
  return {title, about, curve, figure, share};
}

/// The curve of the gradient's length, and in the table its mean over all steps: single steps
/// differ widely.
StudyFigure gradientFigure() {
  StudyFigure figure = scoreFigure(
      "‖∂ scores‖", tr("Length of the gradient of what the softmax reads, over the batch"),
      &ScoreFigures::gradient);
  figure.figure = [](const StudyFigures& run) { return number(run.meanGradient, 2); };
  figure.column = "mean ‖∂ scores‖";
  return figure;
}

/// The heads of a run as small pictures of the example, in a block as square as possible.
class RunHeads {
 public:
  RunHeads(const PanelContext& panel, const StudyMoment::Run& run, Rect room)
      : panel_(panel),
        run_(run),
        room_(room),
        columns_(static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(run.figures.heads))))) {
  }

  void add(Heatmaps& heatmaps, const Fingerprint& place, const Fingerprint& values) const {
    const ColorScale scale = sequentialScale(panel_.look, 0.0F, 1.0F);
    for (Index n = 0; n < run_.figures.heads; ++n) {
      heatmaps.add(Fingerprint(place).add(n), values, cells(n), scale, at(n));
    }
  }
  void frame(ImDrawList* list) const {
    for (Index n = 0; n < run_.figures.heads; ++n) {
      list->AddRect(at(n).a, at(n).b, panel_.look.theme.panelBorder);
    }
  }

 private:
  Rect at(Index n) const {
    const float gap = panel_.look.space.thin;
    return room_.row(static_cast<int>(n / columns_), static_cast<int>(columns_), gap)
        .column(static_cast<int>(n % columns_), static_cast<int>(columns_), gap);
  }
  CellRows cells(Index n) const {
    return weightCells(run_.weights[static_cast<std::size_t>(n / run_.figures.model.heads)],
                       n % run_.figures.model.heads, run_.figures.model.causal);
  }

  const PanelContext& panel_;
  const StudyMoment::Run& run_;
  Rect room_;
  Index columns_ = 1;
};

class StudyDrawing {
 public:
  StudyDrawing(const PanelContext& panel, const StudyText& text, const StudyMoment& moment)
      : panel_(panel), look_(panel.look), text_(text), moment_(moment) {}

  void draw() const {
    Rect room = Rect::rest();
    charts(room.cutTop(std::max(look_.px(105), room.height() * 0.32F), look_.space.small));
    ImGui::SetCursorScreenPos(room.a);
    table();
    ImGui::Dummy({1.0F, look_.space.tight});
    const auto words = text_.words(*moment_.task, moment_.figures());
    richParagraph(look_.fonts, look_.fonts.small, look_.theme.text, words,
                  ImGui::GetContentRegionAvail().x);
    heads(Rect::rest());
  }

 private:
  void charts(const Rect& room) const {
    std::vector<const StudyFigure*> drawn;
    for (const StudyFigure& figure : text_.figures) {
      if (figure.curve) drawn.push_back(&figure);
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      chart(*drawn[i],
            room.column(static_cast<int>(i), static_cast<int>(drawn.size()), look_.space.large));
    }
  }

  void chart(const StudyFigure& figure, Rect room) const {
    std::vector<ChartKey> keys;
    std::vector<std::vector<ChartPoint>> curves;
    double most = 1e-9;
    for (std::size_t i = 0; i < moment_.runs.size(); ++i) {
      const StudyMoment::Run& run = moment_.runs[i];
      if (&figure == &text_.figures.front())
        keys.push_back({run.figures.name, look_.theme.text, i});
      curves.push_back(figure.curve(run));
      for (const ChartPoint& point : curves.back()) {
        if (std::isfinite(point.y)) most = std::max(most, point.y);
      }
    }
    drawChartTitle(look_, room, figure.title, keys);
    ChartFrame frame{room, roundAxis(0.0, static_cast<double>(moment_.runs.front().figures.steps)),
                     roundAxis(0.0, figure.share ? 1.0 : most)};
    frame.xName = "step";
    const Chart plot(look_, frame);
    ImDrawList* list = ImGui::GetWindowDrawList();
    plot.drawAxes(list);
    for (std::size_t i = 0; i < curves.size(); ++i)
      plot.series(list, curves[i], look_.theme.text, i);
    plot.item(figure.title);
    tip(look_, figure.about);
  }

  void table() const {
    const auto& questions = moment_.task->questions;
    // narrow tables leave out what the line above says, and twins
    const bool narrow = ImGui::GetContentRegionAvail().x < look_.px(700);
    std::vector<TableColumn> columns{
        {tr("run"), {}, false, look_.px(narrow ? 76 : 90), 0.0F, false}};
    // the width that the heading and the widest number need
    const auto column = [&](const std::string& title, std::string about,
                            const char* widest = "100 %") {
      const float width =
          std::max(textSize(look_.fonts.tiny, title).x, textSize(look_.fonts.monoSmall, widest).x);
      columns.push_back({title, std::move(about), true, 0.0F, width, false});
    };
    if (!narrow) {
      columns.push_back({"d_k", tr("width of a head"), true, look_.px(20), 0.0F, false});
    }
    column(tr("loss"), tr("cross-entropy, in nats, of the examples that every run is tested on"),
           "0.00000");
    for (const training::Question& question : questions) {
      column(std::string(question.name) + (question.classes == 1 ? " R²" : ""),
             std::string(tr(question.words)));
    }
    column(tr("found"), tr("relations with a head of their own"));
    if (!narrow) {
      column(tr("twins"),
             trFormat("heads with a similarity of at least {:.2f} to another in their layer",
                      training::kTwins));
    }
    for (const StudyFigure& figure : text_.figures) {
      if (!figure.figure) continue;
      column(figure.column != nullptr && !narrow ? figure.column : figure.title, figure.about);
    }
    Table table(look_, {.id = "runs", .dense = true}, std::move(columns));
    for (std::size_t i = 0; i < moment_.runs.size(); ++i) {
      const StudyFigures& run = moment_.runs[i].figures;
      table.row(static_cast<Index>(i));
      table.marked(run.name, look_.theme.text, i);
      if (!narrow) table.number(std::to_string(run.model.dModel / run.model.heads));
      table.number(number(run.loss, 3));
      for (std::size_t q = 0; q < questions.size(); ++q) {
        const bool solved = run.accuracy[q] >= questions[q].solved;
        table.number(questions[q].classes == 1 ? cellNumber(run.accuracy[q], 2)
                                               : fmt::format("{:.0f} %", 100.0 * run.accuracy[q]),
                     solved ? look_.theme.good : 0);
      }
      table.number(fmt::format("{}/{}", run.found, run.relations));
      if (!narrow) table.number(fmt::format("{}/{}", run.twins, run.heads));
      for (const StudyFigure& figure : text_.figures) {
        if (figure.figure) table.number(figure.figure(run));
      }
    }
  }

  void heads(Rect room) const {
    const auto count = static_cast<int>(moment_.runs.size());
    const float title = fontSize(look_.fonts.small) + look_.space.tight;
    const float gap = look_.space.large;
    const float side =
        std::min(room.height() - title - look_.space.small, room.column(0, count, gap).width());
    if (side < look_.px(48)) return;
    room.cutTop(look_.space.tight);
    Heatmaps heatmaps(look_);
    std::vector<RunHeads> blocks;
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (int i = 0; i < count; ++i) {
      const StudyMoment::Run& run = moment_.runs[static_cast<std::size_t>(i)];
      Rect place = room.column(i, count, gap);
      drawRichText(list, look_.fonts, look_.fonts.small, place.cutTop(title).a, look_.theme.text,
                   run.figures.name);
      blocks.emplace_back(panel_, run, Rect::at(place.a, {side, side}));
      blocks.back().add(heatmaps, Fingerprint(text_.card.id).add(i),
                        Fingerprint(text_.card.id).add(moment_.number).add(i));
    }
    heatmaps.draw(list);
    for (const RunHeads& block : blocks) block.frame(list);
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const StudyText& text_;
  const StudyMoment& moment_;
};

class StudyCard final : public Card {
 public:
  StudyCard(StudyText text, LiveStudy& study)
      : Card(text.card), text_(std::move(text)), study_(study) {}

  void draw(const PanelContext& panel) override {
    middleTabs(panel, text_.tab, nullptr);
    const Asked asked = askedFor(panel);
    buttons(panel, asked);
    const FrameContext& look = panel.look;
    richParagraph(look.fonts, look.fonts.small, look.theme.textMuted, text_.what,
                  ImGui::GetContentRegionAvail().x);
    if (asked.same && !study_.problem().empty()) {
      wrappedLabel(look.fonts.small, look.theme.bad, study_.problem());
    }
    if (asked.moment != nullptr) StudyDrawing(panel, text_, *asked.moment).draw();
  }

  bool keys(const PanelContext& panel, bool /*inSight*/) override {
    if (!keyPressed(Key::enter, false)) return false;
    runOrStop(panel, askedFor(panel));
    return true;
  }

 private:
  /// The study of the chosen task and settings, and its present state.
  struct Asked {
    const training::Task& task;
    std::vector<Variant> variants;
    bool same = false;  // whether the study has this task and these variants
    std::shared_ptr<const StudyMoment> moment = nullptr;

    bool finished() const { return moment != nullptr && moment->finished; }
  };
  Asked askedFor(const PanelContext& panel) const {
    const training::Task& task = chosenTask(panel.trainView);
    Asked asked{task, text_.variants(task, chosenSettings(panel.trainView))};
    asked.same = study_.isOf(task, asked.variants);
    if (asked.same) asked.moment = study_.moment();
    return asked;
  }

  void runOrStop(const PanelContext& panel, const Asked& asked) {
    if (!asked.same || asked.finished()) return begin(panel, asked);
    study_.play(!study_.playing());
  }

  void begin(const PanelContext& panel, const Asked& asked) {
    try {
      study_.begin(asked.task, asked.variants);
    } catch (const UserError& error) {
      panel.commands.say(error.what(), true);
    }
  }

  void buttons(const PanelContext& panel, const Asked& asked) {
    const FrameContext& look = panel.look;
    const bool playing = asked.same && study_.playing();
    const bool halted = asked.moment != nullptr && !playing && !asked.finished();
    const char* word = playing            ? tr("Stop")
                       : halted           ? tr("Go on")
                       : asked.finished() ? tr("Run again")
                                          : tr("Run");
    if (primaryPill(look, word)) runOrStop(panel, asked);
    tip(look, tr("Enter"));
    if (halted) {
      ImGui::SameLine(0.0F, look.space.small);
      if (pill(look, tr("Run again"))) begin(panel, asked);
    }
    const training::TrainingSettings& s = asked.variants.front().settings;
    std::string words = trFormat(
        "{} · {} runs of {} steps of {} examples · d\\_model {} · learning rate {:.3g} · seed {}",
        tr(asked.task.title), asked.variants.size(), withThousands(s.steps), withThousands(s.batch),
        s.model.dModel, s.optimiser.learningRate, s.seed);
    if (asked.moment != nullptr) {
      words += fmt::format(" · {:.1f} s", asked.moment->trainingMs / 1000.0);
    }
    ImGui::SameLine(0.0F, look.space.large);
    richParagraph(look.fonts, look.fonts.small, look.theme.textMuted, words,
                  ImGui::GetContentRegionAvail().x);
  }

  StudyText text_;
  LiveStudy& study_;
};

}  // namespace

std::unique_ptr<Card> makeHeadCountsCard(LiveStudy& study) {
  StudyText text{
      {tr("head counts"), tr("How many heads"), tr("the task with 1, 2, 4, 8 and 16 heads")},
      TrainTab::headCounts,
      tr("All runs have the same task, settings and seed; only the number of heads differs."),
      [](const training::Task&, const training::TrainingSettings& settings) {
        return training::headCountVariants(settings);
      },
      training::headCountsInWords,
      {lossCurve()}};
  return std::make_unique<StudyCard>(std::move(text), study);
}

std::unique_ptr<Card> makeScaleCard(LiveStudy& study) {
  StudyText text{
      {tr("score scale"), "÷√d_k", tr("the task with scores divided by √d_k and without")},
      TrainTab::scale,
      tr("Both start from the same weights and see the same examples. Settings that give scores as "
         "large as after a layer norm: d_k 64, numbers in X of about 1 at the start, a tenth of "
         "the "
         "learning rate."),
      [](const training::Task& task, const training::TrainingSettings& settings) {
        return training::scaleVariants(task, settings);
      },
      training::scaleInWords,
      {lossCurve(),
       scoreFigure(tr("softmax reads"), tr("Root mean square of the scores that the softmax reads"),
                   &ScoreFigures::scores),
       scoreFigure("saturated", tr("Rows whose largest weight is above 0.99"),
                   &ScoreFigures::saturated, true),
       gradientFigure()}};
  return std::make_unique<StudyCard>(std::move(text), study);
}

}  // namespace headscope::ui
