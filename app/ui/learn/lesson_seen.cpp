#include "app/ui/learn/lesson_seen.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "app/live_language.h"
#include "app/live_study.h"
#include "app/live_training.h"
#include "app/model_moment.h"
#include "app/ui/ids.h"
#include "app/ui/model/image_view.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/selection.h"
#include "app/ui/stage/sentence_drawing.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/train/train_page.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

/// The heads of a run: `weights` gives a layer's, (1, H, T, T).
struct RunHeadsSeen {
  Index layers = 1, heads = 1;
  bool causal = false;
  std::uint64_t number = 0;
  std::function<const Tensor&(Index layer)> weights;
};

/// Draws the heads of a training run, side by side, each layer in rows of its own.
void drawHeads(const PanelContext& panel, const RunHeadsSeen& run, const Rect& at) {
  const Index perRow = run.layers > 1 ? run.heads : std::min<Index>(run.heads, 4);
  const auto columns = static_cast<int>(perRow);
  const auto rows = static_cast<int>((run.layers * run.heads + perRow - 1) / perRow);
  Heatmaps heatmaps(panel.look);
  for (Index n = 0; n < run.layers * run.heads; ++n) {
    const float gap = panel.look.px(6);
    const Rect cell = at.row(static_cast<int>(n) / columns, rows, gap)
                          .column(static_cast<int>(n) % columns, columns, gap);
    const float side = std::min(cell.width(), cell.height());
    heatmaps.add(Fingerprint("seen").add(n), Fingerprint("seen").add(run.number).add(n),
                 weightCells(run.weights(n / run.heads), n % run.heads, run.causal),
                 sequentialScale(panel.look, 0.0F, 1.0F), cell.placed({side, side}));
  }
  heatmaps.draw(ImGui::GetWindowDrawList());
}

std::string headsAfter(Index heads, Index step) {
  return trFormat("{} after {}", counted(heads, tr("{} head"), tr("{} heads")),
                  counted(step, tr("{} step"), tr("{} steps")));
}

std::string drawTraining(const PanelContext& panel, const TrainingMoment& run, const Rect& at) {
  if (run.weights.empty() || run.step == 0) return {};
  const training::ModelSettings& model = run.settings.model;
  drawHeads(panel,
            {1, model.heads, model.causal, run.number,
             [&](Index) -> const Tensor& { return run.weights.front(); }},
            at);
  return headsAfter(model.heads, run.step);
}

std::string drawLanguage(const PanelContext& panel, const LanguageMoment& run, const Rect& at) {
  if (run.weights.empty() || run.step == 0) return {};
  const auto& model = run.settings.model;
  drawHeads(
      panel,
      {model.layers, model.heads, true, run.number,
       [&](Index layer) -> const Tensor& { return run.weights[static_cast<std::size_t>(layer)]; }},
      at);
  return headsAfter(model.layers * model.heads, run.step);
}

/// Draws the losses of the runs of a study, each with its own shapes.
std::string drawStudy(const FrameContext& look, const StudyMoment& study, Rect at) {
  std::vector<ChartKey> keys;
  std::vector<std::vector<ChartPoint>> curves;
  double most = 1e-9;
  double last = 0.0;
  for (const StudyMoment::Run& run : study.runs) {
    keys.push_back({run.figures.name, look.theme.text, keys.size()});
    curves.emplace_back();
    for (const training::StepRecord& record : run.records) {
      curves.back().push_back({static_cast<double>(record.step), record.loss});
      last = std::max(last, static_cast<double>(record.step));
      if (std::isfinite(record.loss)) most = std::max(most, static_cast<double>(record.loss));
    }
  }
  if (last == 0.0) return {};
  drawChartTitle(look, at, tr("loss"), keys);
  ChartFrame frame{at, roundAxis(0.0, last), roundAxis(0.0, most)};
  frame.xName = "step";
  const Chart chart(look, frame);
  ImDrawList* list = ImGui::GetWindowDrawList();
  chart.drawAxes(list);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    chart.series(list, curves[i], look.theme.text, i);
  }
  return trFormat("The loss of {} that differ in one thing",
                  counted(std::ssize(study.runs), tr("{} run"), tr("{} runs")));
}

