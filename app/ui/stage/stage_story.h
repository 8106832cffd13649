// Stage story: what the page Stage says and shows of a pass, decided without drawing: the links of
// a word, and the words of each place of the journey.
//
//   const StageSubject subject{item, head, word};
//   stageWords(trace, subject).title  // “slept” looks at “cat”.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/attention/steps/step_id.h"
#include "core/base/index.h"
#include "core/document/fwd.h"

namespace headscope {
class HeadEffects;
}  // namespace headscope

namespace headscope::ui {

/// The places of the journey, in order.
enum class StagePlace { word, numbers, roles, scores, scaled, shares, collected, heads, mixed };
inline constexpr int kStagePlaces = 9;

struct StagePlaceInfo {
  StagePlace place;
  double seconds;  // how long it is shown while the journey plays
  StepId step;     // the step that computes what it shows
};
const StagePlaceInfo& info(StagePlace place);
/// "86 %"; "<1 %" where a weight above 0 would round to nothing.
std::string percent(float weight);
/// "shares"; for the scaling "÷ √64", with a bias "÷ √32, + bias", by the configuration.
std::string labelOf(StagePlace place, const Document& document);

/// The nouns for a token of an input and for the whole that tokens are of: "word" of a "sentence",
/// "step" of a "series", "patch" of a "picture".
struct TokenNoun {
  const char *one, *many, *whole;
};
TokenNoun tokenNoun(const Document& document);

/// The query that the page follows, in one head.
struct StageSubject {
  Index item = 0, head = 0, word = 0;
};

/// A key that a query looks at.
struct Link {
  Index query = 0, key = 0;
  float weight = 0.0F;
  /// The weight as it is drawn: a pinned one may be above 1.
  float drawn() const { return weight < 1.0F ? weight : 1.0F; }
};
/// The place of the largest cell of a row.
std::size_t strongest(std::span<const float> row);
/// Returns the links of a row of weights that are worth drawing, the strongest first: at most
/// `most`, none below a tenth of the strongest. A row without weights has none.
std::vector<Link> strongLinks(std::span<const float> row, Index query, std::size_t most = 4);
/// The strong links of a query.
std::vector<Link> linksOf(const Trace& trace, const StageSubject& subject);

struct StageWords {
  std::string title;     // one line in large type, plain text
  std::string sentence;  // a plain sentence below it
};
/// The words off the journey: where the word looks.
StageWords stageWords(const Trace& trace, const StageSubject& subject);
/// The words off the journey for a word that has no partner in the relation of the head: its weight
/// goes somewhere all the same. `purpose`: the relation, "Verb → its subject".
StageWords unaskedWords(const Trace& trace, const StageSubject& subject,
                        const std::string& purpose);
/// The words of a place of the journey. `effects`: what each head adds to the output, for the last
/// place; null while it is being computed.
StageWords stageWords(const Trace& trace, const StageSubject& subject, StagePlace place,
                      const HeadEffects* effects = nullptr);

}  // namespace headscope::ui
