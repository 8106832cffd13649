// Beam search: the continuations of a text with the largest mean log-probability per token, found
// by keeping the few most probable beginnings at each step. It follows transformers' definition
// with length penalty 1: a continuation scores the sum of its log-probabilities, 0 for a token that
// the model forces, ÷ its number of tokens; of 2 · K candidates the best K go on, or end with an
// end token; the search ends when none that goes on scores more than the worst of K ended ones.
//
//   BeamSearch search(trace, 16, 4);
//   while (!search.runUnit({})) continue;
//   search.found().paths.front();  // the best one
#pragma once

#include <vector>

#include "core/model/generation.h"

namespace headscope::model {

/// A token behind another one, in the tree of all continuations that were kept.
struct BeamNode {
  Index parent = -1;  // among the nodes; −1: the text
  ChosenToken token;
  double logProbability = 0.0;  // the sum from the text to here; a forced token adds 0
  Index depth = 1;              // tokens from the text to here
};

struct BeamPath {
  Index end = 0;       // the node of its last token
  double score = 0.0;  // the mean log-probability of its tokens
  bool ended = false;  // with an end token
};

struct Beams {
  std::vector<BeamNode> nodes;  // a parent stands before its children
  std::vector<BeamPath> paths;  // at most K, the best first
  Index cacheBytes = 0;  // the keys and values of all beams that went on last; at least the text's

  /// The nodes of a path, in the order of its tokens.
  std::vector<Index> nodesOf(const BeamPath& path) const;
  /// The tokens of a path.
  std::vector<ChosenToken> tokensOf(const BeamPath& path) const;
};

class BeamSearch {
 public:
  /// The most continuations that are kept at a step.
  static constexpr Index kMostBeams = 16;

  /// Continues the text of a pass by at most `most` tokens, with `beams` beginnings at each step.
  /// Throws UserError as Decoder does, and where the caches of all beams do not fit the memory.
  BeamSearch(Beginning from, Index most, Index beams);

  /// Appends a token to each beam. True after the last step, or where `execution` was cancelled.
  /// Throws UserError as Decoder::feed does.
  bool runUnit(const ExecutionContext& execution);
  /// The result, after the last step; of a cancelled search what was found so far.
  const Beams& found() const { return found_; }

 private:
  /// A beginning that goes on.
  struct Beam {
    Index node = -1;
    double logProbability = 0.0;
    Decoder decoder;
  };
  /// A token behind a beam.
  struct Candidate {
    std::size_t beam = 0;
    ChosenToken token;
    double logProbability = 0.0;
  };
  std::vector<Candidate> candidates() const;
  Index added(const Candidate& candidate);
  void end(Index node, bool ended);
  bool improves() const;
  Index bytesInCaches() const;

  Index beams_, most_, made_ = 0;
  std::vector<Beam> running_;
  Beams found_;
  bool ended_ = false;
};

}  // namespace headscope::model
