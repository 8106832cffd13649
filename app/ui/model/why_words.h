// Why words: a chain of sums as the window tells it: the names of its levels, parts and places, and
// the lines of a level's table.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model_moment.h"
#include "app/ui/parts/token_pictures.h"
#include "core/model/why_without.h"

namespace headscope::ui {

/// A chain that was computed.
struct FoundWhy {
  model::WhyQuestion question;
  std::vector<model::WhyStep> steps;
  std::vector<model::WhyLevel> levels;
};

struct WriterPair {
  model::Writer query, key;
};

/// One line of a level's table.
struct PartLine {
  std::string name;
  double value = 0.0;
  std::optional<double> weight = {};           // of a token; the activation of a neuron
  std::optional<model::WhyStep> follows = {};  // the step that a click takes
  std::optional<model::Writer> writer = {};    // of a single writer
  Index place = -1;                            // of a token, or of the patch in a pair
  std::optional<WriterPair> pair = {};         // of a score
};

/// At most so many lines: those that are left over, the last ones, are summed in one.
std::vector<PartLine> restSummed(std::vector<PartLine> lines, std::size_t most);

/// The choices that decide what a click on a line follows.
struct WhyClicks {
  bool values = false;   // a token: its value; otherwise why the head looks there
  bool ofQuery = false;  // of a pair: what wrote into the query; otherwise into the key
};

class WhyWords {
 public:
  explicit WhyWords(std::shared_ptr<const ModelMoment> moment);

  const model::ModelConfig& config() const { return moment_->config(); }
  /// The patch that one of two writers wrote from, the key's first; −1: neither is a patch itself.
  Index patchOf(const model::ScoreParts& score, const model::Writer& query,
                const model::Writer& key) const;
  /// The patches of an image's tokens; null of a text.
  const TokenPictures* pictures() const { return pictures_ ? &*pictures_ : nullptr; }
  std::string placeInWords(Index place, model::Stack stack) const;
  std::string headInWords(model::Stack stack, HeadOfLayer head, bool capital = false) const;
  /// "“cat”", "1·4", "FFN 2": a writer at a place, as short as a matrix needs it.
  std::string shortName(const model::Writer& writer, Index place) const;

  /// "logit of “cat”"; "score of layer 2, head 3".
  std::string nameOf(const model::WhyQuestion& question) const;
  /// The question with its places: "logit of “cat” at “the” (5)".
  std::string titleOf(const model::WhyQuestion& question) const;
  /// "logit", "difference" or "score": the number that shares are of.
  static const char* wholeOf(const model::WhyQuestion& question);
  /// The level's name in the trail, with its share: "layer 2, head 3 · 37 %".
  std::string nameOf(const FoundWhy& found, std::size_t level) const;
  /// The level's sum and its shares.
  std::string inWords(const FoundWhy& found, std::size_t level) const;

  /// The changes without the head or network that a level takes apart, or without the writer that
  /// the chain follows from a score; empty where none was measured.
  std::string withoutInWords(const FoundWhy& found, std::size_t level,
                             const model::WithoutParts& without) const;

  /// The parts of a level, the largest first. Masked tokens are left out.
  std::vector<PartLine> linesOf(const model::WhyLevel& level, const WhyClicks& clicks) const;
  /// The parts of one side of a score, the largest first.
  std::vector<PartLine> linesOf(const std::vector<model::WrittenPart>& side, Index place) const;
  /// The step along a pair's writer that is a head or a network.
  static std::optional<model::WhyStep> stepOf(const model::Writer& query, const model::Writer& key,
                                              bool ofQuery);

 private:
  const std::string& token(Index place, model::Stack stack) const;
  std::string scoreInWords(const model::ScoreParts& score) const;
  std::string shortNameInWords(const model::ScoreParts& score) const;
  std::string neuronInWords(const model::WhyLevel& level, const std::string& shares) const;
  std::string shareOf(const model::WhyLevel& level) const;

  std::shared_ptr<const ModelMoment> moment_;
  std::vector<std::string> tokens_, sourceTokens_;
  std::optional<TokenPictures> pictures_;
};

}  // namespace headscope::ui
