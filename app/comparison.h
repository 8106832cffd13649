// Comparison: computes the trace of another document in the background. Reference pass: selects the
// document with which the comparing tools compare the present pass.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/document_editor.h"
#include "app/named_document.h"
#include "app/ui/card.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/worker.h"

namespace headscope {

class Comparison {
 public:
  Comparison(Scheduler& scheduler, int threads) : scheduler_(scheduler), threads_(threads) {}

  void setWake(std::function<void()> wake);
  /// Sets the document to compare with; null: computes and holds nothing.
  void want(const DocumentPtr& document);
  /// Takes the computed trace. Call it once a frame, before reading, so that the whole frame uses
  /// one trace.
  void take();
  /// The wanted document's trace; null until it is taken, or if it cannot be computed.
  TracePtr trace() const;
  /// The reason why the wanted document cannot be computed; empty: it can.
  const std::string& problem() const { return problem_; }
  /// An identifier, never 0, that differs between traces whose revisions are not consecutive.
  std::uint64_t series() const { return series_; }
  /// Waits for the wanted trace and takes it (offscreen and tests).
  void finish();
  void stop() {
    if (worker_) worker_->stop();
  }

 private:
  Scheduler& scheduler_;
  int threads_;
  std::function<void()> wake_;
  DocumentPtr wanted_;
  TracePtr trace_;
  std::string problem_;
  std::uint64_t series_ = 0;
  std::unique_ptr<Worker> worker_;  // exists while a document is wanted
};

class ReferencePass {
 public:
  /// `kept`: the state of the history that the user chose to compare with.
  ReferencePass(Scheduler& scheduler, int threads, NamedDocument kept)
      : kept_(std::move(kept)), comparison_(scheduler, threads) {}

  /// Call once a frame with the kind of baseline of the open tool. The baseline is recomputed only
  /// when the choice or the document changes.
  void follow(ui::ReferenceKind kind, const ui::Selection& selection, DocumentEditor& documents);
  ui::Reference current() const;

  /// Sets the state to compare with; it persists even if the history drops it.
  void keep(NamedDocument state) { kept_ = std::move(state); }
  const NamedDocument& kept() const { return kept_; }

  void setWake(std::function<void()> wake) { comparison_.setWake(std::move(wake)); }
  /// Waits for the reference trace (offscreen and tests).
  void finish() { comparison_.finish(); }
  void stop() { comparison_.stop(); }

 private:
  struct Choice {  // an equal choice means an equal reference document
    DocumentPtr now;
    ui::ReferenceKind kind = ui::ReferenceKind::none;
    ui::Against against = ui::Against::lastEdit;
    Mistake mistake = Mistake::reshapeWithoutTranspose;
    DocumentPtr kept;
    bool operator==(const Choice&) const = default;
  };
  NamedDocument chosen(ui::ReferenceKind kind, const ui::Selection& selection,
                       const DocumentEditor& documents) const;

  NamedDocument kept_;
  Choice choice_;
  NamedDocument compared_;
  std::string problem_;  // why there is no reference to compare with
  Comparison comparison_;
};

}  // namespace headscope
