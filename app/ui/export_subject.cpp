#include "app/ui/export_subject.h"

#include <fmt/format.h>

#include <variant>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/model_edits.h"

namespace headscope::ui {
namespace {

std::string offInWords(Index heads) {
  return heads == 0 ? std::string()
                    : trFormat(", {} off", counted(heads, tr("{} head"), tr("{} heads")));
}

}  // namespace

std::string layerInWords(const Document& document) {
  const AttentionConfig& c = document.config;
  const auto* loaded =
      document.source != nullptr ? std::get_if<TensorSource>(document.source.get()) : nullptr;
  return trFormat("{} (d_model {}, {}, {}{})",
                  loaded != nullptr && !loaded->name.empty() ? loaded->name : tr("Flow's layer"),
                  c.dModel, counted(c.numHeads, tr("{} head"), tr("{} heads")),
                  counted(c.seqLen, tr("{} token"), tr("{} tokens")),
                  c.batch > 1 ? trFormat(", batch {}", c.batch) : "");
}

std::string modelInWords(const model::ModelTrace& trace) {
  const model::ModelConfig& c = trace.config();
  return trFormat("{} ({} of {}, {}{})", trace.document().model->name(),
                  counted(c.depth(), tr("{} layer"), tr("{} layers")),
                  counted(c.heads, tr("{} head"), tr("{} heads")),
                  counted(trace.tokens(), tr("{} token"), tr("{} tokens")),
                  offInWords(std::ssize(headsOff(trace.document()))));
}

std::string layerOfModelInWords(const model::ModelTrace& trace, Index layer) {
  Index off = 0;
  for (const HeadOfLayer& head : headsOff(trace.document())) {
    if (head.layer == layer) ++off;
  }
  return trFormat("{} of {} ({}, {}{})", trace.config().layerInWords(layer),
                  trace.document().model->name(),
                  counted(trace.config().heads, tr("{} head"), tr("{} heads")),
                  counted(trace.tokens(), tr("{} token"), tr("{} tokens")), offInWords(off));
}

}  // namespace headscope::ui
