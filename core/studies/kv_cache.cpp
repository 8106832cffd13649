#include "core/studies/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope {
namespace {

/// A (query, key) pair of a batch item with the key later than the query.
struct LaterKey {
  Index item = 0, query = 0, key = 0;
};

std::optional<LaterKey> laterKey(const AttentionConfig& c) {
  if (c.mask.causal) return std::nullopt;
  for (Index item = 0; item < c.batch; ++item) {
    for (Index query = 0; query < c.seqLen; ++query) {
      const AllowedKeys allowed = allowedKeys(c.mask, item, query, c.keys());
      const Index from = std::max(allowed.begin, query + 1);
      if (from >= allowed.end) continue;
      if (allowed.painted == nullptr) return LaterKey{item, query, from};
      const auto* found = std::find_if(allowed.painted + from, allowed.painted + allowed.end,
                                       [](std::uint8_t a) { return a != 0; });
      if (found != allowed.painted + allowed.end) {
        return LaterKey{item, query, found - allowed.painted};
      }
    }
  }
  return std::nullopt;
}

std::string tokenAt(const Document& document, Index item, Index position) {
  const auto& tokens = document.input->tokens[static_cast<std::size_t>(item)];
  const std::string& token = tokens[static_cast<std::size_t>(position)];
  return token.empty() ? std::to_string(position + 1)
                       : fmt::format("{} ('{}')", position + 1, token);
}

CacheObstacle mistakeIn(Mistake mistake, std::string why) {
  return {std::move(why), SetMistake{mistake, false},
          trFormat("turn off: {}", tr(textOf(mistake).title))};
}

/// A pinned weight counts even if the mask forbids its key.
const Pin* pinOnLaterKey(const Document& document) {
  const auto pins = document.pins.of(TensorId::weights);
  const auto found = std::find_if(pins.begin(), pins.end(), [](const Pin& pin) {
    return pin.cell.col > pin.cell.row && pin.value != 0.0F;
  });
  return found != pins.end() ? &*found : nullptr;
}

DecodePart partOf(StepId step) {
  switch (step) {
    case StepId::project:
    case StepId::split:
    case StepId::normalize:
    case StepId::rotate:
    case StepId::gate:  // of the query alone: it needs no cache
      return DecodePart::project;
    case StepId::score:
    case StepId::scale:
    case StepId::mask:
      return DecodePart::score;
    case StepId::softmax:
      return DecodePart::softmax;
    case StepId::weigh:
    case StepId::concat:
      return DecodePart::weigh;
    case StepId::output:
      break;
  }
  return DecodePart::output;
}

bool perPair(DecodePart part) { return part != DecodePart::project && part != DecodePart::output; }

}  // namespace

std::optional<CacheObstacle> cacheObstacle(const Document& document) {
  const AttentionConfig& c = document.config;
  if (c.crossAttention()) {
    return CacheObstacle{
        tr("In cross-attention keys and values come from the memory, which does not grow: K and V "
           "are "
           "computed once, for all of it, and reused for every token decoded (an encoder cache)."),
        std::nullopt,
        {}};
  }
  if (c.mistakes.reshapeWithoutTranspose) {
    return mistakeIn(Mistake::reshapeWithoutTranspose,
                     tr("Without the transpose a head's rows are pieces of several tokens, so one "
                        "more token changes them all: nothing can be cached."));
  }
  if (c.mistakes.softmaxOverQueries) {
    return mistakeIn(
        Mistake::softmaxOverQueries,
        tr("Softmax over the queries divides each weight by a sum over later queries, so "
           "one more token changes the earlier rows: nothing can be cached."));
  }
  if (c.mistakes.zeroForMasked && c.seqLen > 1) {
    return mistakeIn(Mistake::zeroForMasked,
                     tr("With 0 instead of −∞ a masked key still gets weight, so one more token "
                        "changes the earlier rows: nothing can be cached."));
  }
  if (const auto later = laterKey(c)) {
    SetMask edit{c.mask};
    edit.mask.causal = true;
    return CacheObstacle{
        trFormat(
            "Token {} attends to token {}, which comes later, so one more token changes the "
            "earlier rows and nothing can be cached. Decoding token by token needs a causal mask.",
            tokenAt(document, later->item, later->query),
            tokenAt(document, later->item, later->key)),
        edit, tr("turn on causal")};
  }
  if (const Pin* pin = pinOnLaterKey(document)) {
    return CacheObstacle{trFormat("{} is a pinned weight on a later key, so its row needs a "
                                  "token that does not exist yet.",
                                  toString(*pin)),
                         RemovePin{pin->cell}, tr("remove the pin")};
  }
  if (c.dropout.on()) {
    return CacheObstacle{tr("Dropout belongs to training, which has all tokens at once; a cache is "
                            "for decoding, which "
                            "runs without dropout."),
                         SetDropout{{0.0, c.dropout.seed}}, tr("turn off dropout")};
  }
  return std::nullopt;
}

