// Mask words: describes the effect of a mask on a pair of a query and a key, with their tokens.
#pragma once

#include <string>
#include <vector>

#include "core/base/index.h"
#include "core/document/fwd.h"

namespace headscope {

enum class MaskRule;

/// "'sat'", or "query 2" where an item has no tokens.
std::string queryName(const Document& document, Index item, Index query);
std::string keyName(const Document& document, Index item, Index key);

/// "'sat' → 'on': forbidden by causal ('on' comes after 'sat') and by paint".
std::string pairSentence(const Document& document, Index item, Index query, Index key);

/// The rules other than paint that forbid a pair.
std::vector<MaskRule> rulesInTheWay(const Document& document, Index item, Index query, Index key);
/// "causal and padding".
std::string namesOf(const std::vector<MaskRule>& rules);

/// Describes the queries without a key ("every key of 'sat' is masked: …"); empty for none.
std::string fullyMaskedSentence(const Document& document, Index item,
                                const std::vector<Index>& queries);

}  // namespace headscope
