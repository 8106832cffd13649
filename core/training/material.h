// Material: what a layer learns from (learned_layer.h): sentences, or series of so many channels.
#pragma once

#include <optional>
#include <string>

#include "core/index.h"
#include "core/input/input.h"

namespace headscope::training {

struct Material {
  Index channels = 0;  // of series; 0: sentences

  bool series() const { return channels > 0; }
  bool operator==(const Material&) const = default;
};

/// What is like an input; none for one that is given as numbers, whose columns could be anything.
std::optional<Material> materialOf(const InputSource& source);

/// "generated sentences", "generated series of 3 channels".
std::string inWords(const Material& material);

}  // namespace headscope::training