std::string drawTrainPage(const PanelContext& panel, const LessonMoments& moments, const Rect& at) {
  if (learnsStories(panel.trainView)) {
    return moments.language != nullptr ? drawLanguage(panel, *moments.language, at) : std::string();
  }
  if (panel.trainView.tab == TrainTab::scale) {
    return moments.scale != nullptr ? drawStudy(panel.look, *moments.scale, at) : std::string();
  }
  return moments.training != nullptr ? drawTraining(panel, *moments.training, at) : std::string();
}

/// Draws the picture that the model reads, with the chosen head's weights from its class token.
std::string drawModelPage(const PanelContext& panel, const ModelMoment* moment, const Rect& at) {
  if (moment == nullptr || !moment->ofImage()) return {};
  const model::ModelConfig& config = moment->config();
  const HeadOfLayer head{std::clamp<Index>(panel.modelView.layer, 0, config.layers - 1),
                         std::clamp<Index>(panel.modelView.head, 0, config.heads - 1)};
  const float side = at.height();
  drawRowOnImage(panel.look, *moment, head, 0, at.placed({side, side}));
  return trFormat("Where “{}” looks with head {}", moment->tokenName(0), shortName(head));
}

/// Returns whether the last scene is about where a word looks: its weights, or what makes them.
bool isAboutLooking(const PanelContext& panel) {
  if (panel.selection.page == kHeadsPage) return panel.stageView.word >= 0;
  if (panel.selection.page != kFlowPage) return true;
  const StepId step = panel.selection.step;
  return step != StepId::project && step != StepId::split && step != StepId::concat &&
         step != StepId::output;
}

/// Draws the followed word with its arcs. Returns false where the words have no room.
bool drawWord(const PanelContext& panel, const StageSubject& subject, const Rect& at) {
  const FrameContext& look = panel.look;
  const Input& input = *panel.trace.document().input;
  if (input.tokens.empty() || panel.trace.config().crossAttention()) return false;
  const auto& tokens = input.tokens[static_cast<std::size_t>(subject.item) % input.tokens.size()];
  SentenceSpace space{at};
  space.largest = look.px(22);
  space.smallest = look.px(11);
  const SentenceLayout layout = layoutSentence(widthsOf(look, tokens), space);
  if (layout.marks()) return false;
  std::vector<float> tints(tokens.size(), 0.0F);
  std::vector<Arc> arcs;
  for (const Link& link : linksOf(panel.trace, subject)) {
    tints[static_cast<std::size_t>(link.key)] = link.weight;
    arcs.push_back({static_cast<int>(link.query), static_cast<int>(link.key),
                    arcThickness(look, layout, link.weight), arcs.empty() ? 0.92F : 0.45F});
  }
  const ImU32 color = headColor(look.theme, static_cast<std::size_t>(subject.head));
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawArcs(look, list, layout, layout, arcs, color);
  drawWords(look, list, {&layout, tokens, static_cast<int>(subject.word), -1, tints}, color);
  return true;
}

}  // namespace

std::string drawSeen(const PanelContext& panel, const LessonMoments& moments, const Rect& at) {
  if (panel.selection.page == kTrainPage) return drawTrainPage(panel, moments, at);
  if (panel.selection.page == kModelPage) return drawModelPage(panel, moments.model.get(), at);
  if (!isAboutLooking(panel)) return {};
  const StageSubject subject = subjectOf(panel);
  if (drawWord(panel, subject, at)) {
    return trFormat("Head {}: {}", subject.head + 1, stageWords(panel.trace, subject).title);
  }
  Heatmaps heatmaps(panel.look);
  const float side = std::min(at.width(), at.height());
  heatmaps.add(panel.trace,
               wholeMatrix(TensorId::weights, panel.trace.config(), subject.item, subject.head),
               sequentialScale(panel.look, 0.0F, 1.0F), at.placed({side, side}));
  heatmaps.draw(ImGui::GetWindowDrawList());
  return trFormat("The weights of head {}", subject.head + 1);
}

}  // namespace headscope::ui
