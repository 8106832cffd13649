#include "core/model/said_word.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headscope::model {

void requireWord(const ModelTrace& trace, Index row, Index word) {
  const Model& model = *trace.document().model;
  if (!model.hasReadout()) {
    throw UserError(
        fmt::format("{} has no language-model head: open a model with one", model.name()));
  }
  if (row < 0 || row >= trace.tokens()) {
    throw UserError(fmt::format("there is no token {}: the text has the tokens 0 to {}", row,
                                trace.tokens() - 1));
  }
  if (word < 0 || word >= trace.config().vocabulary) {
    throw UserError(fmt::format("id {} is not a token of {}: it knows the ids 0 to {}", word,
                                model.name(), trace.config().vocabulary - 1));
  }
}

}  // namespace headscope::model
