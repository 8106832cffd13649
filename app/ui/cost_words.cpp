#include "app/ui/cost_words.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/ledger.h"

namespace headscope::ui {
namespace {

std::string costOf(const AttentionConfig& config) {
  const Ledger cost = ledger(config);
  return fmt::format("{} parameters, {} a pass, {}", withThousands(cost.parameters.total),
                     flopsInWords(cost.flops), bytesInWords(cost.residentBytes));
}

}  // namespace

std::string costTip(const AttentionConfig& now, const AttentionConfig& doubled) {
  std::string text = "\nnow: " + costOf(now);
  if (!validate(doubled).empty()) return text;
  try {
    text += "\ntwice as many: " + costOf(doubled);
  } catch (const UserError&) {  // too large to be counted
  }
  return text;
}

}  // namespace headscope::ui
