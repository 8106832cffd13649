// Why: a chain of sums from the word a model says back to the words it read. Each level takes one
// number apart exactly, with patterns and norms held as they were in the pass, and the activation
// of a masked-word head; a step follows one of its parts:
//
//   logit = Σ writers → a head's part = Σ tokens → a token's value = Σ writers → …
//                                                → why it looks there: score = Σ pairs of writers →
//                                                …
//                     → a network's part = Σ neurons → what drives one: pre-activation = Σ writers
//                     →
//                                                …
//
// A chain may also begin at a score, in a model that says no words too.
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
#include <variant>
#include <vector>

#include "core/model/network_neurons.h"
#include "core/model/patching.h"
#include "core/model/score_parts.h"

namespace headscope::model {

/// A score of a head: why it looks from one token at another.
struct AskedScore {
  HeadOfLayer head;
  Index query = 0, key = 0;
  Stack stack = Stack::decoder;  // of the head

  bool operator==(const AskedScore&) const = default;
};

/// The number that a chain begins with: the logit of a word, a difference of two, or a score.
using WhyQuestion = std::variant<AskedWord, AskedScore>;

/// A choice among the parts of a level.
struct WhyStep {
  enum class Kind {
    head,     // of a sum over writers: the head's part
    value,    // of a sum over tokens: what the token's value is made of
    score,    // of a sum over tokens: why the head looks there
    entry,    // of a score: what a head or network wrote into the key, or into the query
    network,  // of a sum over writers: the network's part, neuron by neuron
    neuron    // of a network's neurons: what drives one of them
  };
  Kind kind = Kind::head;
  HeadOfLayer head = {};        // of Kind::head, in the stack of the level; of a network the layer
  AskedNeuron neuron = {};      // of Kind::neuron
  Index source = 0;             // of Kind::value and score: the token
  Writer query = {}, key = {};  // of Kind::entry: one pair of writers
  bool alongKey = true;  // follows the writer of the key, a head or network; else the query's

  bool operator==(const WhyStep&) const = default;
};

/// A writer in the text of steps: "h1.2", "f1", "t".
std::string textOf(const Writer& writer);

/// Steps as a text, and back: "h1.2 s10 k:t:h0.3 v9" follows head 1.2, then why it looks at place
/// 10, then what head 0.3 wrote into the key for the query's token, then the value of place 9; "f1"
/// follows a network, "f1 n1.13" then what drives its neuron 13: of a gated one the larger of both
/// products, or the gate's with "n1.13g", the other with "n1.13u"; of a mixture "n1.e2.13" of
/// expert 2 and "n1.s.13" of the shared one. All count from 0; in a decoder with cross-attention
/// each layer counts as two. Writers are t (token), p (position), h1.2 (head), f1 (network), o1
/// (output bias), g1 (steering), b (biases) and r (relative position), with an e in front those of
/// the encoder. A value of cross-attention leads into the encoder; what follows is there. A head
/// may also be written 1.2 or L1H2. Throws UserError for another text.
std::string textOf(const std::vector<WhyStep>& steps);
std::vector<WhyStep> stepsFrom(std::string_view text);

/// A score as a text, and back: "h1.2:5:3" is that of head 1.2 from place 5 to place 3, and
/// "eh1.2:5:3" one of the encoder. Throws UserError for another text.
std::string textOf(const AskedScore& score);
AskedScore askedScoreFrom(std::string_view text);

/// The number that a chain goes on from where it does not follow parts of the last one.
enum class Reached { score, preActivation };
/// "score", "pre-activation".
const char* inWords(Reached reached);

/// One number and its parts: exactly one of `parts`, `sources`, `score` and `neurons` is set.
struct WhyLevel {
  StreamReading reading;  // what all but `score` are of
  std::optional<std::vector<WrittenPart>> parts;
  std::optional<HeadSources> sources;
  std::optional<ScoreParts> score;
  std::optional<NetworkNeurons> neurons;
  std::optional<PreActivation> neuron = {};  // of `parts`, where the number is a neuron's
  double value = 0.0;                        // the number
  double sum = 0.0;                          // of its parts: the number but for rounding
  /// The part that it is of the number that the chain began with; behind each score or
  /// pre-activation that the chain went through, the part that it is of that one. {0.37, 0.62} is
  /// 0.62 of a score, on which 0.37 hangs.
  std::vector<double> shares{1.0};
  std::vector<Reached> through = {};  // what each share but the first is of
  std::optional<Reached> reached{};   // the number that it is a part of; none: the chain's logit

  double share() const { return shares.back(); }
  /// Returns whether the last share is that of a number of itself.
  bool begins() const { return (score || neuron) && !through.empty(); }
};

/// The levels of a chain: that of the logit or score, then one for each step. Throws UserError
/// where the logit reads several places (logit_parts.h), for a head or place that does not exist,
/// and for a step that does not exist. Incomplete where `execution` was cancelled.
std::vector<WhyLevel> whyLevels(const ModelTrace& trace, const WhyQuestion& question,
                                const std::vector<WhyStep>& steps,
                                const ExecutionContext& execution = {});

/// The writers that a chain of the strongest steps goes through: heads and networks, or heads
/// alone.
enum class Through { all, heads };

/// The step that follows a level's strongest part that can be followed: a head or network; the
/// token with the largest value, and why the head looks there, or in cross-attention what wrote it
/// in the encoder; the largest entry that a head or network wrote; what drives the largest neuron.
/// It is the largest part of the sign of the level's number; where no part has it, the largest by
/// size. Nothing where no part can be followed.
std::optional<WhyStep> strongestStep(const WhyLevel& level, Through through = Through::all);

/// The sum of the parts of a level that networks wrote; of a score, of all pairs with one.
double partOfNetworks(const WhyLevel& level);

/// Returns whether a writer's addition can be taken apart: a head's or a network's.
bool canBeFollowed(const Writer& writer);

/// The head or network that a step of Kind::head or network follows in a sum over writers.
Writer writerFollowed(const WhyLevel& level, const WhyStep& step);

/// A part of a level that is larger than the one that a step follows.
struct PassedPart {
  Writer writer;
  std::optional<Writer> key = {};  // of an entry of a score, whose query's writer is `writer`
  double value = 0.0;
};
/// The parts of a sum over writers, or over their pairs, that are larger than the followed one, the
/// largest first. A chain of the strongest steps passes over embeddings, positions and biases, and
/// over parts of the other sign than the sum's.
std::vector<PassedPart> passedOver(const WhyLevel& level, const WhyStep& step);

/// The shares of a level, such as "37 % of the difference, then 62 % of its score"; `whole` names
/// the number that the chain begins with. A score's own share of itself is left out. Empty for the
/// first level.
std::string sharesInWords(const WhyLevel& level, std::string_view whole);
/// "37 %"; "–" for a part of 0.
std::string percentOf(double part, double whole);

}  // namespace headscope::model
