// Score reasons: why a head looks at a word. The score of a pair of words as a sum over pairs of
// kinds of coordinates, with the names of the kinds: what the query asks with (its word class, its
// position, …) × what the key offers.
#pragma once

#include <string>
#include <vector>

#include "app/ui/asked_score.h"
#include "app/ui/parts/computed.h"
#include "core/analysis/score_by_kind.h"
#include "core/input/coordinate_kinds.h"

namespace headscope::ui {

/// One pair of kinds.
struct KindPair {
  Index query = 0, key = 0;
  double value = 0.0;
};
/// All pairs, by the size of their value.
std::vector<KindPair> strongestPairs(const Matrix64& values);

/// "word class", and what a word has of it, "verb", where that has a name.
struct KindName {
  std::string kind, flags, about;
  std::string inWords() const;  // "word class (verb)"
};

/// The names of the rows and columns of ScoreByKind.
struct ScoreNames {
  std::string query, key;  // the words
  std::vector<KindName> rows, columns;

  std::string meet(const KindPair& of) const;  // "word class (verb) meets word class (noun)"
};
ScoreNames scoreNames(const PanelContext& panel, const ScoreInFlow& asked,
                      const CoordinateKinds& kinds);

/// The score taken apart, computed in the background.
Computed<ScoreByKind> scoreReasons(const PanelContext& panel, const ScoreInFlow& asked,
                                   const CoordinateKinds& kinds);

/// Returns whether the columns of X have names, so that a sentence can say why a score is large.
bool hasReasons(const PanelContext& panel);
/// The largest reason as a sentence; empty while it is computed.
std::string largestReason(const PanelContext& panel, const ScoreInFlow& asked);

}  // namespace headscope::ui
