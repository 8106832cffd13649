// KeptEdits: the edits of a session, applied to its model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/layers_in_flow.h"
#include "core/formats/model_edits.h"
#include "core/formats/session.h"

namespace headscope {

/// A session's edits, applied to the model once it is open.
struct KeptEdits {
  std::shared_ptr<const formats::SavedModel> of;
  std::string problem;  // the reason why they could not be applied
  formats::EditsOnModel edits;
  std::vector<LayersInFlow::Opened> layers;  // the session's documents that are layers of the model
};

}  // namespace headscope
