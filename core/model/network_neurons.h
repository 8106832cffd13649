// Network neurons: what a network adds to a number that is linear in the stream, neuron by neuron:
// activation × what the neuron's column of the last matrix writes along the number's direction
// (Geva et al. 2021). Of a mixture, the neurons of all experts that compute for the token, times
// their weights. Where a norm follows, it is held as it was.
#pragma once

#include <string>
#include <vector>

#include "core/model/stream_parts.h"

namespace headscope::model {

struct Neuron {
  static constexpr Index kNone = -1, kShared = -2;

  Index expert = kNone;  // of a mixture; kShared: of the network that every token passes
  Index number = 0;
  double activation = 0.0;  // times the expert's weight
  double value = 0.0;       // what it adds to the number
};

/// "neuron 13", "expert 2, neuron 13": from 1.
std::string inWords(const Neuron& neuron);

struct NetworkNeurons {
  Index layer = 0;
  std::vector<Neuron> neurons;
  double bias = 0.0;  // of the network's output biases and of the norm that follows it
  double sum = 0.0;   // of all: the network's part of the reading, but for rounding
};

/// Takes the addition of a layer's network to a reading apart, at the reading's place. Throws
/// UserError for a layer without a network or behind the reading.
NetworkNeurons networkNeurons(const ModelTrace& trace, const StreamReading& reading, Index layer,
                              const ExecutionContext& execution = {});

}  // namespace headscope::model
