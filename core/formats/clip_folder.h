// CLIP folder: both encoders of a CLIP in one folder, with the projections in which they meet.
#pragma once

#include <filesystem>

#include "core/model/two_encoders.h"

namespace headscope::formats {

/// Returns whether a folder's config.json is that of a whole CLIP. False where it cannot be read.
bool isClipFolder(const std::filesystem::path& folder);

/// Opens both. Throws UserError as openModel does. The budget is that of each encoder.
model::TwoEncoders openClip(const std::filesystem::path& folder, Index layerBudgetBytes);

}  // namespace headscope::formats
