// Network neurons: what a network adds to a number that is linear in the stream, neuron by neuron:
// activation × what the neuron's column of the last matrix writes along the number's direction
// (Geva et al. 2021). Of a mixture, the neurons of all experts that compute for the token, times
// their weights. Where a norm follows, it is held as it was.
//
// A neuron's pre-activation is a sum as well: it is linear in the stream that its network reads,
// with the norm in front held.
#pragma once

#include <optional>
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

/// The product of a gated neuron, act(gate) · up, that is read: the larger one is that of the
/// larger size. Other neurons have one product, whichever is asked for.
enum class NeuronSide { larger, gate, up };

struct AskedNeuron {
  Index layer = 0;
  Index expert = Neuron::kNone;  // as in Neuron
  Index number = 0;
  NeuronSide side = NeuronSide::larger;

  bool operator==(const AskedNeuron&) const = default;
};

/// The number that a neuron's activation is computed from, or that its gate multiplies.
struct PreActivation {
  AskedNeuron of;                    // `side` is the one that is read
  bool chosen = false;               // the side was asked for
  double value = 0.0;                // of the pass
  std::optional<double> other = {};  // that of the other side of a gated neuron
};
/// "neuron 13", "expert 2, neuron 13, gate".
std::string inWords(const PreActivation& found);

/// The pre-activation of a neuron at a place, and the reading that it is of the stream. Both throw
/// UserError for a neuron that does not exist, or of an expert that does not compute there.
PreActivation preActivation(const ModelTrace& trace, const AskedNeuron& asked, Index place,
                            Stack stack = Stack::decoder);
StreamReading readingOfNeuron(const ModelTrace& trace, const AskedNeuron& asked, Index place,
                              Stack stack = Stack::decoder);
/// The number of the same neuron and side in another pass, in which a mixture may choose other
/// experts.
double preActivationIn(const ModelTrace& other, const PreActivation& found, Index place,
                       Stack stack = Stack::decoder);

}  // namespace headscope::model
