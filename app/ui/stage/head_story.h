// Head story: what each head does in the sentence that is shown, by the relation it was made or
// trained for, decided without drawing.
//
//   headStories(trace, item, relations)[0].kind  // HeadStory::Kind::found
#pragma once

#include <string>
#include <vector>

#include "app/ui/stage/stage_story.h"
#include "core/base/index.h"
#include "core/document/fwd.h"
#include "core/heads/declared_relations.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::ui {

/// Returns whether a head's arcs stand over dots, all of them, since the words are too many or of
/// two sentences; else those of one word stand over the written sentence.
bool drawnOverDots(const AttentionConfig& config);

/// The part that a head takes in the sentence shown.
struct HeadStory {
  enum class Kind {
    found,      // its relation occurs, and the head looks at the right word more often than not
    missed,     // its relation occurs, and the head mostly looks elsewhere
    absent,     // no word of the sentence has a partner
    unchecked,  // the partners of this sentence are not known
    undeclared  // nothing was declared for the head
  };
  Kind kind = Kind::undeclared;
  Index best = 0;           // the query to show the head with
  Index partners = 0;       // the queries that have a partner, as far as that is known …
  Index right = 0;          // … and those of them that look most at it
  std::vector<char> asked;  // per query: nonzero where it has a partner; empty: not known
  std::vector<Link> links;  // strong links of the whole sentence, at most one per query
  struct Miss {
    Index query = 0, looks = 0, partner = 0;
  };
  std::vector<Miss> misses;  // queries that look most elsewhere than at their partner
  bool hidden = false;       // the mask hides all partners
  std::string why;           // the reason why partners are not known; else empty

  /// Returns whether a query has a partner, as far as that is known.
  bool asks(Index query) const {
    const auto at = static_cast<std::size_t>(query);
    return at >= asked.size() || asked[at] != 0;
  }
};
/// One per head of an item. `relations`: one per head, or empty.
std::vector<HeadStory> headStories(const Trace& trace, Index item,
                                   const DeclaredRelations& relations);
/// "nothing to do here", "hidden by the mask", "not found here", "right for 7 of 12 words", "not
/// checked here"; empty where the head does what its name says.
std::string noteOf(const HeadStory& story, const TokenNoun& token);
/// The note in sentences: which words look elsewhere and where they should, or why that is not
/// known. Empty where the head does what its name says.
std::string noteExplained(const Trace& trace, Index item, const HeadStory& story);

}  // namespace headscope::ui
