// The card of the numbers behind the stage (see stage_page.h), and the ways from there to Flow and
// back.
#include <utility>

#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/stage/journey.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/step_view/head_panels.h"
#include "app/ui/step_view/step_view.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

/// The cell of a step's result that belongs to the subject.
CellRef cellOf(const Trace& trace, const StageSubject& subject, StepId step) {
  const auto top = [&](TensorId tensor) {
    const std::vector<Link> links = linksOf(trace, subject);
    return CellRef{tensor, subject.item, subject.head, subject.word,
                   links.empty() ? 0 : links.front().key};
  };
  const AttentionConfig& c = trace.config();
  switch (step) {
    case StepId::project:
      return {TensorId::qProj, subject.item, -1, subject.word,
              firstColumnOf(TensorId::q, subject.head, c)};
    case StepId::split:
      return {TensorId::q, subject.item, subject.head, subject.word, 0};
    case StepId::score:
      return top(TensorId::rawScores);
    case StepId::scale:
      return top(TensorId::scores);
    case StepId::softmax:
      return top(TensorId::weights);
    case StepId::weigh:
      return {TensorId::heads, subject.item, subject.head, subject.word, 0};
    case StepId::concat:
      return {TensorId::concat, subject.item, -1, subject.word,
              firstColumnOf(TensorId::heads, subject.head, c)};
    case StepId::output:
      return {TensorId::output, subject.item, -1, subject.word, 0};
    default:
      return top(TensorId::weights);
  }
}

/// Chooses the step of the place, and a cell of it; none: the one that belongs to the subject.
void chooseNumbers(const PanelContext& panel, const StageSubject& subject,
                   const std::optional<CellRef>& cell) {
  const StepId step = info(momentOf(panel.stageView).place).step;
  panel.selection.step = step;
  panel.selection.scope = StepViewScope::thisHead;
  panel.selection.part = TensorId::q;
  panel.selection.playTime.reset();
  panel.selection.cell = cell ? *cell : cellOf(panel.trace, subject, step);
}

/// The step view at the place of the journey. It follows the stage, and a cell chosen in it moves
/// the stage to the cell's word.
class StageNumbersCard final : public Card {
 public:
  StageNumbersCard(CellEditing& editing, const Playback& playback)
      : Card({.id = kStageNumbersCard,
              .title = tr("Numbers"),
              .about = tr("The matrices behind the picture"),
              .alone = false}),
        stepView_(makeStepViewCard(text(), editing, playback)) {}

  void draw(const PanelContext& panel) override {
    const StepId step = info(momentOf(panel.stageView).place).step;
    const bool sameStep = std::exchange(step_, step) == step;
    const std::optional<CellRef>& cell = panel.selection.cell;
    if (panel.selection.step != step && sameStep) {
      showInFlow(panel);  // the user went on from a cell to another step
    } else if (panel.selection.step != step || !cell) {
      chooseNumbers(panel, subjectOf(panel), {});
    }
    const std::string tool = std::exchange(panel.selection.tool, std::string());
    stepView_->draw(panel);
    if (panel.selection.tool.empty()) {
      panel.selection.tool = tool;
    } else {
      showInFlow(panel);  // the terms of the cell
    }
    if (!cell || info(cell->tensor).rows != Axis::query) return;
    if (std::exchange(panel.stageView.word, cell->row) != cell->row) *panel.look.wantsFrame = true;
  }
  bool takesWheel() const override { return stepView_->takesWheel(); }

 private:
  std::unique_ptr<Card> stepView_;
  std::optional<StepId> step_;  // of the place in the last frame
};

}  // namespace

void showNumbers(const PanelContext& panel, std::optional<CellRef> cell) {
  const StageSubject subject = subjectOf(panel);
  if (cell && info(cell->tensor).perHead && cell->head >= 0) {  // a bar of another head
    panel.selection.head = queryHeadOf(cell->tensor, panel.trace.config(), cell->head);
  }
  panel.stageView.word = subject.word;
  panel.stageView.numbers = true;
  panel.frame.inSight = kStageNumbersCard;
  panel.frame.unfolded = true;
  panel.frame.stagePlaying = false;
  chooseNumbers(panel, subject, cell);
}

void showInFlow(const PanelContext& panel) {
  panel.selection.page = kFlowPage;
  panel.frame.fromStage = true;
  panel.frame.unfolded = true;
  panel.commands.say(tr("The numbers behind the stage. Escape goes back."));
}

void showWhy(const PanelContext& panel) {
  const StageSubject subject = subjectOf(panel);
  const std::vector<Link> links = linksOf(panel.trace, subject);
  const Index key = links.empty() ? 0 : links.front().key;
  panel.stageView.word = subject.word;
  chooseNumbers(panel, subject,
                CellRef{TensorId::weights, subject.item, subject.head, subject.word, key});
  panel.selection.step = StepId::softmax;
  panel.selection.tool = kWhyTool;
  panel.frame.stagePlaying = false;
  showInFlow(panel);
}

bool returnToStage(const PanelContext& panel) {
  if (!panel.frame.fromStage || panel.selection.page != kFlowPage) return false;
  panel.frame.fromStage = false;
  panel.selection.page = kStagePage;
  panel.selection.playTime.reset();
  panel.commands.say({});
  return true;
}

std::unique_ptr<Card> makeStageNumbersCard(CellEditing& editing, const Playback& playback) {
  return std::make_unique<StageNumbersCard>(editing, playback);
}

}  // namespace headscope::ui
