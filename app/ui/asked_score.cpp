#include "app/ui/asked_score.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/stage/stage_story.h"
#include "core/attention/config.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

bool isOfScores(TensorId tensor) {
  constexpr std::array kOfScores{TensorId::rawScores, TensorId::scores, TensorId::maskedScores,
                                 TensorId::weights};
  return std::ranges::find(kOfScores, tensor) != kOfScores.end();
}

}  // namespace

ScoreInFlow scoreInFlow(const PanelContext& panel) {
  const auto& cell = panel.selection.cell;
  if (cell && isOfScores(cell->tensor) && cell->head >= 0) {
    return {std::max<Index>(cell->item, 0), cell->head, cell->row, cell->col};
  }
  const Index row = cell ? cell->row : panel.selection.playQuery;
  const StageSubject subject{panel.selection.item, panel.selection.head,
                             std::clamp<Index>(row, 0, panel.trace.config().seqLen - 1)};
  const std::vector<Link> links = linksOf(panel.trace, subject);
  const Index key = links.empty() ? 0 : links.front().key;
  return {subject.item, subject.head, subject.word, key};
}

}  // namespace headscope::ui
