#include "app/ui/stage/head_story.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "app/ui/stage/sentence_layout.h"
#include "core/attention/attention_tensors.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/input/patches.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr float kLeastOfSentence = 0.3F;  // of a head's links over the whole sentence
constexpr std::size_t kMostOfSentence = 64;

/// Finds what one head does in the sentence. `contrasts`: of its patches, see
/// patchContrasts; empty where they are none.
HeadStory storyOf(const Trace& trace, Index item, Index head, const DeclaredRelation* relation,
                  std::span<const float> contrasts) {
  const AttentionConfig& c = trace.config();
  HeadRows rows(trace, TensorId::weights, item, head);
  HeadStory story;
  const auto* partners =
      relation == nullptr || relation->partners.empty()
          ? nullptr
          : &relation->partners[static_cast<std::size_t>(item) % relation->partners.size()];
  Index asked = 0, found = 0;
  float best = 0.0F;
  for (Index i = 0; i < c.seqLen; ++i) {
    const std::span<const float> row = rows.row(i);
    const std::size_t top = strongest(row);
    const bool self = !c.crossAttention() && static_cast<Index>(top) == i;
    if (row[top] >= kLeastOfSentence) {
      story.links.push_back({i, static_cast<Index>(top), row[top]});
    }
    float rank = self ? row[top] - 1.0F : row[top];
    if (partners != nullptr) {
      const auto& of = (*partners)[static_cast<std::size_t>(i)];
      const bool hit = std::find(of.begin(), of.end(), static_cast<Index>(top)) != of.end();
      if (!of.empty()) ++asked;
      story.asked.push_back(of.empty() ? 0 : 1);
      if (hit) ++found;
      if (!hit && !of.empty()) story.misses.push_back({i, static_cast<Index>(top), of.front()});
      // far partners first: they show best what attention is for
      rank = hit ? 1.0F + row[top] * static_cast<float>(std::abs(static_cast<Index>(top) - i))
                 : rank - 1.0F;
    }
    if (!contrasts.empty() && !c.crossAttention()) {
      constexpr float kLeast = 0.05F;  // of an even patch, so that its share still counts
      const auto at = static_cast<std::size_t>(i);
      rank += 1.0F;  // above 0
      rank *= (kLeast + contrasts[at]) * (kLeast + contrasts[top]);
    }
    // a mark or a token of the model's own shows least
    constexpr float kBehindAllWords = 1e6F;
    if (!isWord(stageWord(placeName(trace, Axis::query, item, i)))) rank -= kBehindAllWords;
    if (rank > best || i == 0) {
      best = rank;
      story.best = i;
    }
  }
  std::stable_sort(story.links.begin(), story.links.end(),
                   [](const Link& a, const Link& b) { return a.weight > b.weight; });
  if (story.links.size() > kMostOfSentence) story.links.resize(kMostOfSentence);
  if (relation == nullptr) return story;
  story.partners = asked;
  story.right = found;
  story.kind = asked == 0 && !relation->whyNone.empty() ? HeadStory::Kind::unchecked
               : asked == 0                             ? HeadStory::Kind::absent
               : 2 * found >= asked                     ? HeadStory::Kind::found
                                                        : HeadStory::Kind::missed;
  if (story.kind == HeadStory::Kind::unchecked) story.why = relation->whyNone;
  story.hidden = relation->hiddenByMask;
  return story;
}

}  // namespace

bool drawnOverDots(const AttentionConfig& config) {
  constexpr Index kMostWords = 64;
  return config.crossAttention() || config.seqLen > kMostWords;
}

std::vector<HeadStory> headStories(const Trace& trace, Index item,
                                   const DeclaredRelations& relations) {
  std::vector<HeadStory> stories;
  const std::vector<float> contrasts =
      patchContrasts(trace.document().input->patches, trace.document().input->x, item);
  for (Index h = 0; h < trace.config().numHeads; ++h) {
    const auto at = static_cast<std::size_t>(h);
    const bool declared = at < relations.size() && relations[at].has_value();
    stories.push_back(storyOf(trace, item, h, declared ? &*relations[at] : nullptr, contrasts));
  }
  return stories;
}

std::string noteOf(const HeadStory& story, const TokenNoun& token) {
  switch (story.kind) {
    case HeadStory::Kind::absent:
      return story.hidden ? tr("hidden by the mask") : tr("nothing to do here");
    case HeadStory::Kind::unchecked:
      return tr("not checked here");
    case HeadStory::Kind::undeclared:
      return {};
    case HeadStory::Kind::missed:
    case HeadStory::Kind::found:
      break;
  }
  if (story.right == 0) return tr("not found here");
  constexpr Index kFew = 5;  // one word in five may be wrong without a word about it
  if (kFew * (story.partners - story.right) <= story.partners) return {};
  return trFormat("right for {} of {} {}", withThousands(story.right),
                  withThousands(story.partners), token.many);
}

std::string noteExplained(const Trace& trace, Index item, const HeadStory& story) {
  if (!story.why.empty()) return story.why;
  if (noteOf(story, tokenNoun(trace.document())).empty()) return {};
  constexpr std::size_t kNamed = 3;
  const auto name = [&](Axis axis, Index at) {
    return std::string(stageWord(placeName(trace, axis, item, at)));
  };
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, story.misses.size()); ++i) {
    const HeadStory::Miss& miss = story.misses[i];
    text += trFormat("{}“{}” looks most at “{}”; “{}” would be right.", text.empty() ? "" : "\n",
                     name(Axis::query, miss.query), name(Axis::key, miss.looks),
                     name(Axis::key, miss.partner));
  }
  if (story.misses.size() > kNamed) {
    text += trFormat("\n… and {} more.", story.misses.size() - kNamed);
  }
  return text;
}

}  // namespace headscope::ui
