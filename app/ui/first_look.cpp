#include "app/ui/first_look.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "app/ui/head_purposes.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/stage/sentence_layout.h"
#include "app/ui/view_state.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/training/relations.h"
#include "core/words/cells.h"

namespace headscope::ui {

void FirstLook::open(const Document& document, ViewState& view) {
  constexpr Index kMostWritten = 64;  // tokens; heatmaps show more of a longer input
  const bool written = document.input->patches.on() || document.config.seqLen <= kMostWritten;
  view.heads.drawing = written ? GridDrawing::arcs : GridDrawing::heatmaps;
  const DeclaredRelations relations = declaredRelations(document);
  const auto& texts = document.input->tokens;
  const auto isMark = [&](std::size_t query) {
    return !texts.empty() && query < texts.front().size() && !isWord(texts.front()[query]);
  };
  // patches at the same distance show the more, the more there is to see on them
  const std::vector<float> contrasts =
      patchContrasts(document.input->patches, document.input->x, 0);
  const auto seen = [&](Index query, Index key) {
    return contrasts.empty() ? static_cast<float>(std::abs(query - key))
                             : contrasts[static_cast<std::size_t>(query)] +
                                   contrasts[static_cast<std::size_t>(key)];
  };
  float most = 0.0F;
  for (std::size_t head = 0; head < relations.size(); ++head) {
    if (!relations[head] || relations[head]->partners.empty()) continue;
    const auto& queries = relations[head]->partners.front();
    for (std::size_t query = 0; query < queries.size(); ++query) {
      if (queries[query].empty() || isMark(query)) continue;
      const Index key = queries[query].front();
      const float shows = seen(static_cast<Index>(query), key);
      if (shows <= most) continue;
      most = shows;
      cell_ =
          CellRef{TensorId::rawScores, 0, static_cast<Index>(head), static_cast<Index>(query), key};
    }
  }
  if (view.model.place.folder.empty()) view.selection.page = kStagePage;
  if (!cell_) return;
  view.selection.step = StepId::score;
  view.selection.head = cell_->head;
  view.selection.cell = cell_;
  view.stage.word = cell_->row;
}

bool FirstLook::isAsOpened(const PanelContext& panel) const {
  return &panel.document == document_ && panel.selection.cell == cell_ &&
         panel.selection.step == StepId::score && panel.selection.head == cell_->head &&
         panel.selection.page == kFlowPage && panel.selection.tool == kFlowTool &&
         !panel.selection.playTime;
}

std::string FirstLook::inWords(const PanelContext& panel) {
  if (!cell_ || panel.selection.page == kStagePage) return {};
  if (document_ == nullptr) document_ = &panel.document;
  if (!isAsOpened(panel) || !exists(*cell_, panel.trace.config())) {
    cell_.reset();
    return {};
  }
  return trFormat(
      "“{}” asks “{}” in {}. Try it: press enter and type 0, or turn the wheel over the outlined "
      "number, and see what follows; space plays every step.",
      placeName(panel.trace, Axis::query, 0, cell_->row),
      placeName(panel.trace, Axis::key, 0, cell_->col),
      namedHead(panel.purposes, panel.selection.head));
}

}  // namespace headscope::ui
