// TrainingDomain: the kind of data a layer learns from (training/learned_layer.h): sentences, or
// series with a number of channels.
#pragma once

#include <optional>
#include <string>

#include "core/base/index.h"
#include "core/input/input.h"

namespace headscope {

struct TrainingDomain {
  Index channels = 0;  // of series; 0: sentences

  bool series() const { return channels > 0; }
  bool operator==(const TrainingDomain&) const = default;
};

/// The domain that an input belongs to. Tensors have none: their columns could mean anything. So
/// have patches of an image, which are no steps of a series.
std::optional<TrainingDomain> trainingDomainOf(const InputSource& source);

/// "generated sentences", "generated series of 3 channels".
std::string inWords(const TrainingDomain& domain);

}  // namespace headscope