std::string_view titleOf(DecodePart part) {
  constexpr std::array<std::string_view, kDecodeParts> kTitles{"project", "score", "softmax",
                                                               "weigh", "output"};
  return kTitles[static_cast<std::size_t>(part)];
}

Index DecodeFlops::total() const {
  Index sum = 0;
  for (const Index part : parts) sum += part;
  return sum;
}

DecodeLedger::DecodeLedger(const AttentionConfig& config) {
  AttentionConfig one = config;  // one token, hence one pair
  one.seqLen = 1;
  one.memoryLen = 0;
  one.memoryWidth = 0;
  for (const Step* step : stepsOf(config)) {
    const DecodePart part = partOf(step->id());
    DecodeFlops& unit = perPair(part) ? pair_ : row_;
    unit.parts[static_cast<std::size_t>(part)] += step->cost(one).flops;
  }
  const auto n = static_cast<double>(config.seqLen);
  const double all = static_cast<double>(row_.total()) * n * (n + 1) / 2 +
                     static_cast<double>(pair_.total()) * n * (n + 1) * (2 * n + 1) / 6;
  if (all * 2 > static_cast<double>(std::numeric_limits<Index>::max())) {
    throw UserError(
        trFormat("decoding {} tokens cannot be counted in 64 bits (about {:.1e} FLOPs): reduce "
                 "d_model, tokens or batch",
                 withThousands(config.seqLen), all));
  }
}

DecodeFlops DecodeLedger::scaled(Index rows, Index pairs) const {
  DecodeFlops flops;
  for (std::size_t i = 0; i < kDecodeParts; ++i) {
    flops.parts[i] = row_.parts[i] * rows + pair_.parts[i] * pairs;
  }
  return flops;
}

DecodeFlops DecodeLedger::cached(Index position) const { return scaled(1, position + 1); }

DecodeFlops DecodeLedger::whole(Index position) const {
  const Index n = position + 1;
  return scaled(n, n * n);
}

DecodeFlops DecodeLedger::cachedSoFar(Index position) const {
  const Index n = position + 1;
  return scaled(n, n * (n + 1) / 2);
}

DecodeFlops DecodeLedger::wholeSoFar(Index position) const {
  const Index n = position + 1;
  return scaled(n * (n + 1) / 2, n * (n + 1) * (2 * n + 1) / 6);
}

Index kvCacheBytes(const AttentionConfig& c, Index kvHeads, Index positions, Index bytesPerValue) {
  return 2 * c.batch * positions * kvHeads * c.dK() * bytesPerValue;
}

std::vector<Index> kvHeadCounts(Index numHeads) {
  std::vector<Index> counts;
  for (Index n = 1; n <= numHeads; ++n) {
    if (numHeads % n == 0) counts.push_back(n);
  }
  return counts;
}

}  // namespace headscope
