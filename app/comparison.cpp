#include "app/comparison.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/ui/selection.h"
#include "core/attention/ledger.h"
#include "core/attention/mistakes.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

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

void Comparison::setWake(std::function<void()> wake) {
  wake_ = std::move(wake);
  if (worker_) worker_->setWake(wake_);
}

void Comparison::want(const DocumentPtr& document) {
  if (document == wanted_) return;
  wanted_ = document;
  problem_.clear();
  if (wanted_ == nullptr) {
    worker_.reset();
    trace_.reset();
    return;
  }
  if (!worker_) {
    worker_ = std::make_unique<Worker>(scheduler_, Priority::background, threads_);
    worker_->setWake(wake_);
    ++series_;
  }
  worker_->request(wanted_);
}

void Comparison::take() {
  if (!worker_) return;
  if (auto update = worker_->take()) {
    if (update->trace) {
      trace_ = std::move(update->trace);
    } else if (update->document == wanted_) {
      problem_ = std::move(update->error);
    }
  }
}

TracePtr Comparison::trace() const {
  return trace_ != nullptr && trace_->documentPtr() == wanted_ ? trace_ : nullptr;
}

void Comparison::finish() {
  if (worker_) worker_->wait();
  take();
}

/// Returns the document to compare with, and its name; null: there is none.
NamedDocument ReferencePass::chosen(ui::ReferenceKind kind, const ui::Selection& selection,
                                    const DocumentEditor& documents) const {
  const DocumentPtr& now = documents.newest();
  const History& history = documents.history();
  if (kind == ui::ReferenceKind::mistake) {
    const bool on = isOn(now->config, selection.mistake);
    return {withMistake(*now, selection.mistake, !on, documents.memoryBudget()),
            on ? "right" : "wrong"};
  }
  switch (selection.against) {
    case ui::Against::rightWay:
      if (mistakesOn(now->config).empty()) break;
      return {theRightWay(*now), tr("the right way")};
    case ui::Against::state:
      if (kept_.document == nullptr) break;
      return kept_;
    case ui::Against::lastEdit:
      break;
  }
  if (!history.canUndo()) return {};
  return {history.at(history.position() - 1), "before " + history.undoName()};
}

void ReferencePass::follow(ui::ReferenceKind kind, const ui::Selection& selection,
                           DocumentEditor& documents) {
  comparison_.take();
  if (kind == ui::ReferenceKind::none) {
    choice_ = {};
    compared_ = {};
    problem_.clear();
    comparison_.want(nullptr);
    return;
  }
  // while the newest pass is being computed, the shown pass keeps its reference
  const DocumentPtr& now = documents.newest();
  const Choice choice{now, kind, selection.against, selection.mistake, kept_.document};
  if (!documents.isComputed() || choice == choice_) return;
  choice_ = choice;
  compared_ = {};
  problem_.clear();
  documents.attempt([&] {
    compared_ = chosen(kind, selection, documents);
    if (compared_.document == nullptr) return;
    const Index bytes =
        ledger(compared_.document->config, compared_.document->scoreStorage).residentBytes +
        ledger(now->config, now->scoreStorage).residentBytes;
    if (bytes <= documents.memoryBudget()) return;
    compared_.document = nullptr;
    problem_ = trFormat(
        "comparing needs two passes, {} together, more than the limit of {}: reduce tokens or "
        "heads",
        bytesInWords(bytes), bytesInWords(documents.memoryBudget()));
  });
  comparison_.want(compared_.document);
}

ui::Reference ReferencePass::current() const {
  return {comparison_.trace(), comparison_.series(), compared_.name,
          problem_.empty() ? comparison_.problem() : problem_};
}

}  // namespace headscope
