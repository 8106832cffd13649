#include "core/model/model_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/attention/limits.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/translation.h"

namespace headscope::model {
namespace {

constexpr std::uint64_t kProbeSeed = 1;

/// The ids of ordinary tokens: all ids of the vocabulary, or with a tokenizer its tokens that are
/// not special.
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

/// The special tokens that the tokenizer adds before and after every text.
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

ModelMeasure::ModelMeasure(ModelTracePtr trace, const MeasuredHeads* previous,
                           const ExecutionContext& execution)
    : execution_(execution), previous_(previous) {
  found_.trace = std::move(trace);
}

ModelMeasure::ModelMeasure(const ModelDocumentPtr& document, const ExecutionContext& execution,
                           Index budgetBytes)
    : execution_(execution) {
  pass_.emplace(document, nullptr, execution_, budgetBytes);
}

bool ModelMeasure::runUnit() {
  if (pass_) {
    if (!pass_->runUnit()) return false;
    found_.trace = pass_->trace();
    pass_.reset();
    return found_.trace == nullptr;
  }
  if (found_.trace == nullptr || ended()) return true;
  measureLayer();
  return ended() || execution_.stop();
}

bool ModelMeasure::ended() const {
  return found_.trace != nullptr &&
         layersDone() == static_cast<std::size_t>(found_.trace->layers());
}

void ModelMeasure::measureLayer() {
  const TracePtr layer = found_.trace->layer(static_cast<Index>(layersDone()));
  const bool asBefore = previous_ != nullptr && layersDone() < previous_->layers.size() &&
                        previous_->layers[layersDone()].lock() == layer;
  if (asBefore) {
    const auto heads = found_.trace->config().heads;
    const auto first = static_cast<Index>(layersDone()) * heads;
    const auto copy = [&](const auto& from, auto& to) {
      to.insert(to.end(), from.begin() + first, from.begin() + first + heads);
    };
    copy(previous_->metrics, found_.metrics);
    copy(previous_->labels, found_.labels);
  } else {
    const auto metrics = headMetrics(*layer, 0, execution_);
    if (!metrics) return;  // cancelled
    std::ranges::copy(*metrics, std::back_inserter(found_.metrics));
    std::ranges::copy(headLabels(*layer, 0, *metrics, {}), std::back_inserter(found_.labels));
  }
  found_.layers.push_back(layer);
}

std::optional<MeasuredPass> ModelMeasure::measured() const {
  return ended() ? std::optional(found_) : std::nullopt;
}

std::optional<MeasuredPass> measureModel(const ModelDocumentPtr& document,
                                         const ExecutionContext& execution, Index budgetBytes) {
  ModelMeasure measure(document, execution, budgetBytes);
  while (!measure.runUnit()) continue;
  return measure.measured();
}

ModelInput repeatedRandomTokens(const ModelConfig& config, const tokenizer::Tokenizer* tokenizer) {
  const auto [before, behind] = putAround(tokenizer);
  std::vector<Index> ordinary = ordinaryIds(config, tokenizer);
  const Index positions = std::min(config.positions, Limits::kTokens);
  const Index room = (positions - std::ssize(before) - std::ssize(behind)) / 2;
  const Index count = std::min({kProbeTokens, room, static_cast<Index>(ordinary.size())});
  if (count < 2) {
    throw UserError(
        trFormat("repeated random tokens need two tokens twice, and this model has {} "
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
