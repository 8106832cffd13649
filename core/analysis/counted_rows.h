// Counted rows: the rows of one batch item that metrics are taken over: those with a key to attend
// to whose query is no padding.
#pragma once

#include <string>
#include <vector>

#include "core/document.h"

namespace headscope {

struct CountedRow {
  Index row = 0;
  AllowedKeys keys;  // those that take part in its softmax
  Index keyCount = 0;
  // the part of the row outside of which every weight is 0
  Index begin = 0;
  Index end = 0;
};

struct CountedRows {
  std::vector<CountedRow> rows;  // in order
  Index tokens = 0;              // queries that are not padding
  bool anyKeys = false;          // some query, padding or not, has a key to attend to

  bool empty() const { return rows.empty(); }
  /// Why it is empty, in words.
  std::string whyEmpty() const;
};

/// Valid as long as the document is. Padding: queries past the item's length; in cross-attention,
/// where lengths are the memory's, those without a token.
CountedRows countedRows(const Document& document, Index item);

}  // namespace headscope
