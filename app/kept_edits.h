// KeptEdits: the edits of a session in one stack, applied to its model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/layers_in_flow.h"
#include "core/formats/session.h"
#include "core/model/model_changes.h"

namespace headscope {

/// A session's edits, applied to the model once it is open.
struct KeptEdits {
  std::shared_ptr<const formats::SavedModel> of;
  std::string problem;  // the reason why they could not be applied
  model::StackChanges changes;
  std::vector<LayersInFlow::Opened> layers;  // the session's documents that are layers of the model
};

}  // namespace headscope
