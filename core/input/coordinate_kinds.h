// Coordinate kinds: what the columns of X are about, in a few groups: word class, position, the
// word itself. An explanation of a score speaks of these and not of hundreds of columns.
#pragma once

#include <string>
#include <vector>

#include "core/input/input.h"

namespace headscope {

/// A partition of the columns of X.
struct CoordinateKinds {
  std::vector<std::string> names;  // "word class", "position", …
  std::vector<Index> kindOf;       // of each column, an index of `names`
  std::vector<std::string> about;  // a sentence on each kind; empty where its name says it all
  std::string whyNone;             // a sentence where the columns have no kinds; else empty

  bool empty() const { return names.empty(); }
};

/// The kinds of a source's columns at a width. A narrow X of given numbers has each column as a
/// kind of its own.
CoordinateKinds coordinateKinds(const InputSource& source, Positions positions, Index dModel);

/// All columns as one kind, X, for a score of X alone: where they have no kinds of their own.
CoordinateKinds oneKind(Index dModel);

/// Names the flags that are 1 in a row of X, among the columns of one kind: "verb" for the word
/// class of a verb. Empty for a kind whose columns are no flags. `ofMemory`: the row is one of the
/// memory.
std::string flagsInWords(const CoordinateKinds& kinds, Index kind, const Input& input, Index item,
                         Index row, bool ofMemory);

}  // namespace headscope
