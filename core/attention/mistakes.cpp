#include "core/attention/mistakes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

constexpr std::array<MistakeText, 5> kMistakes{{
    {Mistake::reshapeWithoutTranspose, "reshape", trLater("Reshape without the transpose"),
     trLater("Q, K and V are viewed as (B, H, T, d_k) at once"),
     trLater("view as (B, T, H, d_k), then swap axes 1 and 2"),
     trLater("a head no longer holds its own columns of every token: its rows are pieces of a few "
             "tokens, "
             "end to end. The shapes still agree, so no error appears")},
    {Mistake::softmaxOverQueries, "softmax-queries", trLater("Softmax over the queries"),
     trLater("softmax runs down the columns (dim=-2)"),
     trLater("softmax runs along the rows, over the keys (dim=-1)"),
     trLater(
         "the weights of a query no longer sum to 1: each key distributes weight over queries, "
         "instead "
         "of each query over keys. With a causal mask, early tokens then depend on later ones")},
    {Mistake::zeroForMasked, "zero-mask", trLater("0 instead of −∞ in the mask"),
     trLater("forbidden scores are set to 0 before softmax"),
     trLater("forbidden scores are set to −∞"),
     trLater(
         "exp(0) is 1, not 0: forbidden keys still get weight, more than every allowed key with a "
         "negative score, so a causal model sees the future")},
    {Mistake::noScale, "no-scale", trLater("No ÷√d_k"),
     trLater("the scores go to softmax as they are"), trLater("the scores are divided by √d_k"),
     trLater("q·k of d_k independent terms of variance 1 has variance d_k: softmax saturates on "
             "one key, "
             "and the gradient through it vanishes")},
    {Mistake::sharedHead, "shared-head", trLater("One head's weights for all"),
     trLater("every head uses the first head's columns of W^Q, W^K and W^V"),
     trLater("every head has columns of its own"),
     trLater("all heads compute the same: H times the cost of one head for the result of one")},
}};

}  // namespace

std::span<const MistakeText> allMistakes() { return kMistakes; }

const MistakeText& textOf(Mistake mistake) { return kMistakes[static_cast<std::size_t>(mistake)]; }

Mistake mistakeFromString(std::string_view id) {
  std::vector<std::string_view> known;
  for (const MistakeText& text : kMistakes) {
    if (text.id == id) return text.mistake;
    known.push_back(text.id);
  }
  throw UserError(
      trFormat("unknown mistake '{}'; the mistakes are: {}", id, fmt::join(known, ", ")));
}

bool isOn(const AttentionConfig& config, Mistake mistake) {
  switch (mistake) {
    case Mistake::reshapeWithoutTranspose:
      return config.mistakes.reshapeWithoutTranspose;
    case Mistake::softmaxOverQueries:
      return config.mistakes.softmaxOverQueries;
    case Mistake::zeroForMasked:
      return config.mistakes.zeroForMasked;
    case Mistake::noScale:
      return !config.switches->scale && !config.mistakes.modelHasNoScale;
    case Mistake::sharedHead:
      break;
  }
  return config.mistakes.sharedHead;
}

std::string_view whyNoMistake(const AttentionConfig& config, Mistake mistake) {
  if (mistake != Mistake::noScale || !config.mistakes.modelHasNoScale) return {};
  return tr("The model of this layer has no ÷√d_k: to leave it out is no mistake here.");
}

void setMistake(AttentionConfig& config, Mistake mistake, bool on) {
  switch (mistake) {
    case Mistake::reshapeWithoutTranspose:
      config.mistakes.reshapeWithoutTranspose = on;
      break;
    case Mistake::softmaxOverQueries:
      config.mistakes.softmaxOverQueries = on;
      break;
    case Mistake::zeroForMasked:
      config.mistakes.zeroForMasked = on;
      break;
    case Mistake::noScale:
      config.switches->scale = !on && !config.mistakes.modelHasNoScale;
      break;
    case Mistake::sharedHead:
      config.mistakes.sharedHead = on;
      break;
  }
}

std::vector<Mistake> mistakesOn(const AttentionConfig& config) {
  std::vector<Mistake> on;
  for (const MistakeText& text : kMistakes) {
    if (isOn(config, text.mistake)) on.push_back(text.mistake);
  }
  return on;
}

std::string idsOfMistakes(const AttentionConfig& config) {
  std::vector<std::string_view> ids;
  for (const Mistake mistake : mistakesOn(config)) ids.push_back(textOf(mistake).id);
  return fmt::format("{}", fmt::join(ids, ", "));
}

AttentionConfig withoutMistakes(AttentionConfig config) {
  for (const MistakeText& text : kMistakes) setMistake(config, text.mistake, false);
  return config;
}

}  // namespace headscope
