#include "core/words/cost.h"

#include <fmt/format.h>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

std::string costOf(const AttentionConfig& config) {
  ScoreStorage held = ScoreStorage::all;
  try {
    held = scoresToHold(config, defaultMemoryBudget());
  } catch (const UserError&) {  // its need is shown nevertheless
  }
  const Ledger cost = ledger(config, held);
  return trFormat("{} parameters, {} a pass, {}", withThousands(cost.parameters.total),
                  flopsInWords(cost.flops), bytesInWords(cost.residentBytes));
}

}  // namespace

std::string costTip(const AttentionConfig& now, const AttentionConfig& doubled) {
  std::string text = "\nnow: " + costOf(now);
  if (!validate(doubled).empty()) return text;
  try {
    text += tr("\ntwice as many: ") + costOf(doubled);
  } catch (const UserError&) {  // too large to be counted
  }
  return text;
}

}  // namespace headscope
