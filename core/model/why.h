// Why: a chain of sums from the word a model says back to the words it read. Each level takes one
// number apart exactly, with patterns and norms held as they were in the pass; a step follows one
// of its parts:
//
//   logit = Σ writers → a head's part = Σ tokens → a token's value = Σ writers → …
//                                                → why it looks there: score = Σ pairs of writers →
//                                                …
//
//   std::vector<WhyStep> steps;
//   while (steps.size() < 4) {
//     const auto next = strongestStep(whyLevels(trace, asked, steps).back());
//     if (!next) break;
//     steps.push_back(*next);
//   }
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/patching.h"
#include "core/model/score_parts.h"

namespace headscope::model {

/// A choice among the parts of a level.
struct WhyStep {
  enum class Kind {
    head,   // of a sum over writers: the head's part
    value,  // of a sum over tokens: what the token's value is made of
    score,  // of a sum over tokens: why the head looks there
    entry   // of a score: what a head wrote into the key, or into the query
  };
  Kind kind = Kind::head;
  HeadOfLayer head = {};        // of Kind::head, in the stack of the level
  Index source = 0;             // of Kind::value and score: the token
  Writer query = {}, key = {};  // of Kind::entry: one pair of writers
  bool alongKey = true;  // follows the writer of the key, which is a head; otherwise the query's

  bool operator==(const WhyStep&) const = default;
};

/// Steps as a text, and back: "h1.2 s10 k:t:h0.3 v9" follows head 1.2, then why it looks at place
/// 10, then what head 0.3 wrote into the key for the query's token, then the value of place 9. All
/// count from 0; in a decoder with cross-attention each layer counts as two. Writers are t (token),
/// p (position), h1.2 (head), f1 (network), o1 (output bias), g1 (steering), b (biases) and r
/// (relative position), with an e in front those of the encoder. A value of cross-attention leads
/// into the encoder; what follows is there. Throws UserError for another text.
std::string textOf(const std::vector<WhyStep>& steps);
std::vector<WhyStep> stepsFrom(std::string_view text);

/// One number and its parts: exactly one of `parts`, `sources` and `score` is set.
struct WhyLevel {
  StreamReading reading;  // what `parts` and `sources` are of
  std::optional<std::vector<WrittenPart>> parts;
  std::optional<HeadSources> sources;
  std::optional<ScoreParts> score;
  double value = 0.0;    // the number
  double sum = 0.0;      // of its parts: the number but for rounding
  double share = 1.0;    // what part of the logit it is, or of the score last reached
  bool ofScore = false;  // whether it is a part of a score
};

/// The levels of a chain: that of the logit, then one for each step. Throws UserError where the
/// logit is no sum of parts (logit_parts.h) and for a step that does not exist. Incomplete where
/// `execution` was cancelled.
std::vector<WhyLevel> whyLevels(const ModelTrace& trace, const AskedWord& asked,
                                const std::vector<WhyStep>& steps,
                                const ExecutionContext& execution = {});

/// The step that follows a level's strongest part that can be followed: a head; the token with the
/// largest value, and why the head looks there, or in cross-attention what wrote it in the encoder;
/// the largest entry that a head wrote. Nothing where no part can be followed.
std::optional<WhyStep> strongestStep(const WhyLevel& level);

/// The changes without the head that the last step follows. `frozen` is minus its part in the
/// chain, along this path alone, with patterns and norms held. `total` is the change of the logit,
/// or of the score last reached, where the head gives nothing at its place and everything behind it
/// runs again: along every path. The two differ where the head also acts by other paths: on a
/// score, through the query's other writers. Nothing for a step that follows no head, and where
/// `execution` was cancelled.
struct WithoutHead {
  double frozen = 0.0, total = 0.0;
};
std::optional<WithoutHead> withoutHead(const ModelTracePtr& trace, const AskedWord& asked,
                                       const std::vector<WhyLevel>& levels,
                                       const ExecutionContext& execution = {});

}  // namespace headscope::model
