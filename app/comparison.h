// Comparison: the trace of another document, computed beside the present one so that the two can be
// held against each other. Reference pass: what the tools that compare hold the present pass
// against.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/document_editor.h"
#include "app/ui/card.h"
#include "app/worker.h"

namespace headscope {

class Comparison {
 public:
  explicit Comparison(int threads) : threads_(threads) {}

  void setWake(std::function<void()> wake);
  /// Which document it is to be; null: none, and nothing is computed or held.
  void want(const DocumentPtr& document);
  /// Takes what has been computed by now; once a frame, before it is read, so that all of a frame
  /// sees the same.
  void take();
  /// The wanted document's trace, null until it is taken (or where it cannot be computed).
  TracePtr trace() const;
  /// Why the wanted document cannot be computed; empty where it can.
  const std::string& problem() const { return problem_; }
  /// Differs between traces whose revisions do not count on from each other; never 0.
  std::uint64_t series() const { return series_; }
  /// Waits until it is there and takes it (offscreen and tests).
  void finish();

 private:
  int threads_;
  std::function<void()> wake_;
  DocumentPtr wanted_;
  TracePtr trace_;
  std::string problem_;
  std::uint64_t series_ = 0;
  std::unique_ptr<Worker> worker_;  // while something is wanted
};

class ReferencePass {
 public:
  /// `kept`: the state of the history that was chosen to compare with.
  ReferencePass(int threads, NamedDocument kept) : kept_(std::move(kept)), comparison_(threads) {}

  /// Call once a frame with the kind of baseline of the open tool. The baseline is recomputed only
  /// when the choice or the document changes.
  void follow(ui::ReferenceKind kind, const ui::ViewState& view, DocumentEditor& documents);
  ui::Reference current() const;

  /// A state chosen in the history: it stays, whatever becomes of the history.
  void keep(NamedDocument state) { kept_ = std::move(state); }
  const NamedDocument& kept() const { return kept_; }

  void setWake(std::function<void()> wake) { comparison_.setWake(std::move(wake)); }
  /// Waits until it is there (offscreen and tests).
  void finish() { comparison_.finish(); }

 private:
  struct Choice {  // where it is the same, so is what is compared with
    DocumentPtr now;
    ui::ReferenceKind kind = ui::ReferenceKind::none;
    ui::Against against = ui::Against::lastEdit;
    Mistake mistake = Mistake::reshapeWithoutTranspose;
    DocumentPtr kept;
    bool operator==(const Choice&) const = default;
  };
  NamedDocument chosen(ui::ReferenceKind kind, const ui::ViewState& view,
                       const DocumentEditor& documents) const;

  NamedDocument kept_;
  Choice choice_;
  NamedDocument compared_;
  std::string problem_;  // why it cannot be compared with
  Comparison comparison_;
};

}  // namespace headscope
