// Path patching (Wang et al. 2022): the effect of one head on another through its query, key or
// value alone. The sender's output is replaced, and its way to the receiver is run again: networks
// and norms; the outputs of all heads between are held. What the receiver then reads as its query,
// key or value is a patch of the base pass. A head of an encoder reaches the decoder through the
// keys and values of its cross-attention.
//
//   const Receiver to{Site::q, 9, 6};
//   const Tensor query = valuesThrough(*base, senderPatch, to, {});
//   PatchedRuns runs(base, {{to.site, to.layer, to.head, Patch::kEveryPlace, query}}, asked, {});
#pragma once

#include <vector>

#include "core/model/patching.h"

namespace headscope::model {

struct Receiver {
  Site site = Site::q;  // q, k or v
  Index layer = 0;
  Index head = 0;  // of k and v: the key/value head
  Stack stack = Stack::decoder;

  bool operator==(const Receiver&) const = default;
};

/// Returns whether a path leads from a head to a receiver: within a stack from an earlier layer,
/// and from the encoder to the keys and values of a cross-attention.
bool reaches(const ModelConfig& config, const Patch& sender, const Receiver& to);

/// The receiver's values, (T, d_k), where the head of `sender` is patched in `base`. Throws
/// UserError for a sender that does not reach it and a receiver that does not exist.
Tensor valuesThrough(const ModelTrace& base, const Patch& sender, const Receiver& to,
                     const ExecutionContext& execution);

/// The patches of the receiver, one for each sender. Incomplete where `execution` was cancelled.
std::vector<Patch> patchesThrough(const ModelTrace& base, const std::vector<Patch>& senders,
                                  const Receiver& to, const ExecutionContext& execution);

}  // namespace headscope::model
