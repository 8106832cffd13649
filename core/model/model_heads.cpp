#include "core/model/model_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/weights/random.h"

namespace headscope::model {
namespace {

constexpr std::uint64_t kProbeSeed = 1;

/// Ids that stand for text.
std::vector<Index> ordinaryIds(const ModelConfig& config, const tokenizer::Tokenizer* tokenizer) {
  std::vector<Index> ids;
  for (Index id = 0; id < config.vocabulary; ++id) {
    if (tokenizer != nullptr) {
      const auto token = static_cast<tokenizer::TokenId>(id);
      if (id >= static_cast<Index>(tokenizer->end()) || tokenizer->text(token) == nullptr ||
          tokenizer->isSpecial(token)) {
        continue;
      }
    }
    ids.push_back(id);
  }
  return ids;
}

/// What the tokenizer puts before and behind every text.
struct AroundText {
  std::vector<Index> before, behind;
};

AroundText putAround(const tokenizer::Tokenizer* tokenizer) {
  AroundText around;
  if (tokenizer == nullptr) return around;
  bool inText = false;
  for (const tokenizer::Token& token : tokenizer->encode("a")) {
    if (token.sequence >= 0) {
      inText = true;
    } else {
      (inText ? around.behind : around.before).push_back(token.id);
    }
  }
  return around;
}

}  // namespace

std::optional<MeasuredPass> measureModel(const ModelDocumentPtr& document,
                                         const MeasuredPass* previous, const Execution& execution,
                                         Index budgetBytes) {
  MeasuredPass pass;
  const ModelTracePtr before = previous != nullptr ? previous->trace : nullptr;
  const Index heads = document->model->config().heads;
  const auto take = [heads](const auto& from, auto& to, Index layer) {
    const auto first = from.begin() + layer * heads;
    to.insert(to.end(), first, first + heads);
  };
  bool stopped = false;
  pass.trace =
      runModel(document, before, execution, budgetBytes, [&](Index layer, const TracePtr& trace) {
        if (stopped) return;
        if (before != nullptr && before->held(layer) && before->layer(layer) == trace) {
          take(previous->metrics, pass.metrics, layer);
          take(previous->labels, pass.labels, layer);
          return;
        }
        auto metrics = headMetrics(*trace, 0, execution);
        stopped = !metrics;
        if (stopped) return;
        const auto labels = headLabels(*trace, 0, *metrics, {});
        pass.labels.insert(pass.labels.end(), labels.begin(), labels.end());
        pass.metrics.insert(pass.metrics.end(), metrics->begin(), metrics->end());
      });
  if (stopped || pass.trace == nullptr) return std::nullopt;
  return pass;
}

ModelInput repeatedRandomTokens(const ModelConfig& config, const tokenizer::Tokenizer* tokenizer) {
  const auto [before, behind] = putAround(tokenizer);
  std::vector<Index> ordinary = ordinaryIds(config, tokenizer);
  const Index positions = std::min(config.positions, Limits::kTokens);
  const Index room = (positions - std::ssize(before) - std::ssize(behind)) / 2;
  const Index count = std::min({kProbeTokens, room, static_cast<Index>(ordinary.size())});
  if (count < 2) {
    throw UserError(
        fmt::format("repeated random tokens need two tokens twice, and this model has {} "
                    "positions and {} ordinary tokens",
                    positions, ordinary.size()));
  }
  // the first `count` of a shuffle (Fisher & Yates): no token is drawn twice
  const RandomStream stream(kProbeSeed, "repeated random tokens");
  for (Index i = 0; i < count; ++i) {
    const auto left = static_cast<std::uint64_t>(std::ssize(ordinary) - i);
    const auto other = i + static_cast<Index>(stream.bits(static_cast<std::uint64_t>(i)) % left);
    std::swap(ordinary[static_cast<std::size_t>(i)], ordinary[static_cast<std::size_t>(other)]);
  }
  ordinary.resize(static_cast<std::size_t>(count));
  ModelInput input;
  for (const auto* part : {&before, &std::as_const(ordinary), &std::as_const(ordinary), &behind}) {
    input.ids.insert(input.ids.end(), part->begin(), part->end());
  }
  return input;
}

}  // namespace headscope::model
