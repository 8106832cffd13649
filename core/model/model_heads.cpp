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

std::optional<MeasuredHeads> measureHeads(const ModelTrace& trace, const MeasuredHeads* previous,
                                          const Execution& execution) {
  const auto heads = static_cast<std::size_t>(trace.config().heads);
  const auto add = [heads](const auto& from, std::size_t first, auto& to) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(heads));
  };
  MeasuredHeads all;
  for (Index layer = 0; layer < trace.layers(); ++layer) {
    const TracePtr attention = trace.layer(layer);
    const auto at = static_cast<std::size_t>(layer);
    all.layers.push_back(attention);
    if (previous != nullptr && at < previous->layers.size() &&
        previous->layers[at].lock() == attention) {
      add(previous->metrics, at * heads, all.metrics);
      add(previous->labels, at * heads, all.labels);
      continue;
    }
    const auto found = headMetrics(*attention, 0, execution);
    if (!found) return std::nullopt;
    add(*found, 0, all.metrics);
    add(headLabels(*attention, 0, *found, {}), 0, all.labels);
  }
  return all;
}

std::optional<MeasuredPass> measureModel(const ModelDocumentPtr& document,
                                         const Execution& execution, Index budgetBytes) {
  auto trace = runModel(document, nullptr, execution, budgetBytes);
  if (trace == nullptr) return std::nullopt;
  auto heads = measureHeads(*trace, nullptr, execution);
  if (!heads) return std::nullopt;
  return MeasuredPass{std::move(*heads), std::move(trace)};
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
