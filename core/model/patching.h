// Patched runs: copies of a model's pass, in each of which one part is replaced: a head's output,
// its query, key or value alone, an attention's or a network's addition to the residual stream, or
// the stream that enters a layer (activation patching: Vig et al. 2020; Meng et al. 2022; Wang et
// al. 2022).
//
// A copy begins at the layer of its patch with what the base pass computed up to there. All copies
// that have begun run through a layer together, so that they share its products. The last layer
// computes the one token whose prediction is read. A copy whose patch is in an encoder goes on in
// the decoder, from its first cross-attention on.
//
//   PatchedRuns runs(base, patches, {row, word, other}, execution);
//   while (!runs.runUnit()) continue;
//   runs.effects()[i];  // of patches[i]
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/model/sites.h"
#include "core/model/stacks.h"

namespace headscope::model {

/// A part of a pass and its new values.
struct Patch {
  static constexpr Index kEveryPlace = -1;

  Site site = Site::heads;
  Index layer = 0;
  Index head = 0;             // of heads and queries; of keys and values: the key/value head
  Index place = kEveryPlace;  // the token whose values are replaced
  /// (1, width) for one place, otherwise (T, width); width is d_k for a head and its sides,
  /// otherwise D. The keys and values of cross-attention have the source's tokens. Queries and keys
  /// are given before any norm or rotation.
  Tensor rows;
  Stack stack = Stack::decoder;
};

/// Returns whether two patches replace the same part, perhaps at other places.
inline bool samePart(const Patch& a, const Patch& b) {
  return a.site == b.site && a.layer == b.layer && a.head == b.head && a.stack == b.stack;
}

/// The prediction that is read: at token `row` the logit of a word, or logit(word) − logit(other).
struct AskedWord {
  Index row = 0, word = 0;
  std::optional<Index> other;
};

/// The prediction after a patch.
struct PatchEffect {
  double metric = 0.0;       // the logit, or the difference
  double probability = 0.0;  // of the word
  double divergence = 0.0;   // KL(base ‖ patched) over all tokens, in nats
  /// The part of the metric's change that reaches the logits directly, past all that follows, with
  /// the norms on the way as they were: 0 from an encoder; none where the logit has no direct paths
  /// (logit_parts.h).
  std::optional<double> direct;
  /// The first-order estimate of the metric's change (attribution_patching.h); nothing where none
  /// was computed.
  std::optional<double> estimate = {};
  /// The weight of a patched head, in the base pass, from the asked token on the word that decides
  /// (texts_sweep.h); nothing where none is known.
  std::optional<double> looks = {};
  /// The addition of the part itself to the metric, past all later layers, in the base pass
  /// (logit_parts.h); nothing where the logit has no direct paths.
  std::optional<double> adds = {};
};

class PatchedRuns {
 public:
  /// Throws UserError for a layer, head, place or word that does not exist, and for rows that do
  /// not fit.
  PatchedRuns(ModelTracePtr base, std::vector<Patch> patches, const AskedWord& asked,
              const ExecutionContext& execution);
  ~PatchedRuns();
  PatchedRuns(const PatchedRuns&) = delete;
  PatchedRuns& operator=(const PatchedRuns&) = delete;

  /// Runs the next layer. True after the last unit, or where it was cancelled. Throws UserError
  /// where a number overflows.
  bool runUnit();
  Index units() const;
  Index unitsDone() const;

  /// The prediction of the base pass; its direct part is 0.
  const PatchEffect& base() const;
  /// The effect of each patch, in their order, after the last unit; empty where it was cancelled.
  const std::vector<PatchEffect>& effects() const;

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

}  // namespace headscope::model
