#include "core/words/mask.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "core/attention/config.h"
#include "core/attention/mask.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/words/cells.h"

namespace headscope {
namespace {

std::string tokenNameAt(const std::vector<std::vector<std::string>>& tokens, Index item, Index at,
                        const char* otherwise) {
  if (item < static_cast<Index>(tokens.size())) {
    const auto& own = tokens[static_cast<std::size_t>(item)];
    if (at < static_cast<Index>(own.size())) {
      return fmt::format("'{}'", shownToken(own[static_cast<std::size_t>(at)]));
    }
  }
  return fmt::format("{} {}", otherwise, at);
}

std::string ruleName(MaskRule rule) {
  switch (rule) {
    case MaskRule::causal:
      return "causal";
    case MaskRule::window:
      return "window";
    case MaskRule::padding:
      return "padding";
    case MaskRule::painted:
      break;
  }
  return "paint";
}

/// A rule's name with the reason why it forbids the pair.
std::string ruleReason(MaskRule rule, const Document& d, Index item, Index query, Index key) {
  const Mask& mask = d.config.mask;
  switch (rule) {
    case MaskRule::causal:
      return trFormat("causal ({} comes after {})", keyName(d, item, key),
                      queryName(d, item, query));
    case MaskRule::window:
      return trFormat("window {} (they are {} apart)", mask.window, std::abs(key - query));
    case MaskRule::padding:
      return trFormat("padding (only the first {} keys count)",
                      mask.lengths[static_cast<std::size_t>(item)]);
    case MaskRule::painted:
      break;
  }
  return ruleName(rule);
}

}  // namespace

std::string queryName(const Document& document, Index item, Index query) {
  return tokenNameAt(document.input->tokens, item, query, "query");
}

std::string keyName(const Document& document, Index item, Index key) {
  return tokenNameAt(document.input->keyTokens(), item, key, "key");
}

std::string pairSentence(const Document& document, Index item, Index query, Index key) {
  std::vector<std::string> reasons;
  for (const MaskRule rule : rulesForbidding(document.config.mask, item, query, key)) {
    reasons.push_back("by " + ruleReason(rule, document, item, query, key));
  }
  const std::string pair = queryName(document, item, query) + " → " + keyName(document, item, key);
  if (reasons.empty()) return pair + ": allowed";
  return trFormat("{}: forbidden {}", pair, fmt::join(reasons, " and "));
}

std::vector<MaskRule> rulesInTheWay(const Document& document, Index item, Index query, Index key) {
  std::vector<MaskRule> rules = rulesForbidding(document.config.mask, item, query, key);
  std::erase(rules, MaskRule::painted);
  return rules;
}

std::string namesOf(const std::vector<MaskRule>& rules) {
  std::vector<std::string> names;
  for (const MaskRule rule : rules) names.push_back(ruleName(rule));
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string fullyMaskedSentence(const Document& document, Index item,
                                const std::vector<Index>& queries) {
  if (queries.empty()) return {};
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(queries.size(), kNamed); ++i) {
    names.push_back(queryName(document, item, queries[i]));
  }
  if (queries.size() > kNamed) names.emplace_back("…");
  const std::string what =
      queries.size() == 1 ? trFormat("Every key of {} is masked", names[0])
                          : trFormat("{} of {} queries have every key masked ({})", queries.size(),
                                     document.config.seqLen, fmt::join(names, ", "));
  return trFormat("{}: no softmax, weights 0, output {}, not NaN.", what,
                  document.config.switches->bias ? "b_O alone" : "0");
}

}  // namespace headscope
