#include "core/model/model_changes.h"

#include <algorithm>
#include <array>

namespace headscope::model {
namespace {

using EditedLayers = decltype(ModelDocument::edited);

EditedLayers editedOf(const StackChanges& changes) {
  return changes.document != nullptr ? changes.document->edited : EditedLayers();
}

}  // namespace

bool sameChanges(const ModelChanges& a, const ModelChanges& b) {
  return std::ranges::all_of(std::array{Stack::decoder, Stack::encoder}, [&](Stack stack) {
    return a.of(stack).off == b.of(stack).off && editedOf(a.of(stack)) == editedOf(b.of(stack));
  });
}

ModelDocumentPtr withChanges(const ModelDocumentPtr& document, const StackChanges& changes) {
  ModelDocumentPtr changed = document;
  if (changes.document != nullptr && changes.document->model == document->model) {
    changed = withInput(*changes.document, document->input);
    if (document->memory != nullptr) changed = withMemory(*changed, document->memory);
  }
  return changes.off.empty() ? changed : withoutHeads(*changed, changes.off);
}

}  // namespace headscope::model
