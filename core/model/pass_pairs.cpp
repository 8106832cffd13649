#include "core/model/pass_pairs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "core/base/translation.h"
#include "core/model/text_alignment.h"

namespace headscope::model {
namespace {

/// Returns a token's letters, in lower case, without the marks with which GPT-2's, SentencePiece's
/// and BERT's tokenizers begin or continue a word.
std::string saidBy(std::string_view name) {
  for (const std::string_view mark : {" ", "␣", "Ġ", "▁", "##"}) {
    if (name.size() > mark.size() && name.starts_with(mark)) name.remove_prefix(mark.size());
  }
  std::string said(name);
  std::ranges::transform(said, said.begin(), [](unsigned char c) {
    return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
  });
  return said;
}

/// Two models count their tokens each in its own way: what they say stands for their ids.
std::vector<Index> placesByName(const ModelInput& one, const ModelInput& other) {
  std::map<std::string, Index> numbers;
  const auto numbered = [&](const ModelInput& input) {
    std::vector<Index> ids;
    for (const std::string& name : input.tokens) {
      ids.push_back(numbers.try_emplace(saidBy(name), std::ssize(numbers)).first->second);
    }
    return ids;
  };
  const std::vector<Index> own = numbered(one);
  return alignedPlaces(own, numbered(other));
}

std::vector<Index> placesOf(const ModelDocument& one, const ModelDocument& other) {
  if (one.tokens() == other.tokens()) {
    std::vector<Index> places;
    while (std::ssize(places) < one.tokens()) places.push_back(std::ssize(places));
    return places;
  }
  const bool named = std::ssize(one.input.tokens) == one.tokens() &&
                     std::ssize(other.input.tokens) == other.tokens();
  return one.model != other.model && named ? placesByName(one.input, other.input)
                                           : alignedPlaces(one.input.ids, other.input.ids);
}

std::string tokensInWords(const std::vector<Index>& places, Index others, const char* what) {
  const Index count = std::ssize(places);
  const Index paired = count - std::ranges::count(places, kNoPartner);
  if (paired == count) {
    return trFormat("all {} tokens{}, aligned with the {} there", count, what, others);
  }
  return trFormat("the {} of {} tokens{} that have a partner among the {} there", paired, count,
                  what, others);
}

}  // namespace

std::string whyNotComparable(const ModelTrace& one, const ModelTrace& other) {
  const bool images = one.config().image.on() || other.config().image.on();
  if (images && one.tokens() != other.tokens()) {
    return trFormat("one picture has {} tokens, the other {}", one.tokens(), other.tokens());
  }
  if (one.config().crossAttention != other.config().crossAttention) {
    return tr("one pass reads a source, the other none");
  }
  return {};
}

PassPairs pairsOf(const ModelTrace& one, const ModelTrace& other) {
  const ModelConfig &c = one.config(), &d = other.config();
  PassPairs pairs{std::min(c.layers, d.layers),
                  std::min(c.heads, d.heads),
                  placesOf(one.document(), other.document()),
                  {}};
  std::vector<std::string> words;
  if (c.layers != d.layers || c.heads != d.heads) {
    words.push_back(
        trFormat("heads of the same number, {} × {} here, {} × {} there (layers × heads)",
                 c.depth(), c.heads, d.depth(), d.heads));
  }
  if (one.tokens() != other.tokens())
    words.push_back(tokensInWords(pairs.tokens, other.tokens(), ""));
  if (c.crossAttention) {
    const ModelTrace &source = *one.document().memory, &there = *other.document().memory;
    pairs.memory = placesOf(source.document(), there.document());
    if (source.tokens() != there.tokens()) {
      words.push_back(tokensInWords(pairs.memory, there.tokens(), tr(" of the source")));
    }
  }
  if (!words.empty()) pairs.inWords = trFormat("Compared are {}.", fmt::join(words, "; "));
  return pairs;
}

}  // namespace headscope::model
