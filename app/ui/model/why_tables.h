// Why tables: the parts of one level of a chain: a table, the matrix of a score with its lists, and
// all levels of a chain next to each other. Each returns the step, or the level, that was clicked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/model/why_words.h"
#include "app/ui/parts/signed_bar.h"

namespace headscope::ui {

struct FrameContext;
struct PredictionView;
struct TokenPictures;

/// The changes without the writers, or the pairs, of a level's lines.
struct LineChanges {
  bool measured = false;                                       // they stand next to the lines
  const std::vector<model::WithoutWriter>* writers = nullptr;  // null until they are computed
  const std::vector<model::WithoutPair>* pairs = nullptr;      // likewise
};

/// The change without the line's writer or pair, in words: "…" until it is computed, empty where it
/// is not measured.
std::string totalInWords(const LineChanges& changes, const PartLine& line);

/// The range of the bars of lines, the largest of which is the first. A sum of others may be larger
/// and fills it.
BarRange barRange(const std::vector<PartLine>& lines);

/// Draws the lines of a level with the numbers that tell how much each adds; `whole`: their sum.
/// `pictures` are null where no token is a patch.
std::optional<model::WhyStep> drawParts(const FrameContext& look, const std::string& id,
                                        const std::vector<PartLine>& lines, double whole,
                                        const LineChanges& changes, const TokenPictures* pictures);

enum class PairsClick { none, run, stop };
/// The runs without the pairs of a score, which begin where the user asks for them.
struct PairRuns {
  PairsClick offered = PairsClick::run;
  std::string progress = {};                               // "run 3 of 14"; empty: none
  const std::vector<model::WithoutPair>* found = nullptr;  // null until all have run
};

/// Draws a score as a matrix, writers × writers, next to a list of its pairs or of one side's
/// writers. Fills the rest of the window. `without` may be null until it is computed.
struct ScoreClicks {
  std::optional<model::WhyStep> step;
  PairsClick pairs = PairsClick::none;
};
ScoreClicks drawScore(const FrameContext& look, PredictionView& view, const std::string& id,
                      const WhyWords& words, const model::ScoreParts& score,
                      const model::WithoutParts* without, const PairRuns& runs);

/// The changes without the parts of each level, and without its pairs where they were asked for;
/// null until they are computed.
struct ChangesOfLevels {
  const std::vector<model::WithoutParts>* parts = nullptr;
  bool ofPairs = false;
  const std::vector<std::vector<model::WithoutPair>>* pairs = nullptr;
};

/// Draws every level with its largest parts, the followed ones marked. Fills the rest of the
/// window.
std::optional<std::size_t> drawLevels(const FrameContext& look, const WhyWords& words,
                                      const FoundWhy& found, const ChangesOfLevels& changes);

}  // namespace headscope::ui
