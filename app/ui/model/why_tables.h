// Why tables: the parts of one level of a chain: a table, the matrix of a score with its lists, and
// all levels of a chain beside each other. Each returns the step, or the level, that was clicked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/model/why_words.h"

namespace headscope::ui {

struct FrameContext;
struct PredictionView;
struct TokenPictures;

/// The change without the line's writer, in words: "…" until it is computed, empty where it is not
/// measured.
std::string totalInWords(const std::vector<model::WithoutWriter>* without, const PartLine& line);

/// Draws the lines of a level with the numbers that tell how much each adds; `whole`: their sum.
/// `without` may be null until it is computed, `pictures` where no token is a patch.
std::optional<model::WhyStep> drawParts(const FrameContext& look, const std::string& id,
                                        const std::vector<PartLine>& lines, double whole,
                                        const std::vector<model::WithoutWriter>* without,
                                        const TokenPictures* pictures);

/// Draws a score as a matrix, writers × writers, beside a list of its pairs or of one side's
/// writers. Fills the rest of the window.
std::optional<model::WhyStep> drawScore(const FrameContext& look, PredictionView& view,
                                        const std::string& id, const WhyWords& words,
                                        const model::ScoreParts& score,
                                        const model::WithoutParts* without);

/// Draws every level with its largest parts, the followed ones marked. Fills the rest of the
/// window. `without`, of each level, may be null until it is computed.
std::optional<std::size_t> drawLevels(const FrameContext& look, const WhyWords& words,
                                      const FoundWhy& found,
                                      const std::vector<model::WithoutParts>* without);

}  // namespace headscope::ui
