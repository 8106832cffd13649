// The fields of rotary positions in config.json: rope_theta, and rope_parameters (or rope_scaling
// in older files) with the scaling for texts longer than those of the training.
#pragma once

#include <optional>
#include <string_view>

namespace headscope::formats {

class ConfigReader;

/// Reads them into the reader's configuration, whose d_k must be known. `theta` is the family's own
/// where the file gives none, and so is `part`, the part of d_k that turns; without it the family
/// turns all and refuses the field. Throws UserError for a scaling that is not known.
void readRope(ConfigReader& reader, double theta, std::optional<double> part);

struct ThetaField {
  std::string_view name;
  double otherwise;
};
/// Reads a rotation for the layers with a window and one for the others (Gemma 3, ModernBERT). The
/// reader's windows must be known. Older files give each theta by a field of its own.
void readRopeOfLayerTypes(ConfigReader& reader, const ThetaField& full, const ThetaField& sliding);

}  // namespace headscope::formats
