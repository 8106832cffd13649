// Layer of a model: the attention of one layer over what the flags give the model, as the pass of a
// command, and as the window opens it, with its model next to it.
#pragma once

#include "app/app.h"
#include "app/cli/pass_options.h"
#include "core/model/model_trace.h"

namespace headscope::cli {

struct LayerOfModel {
  DocumentPtr document;
  Index layer = 0;  // as the stack counts: of a decoder self- and cross-attention by themselves
  model::Stack stack = model::Stack::decoder;
  std::filesystem::path folder;
  model::ModelTracePtr trace;  // of the stack
};
/// Runs the model of the flags. Throws UserError for contradictory flags.
LayerOfModel layerOfModel(const PassOptions& options);

/// Opens the layer, with the changes of the flags, in the window's Flow, and its model, with what
/// it was given, on the page Model. A model that was given pixels without a picture stays closed.
void openWithModel(AppOptions& app, const PassOptions& options);

}  // namespace headscope::cli
