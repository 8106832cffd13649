// Model changes: what differs from a model as it was loaded, stack by stack: edited layers, and
// heads that are off in layers without other edits.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/model/stacks.h"

namespace headscope::model {

struct StackChanges {
  ModelDocumentPtr document;     // with its edited layers; null: no layer is edited
  std::vector<HeadOfLayer> off;  // in layers that are not edited

  bool edits(Index layer) const { return document != nullptr && document->edited.contains(layer); }
  bool any() const { return !off.empty() || (document != nullptr && !document->edited.empty()); }
};

class ModelChanges {
 public:
  StackChanges& of(Stack stack) { return stacks_[static_cast<std::size_t>(stack)]; }
  const StackChanges& of(Stack stack) const { return stacks_[static_cast<std::size_t>(stack)]; }
  bool any() const { return of(Stack::decoder).any() || of(Stack::encoder).any(); }

 private:
  std::array<StackChanges, 2> stacks_;
};

/// Returns whether two are the same changes: heads that are off, and layers that one edit made.
bool sameChanges(const ModelChanges& a, const ModelChanges& b);

/// A document with the changes, of its model: on its text, and of a decoder on its memory.
ModelDocumentPtr withChanges(const ModelDocumentPtr& document, const StackChanges& changes);

}  // namespace headscope::model
