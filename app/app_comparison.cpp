// What the present pass is held against, by the tools that compare.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/app_state.h"
#include "core/ledger.h"
#include "core/mistakes.h"

namespace headscope {
namespace {

DocumentPtr withMistake(const Document& document, Mistake mistake, bool on, Index memoryBudget) {
  return apply(document, SetMistake{mistake, on}, memoryBudget).document;
}

DocumentPtr theRightWay(Document document) {
  document.config = withoutMistakes(std::move(document.config));
  return std::make_shared<const Document>(std::move(document));
}

}  // namespace

/// The document a tool compares with, and what it is called; null: there is none.
App::State::Compared App::State::documentToCompare(ui::ReferenceKind kind) const {
  const DocumentPtr& now = history.current();
  if (kind == ui::ReferenceKind::mistake) {
    const bool on = isOn(now->config, view.mistake);
    return {withMistake(*now, view.mistake, !on, memoryBudget), on ? "right" : "wrong"};
  }
  switch (view.against) {
    case ui::Against::rightWay:
      if (mistakesOn(now->config).empty()) break;
      return {theRightWay(*now), "the right way"};
    case ui::Against::state:
      if (keptState.document == nullptr) break;
      return keptState;
    case ui::Against::lastEdit:
      break;
  }
  if (!history.canUndo()) return {};
  return {history.at(history.position() - 1), "before " + history.undoName()};
}

/// Found anew only when the choice or the document changes.
void App::State::compare() {
  const ui::ReferenceKind kind = tools.open(view.tool).reference();
  if (kind == ui::ReferenceKind::none) {
    comparedFor = {};
    compared = {};
    comparison.want(nullptr);
    return;
  }
  // while the newest is being computed, what is on screen goes with what it was held against
  const DocumentPtr& now = history.current();
  const ComparisonKey key{now, kind, view.against, view.mistake, keptState.document};
  if (trace->documentPtr() != now || key == comparedFor) return;
  comparedFor = key;
  compared = {};
  attempt([&] {
    compared = documentToCompare(kind);
    if (compared.document == nullptr) return;
    const Index bytes =
        ledger(compared.document->config).residentBytes + ledger(now->config).residentBytes;
    if (bytes <= memoryBudget) return;
    compared.document = nullptr;
    compared.problem = fmt::format(
        "comparing takes two passes, {} together, more than the {} set for them: fewer tokens or "
        "heads will do",
        bytesInWords(bytes), bytesInWords(memoryBudget));
  });
  comparison.want(compared.document);
}

ui::Reference App::State::reference(const TracePtr& held) const {
  return {held, comparison.series(), compared.name,
          compared.problem.empty() ? comparison.problem() : compared.problem};
}

void App::State::compareWith(std::size_t index) {
  attempt([&] {
    keptState = {history.at(index), index == 0 ? "start" : "after " + history.nameAt(index)};
    view.against = ui::Against::state;
    view.tool = ui::kChangesTool;
  });
}

void App::State::jumpTo(std::size_t index) {
  if (index >= history.size() || index == history.position()) return;
  attempt([&] {
    history.jumpTo(index);
    say("back to: " + history.nameAt(index));
    worker.request(history.current());
  });
}

}  // namespace headscope
