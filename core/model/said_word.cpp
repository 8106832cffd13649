#include "core/model/said_word.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/translation.h"

namespace headscope::model {

void requireWord(const ModelTrace& trace, Index row, Index word) {
  const Model& model = *trace.document().model;
  if (!model.hasReadout()) {
    throw UserError(
        trFormat("{} has no {}: open a model with one", model.name(),
                 trace.config().image.on() ? tr("classifier") : tr("language-model head")));
  }
  if (trace.config().image.on() && row != 0) {
    throw UserError(trFormat("{} reads its labels at the class token, which is token 0, not {}",
                             model.name(), row));
  }
  if (row < 0 || row >= trace.tokens()) {
    throw UserError(
        trFormat("there is no token {}: the text has the tokens 0 to {}", row, trace.tokens() - 1));
  }
  if (word < 0 || word >= trace.config().vocabulary) {
    throw UserError(trFormat("id {} is not a {} of {}: it knows the ids 0 to {}", word,
                             trace.config().image.on() ? "label" : "token", model.name(),
                             trace.config().vocabulary - 1));
  }
}

void requireOnePlace(const ModelTrace& trace) {
  const ModelConfig& c = trace.config();
  if (c.readoutWidth() == c.dModel) return;
  throw UserError(trFormat(
      "{} reads its labels from the class token and others, so no single token's stream gives "
      "them: a sweep and a chain of sums need a classifier of the class token alone (ViT)",
      trace.document().model->name()));
}

}  // namespace headscope::model
