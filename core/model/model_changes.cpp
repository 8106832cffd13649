#include "core/model/model_changes.h"

namespace headscope::model {

ModelDocumentPtr withChanges(const ModelDocumentPtr& document, const StackChanges& changes) {
  ModelDocumentPtr changed = document;
  if (changes.document != nullptr && changes.document->model == document->model) {
    changed = withInput(*changes.document, document->input);
    if (document->memory != nullptr) changed = withMemory(*changed, document->memory);
  }
  return changes.off.empty() ? changed : withoutHeads(*changed, changes.off);
}

}  // namespace headscope::model
