// Stage page: the page on which the program opens. A sentence in large type with arcs from one word
// to the words it looks at, all heads as small stages, and the journey of the word through the
// steps, with the numbers behind each of its places.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/ui/cells/cell_editing.h"
#include "app/ui/page.h"
#include "app/ui/stage/head_story.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// The height of the line of places, in points.
inline constexpr float kJourneyHeight = 92.0F;

class TokenRow;

/// The sentence with its arcs or with the picture of the journey; alone, one head in large.
/// `tokens` types the sentence and must outlive the card.
std::unique_ptr<Card> makeSentenceCard(TokenRow& tokens);
/// All heads as small stages; alone, each with the words of the sentence. A click chooses a head.
std::unique_ptr<Card> makeSmallStagesCard();
/// The places of the journey on one line, with the buttons that play it and show the numbers.
std::unique_ptr<Card> makeJourneyCard();
/// The matrices of the step behind the place of the journey, with the word's own cell chosen, below
/// the sentence. The arguments must outlive the card.
std::unique_ptr<Card> makeStageNumbersCard(CellEditing& editing, const Playback& playback);

/// The stories of all heads in the sentence shown; null while it is being computed.
const std::vector<HeadStory>* storiesOf(const PanelContext& panel);
/// The word that the page follows in the chosen head.
StageSubject subjectOf(const PanelContext& panel);
/// Chooses a head; and the word that shows it best where it has no answer for the one that is
/// followed, or was chosen already.
void chooseHead(const PanelContext& panel, Index head);
/// Follows a word, in the numbers and on Heads too.
void chooseWord(const PanelContext& panel, Index word);

/// Unfolds the card of the numbers at the step, head and word of the stage. `cell`: the one to
/// choose there; none: the word's own cell of the step's result.
void showNumbers(const PanelContext& panel, std::optional<CellRef> cell = {});
/// Opens Flow at the cell that the numbers show. Escape comes back.
void showInFlow(const PanelContext& panel);
/// Opens the tool Why in Flow on the word that is looked at most. Escape comes back.
void showWhy(const PanelContext& panel);
/// Returns to the stage from there. Returns false where Flow was opened otherwise.
bool returnToStage(const PanelContext& panel);

/// The places of the cards in content of this size.
struct StagePlaces {
  Rect sentence, heads, journey, numbers;
};
/// `depth`: what stands between the sentence and the journey: the heads, or while the journey is
/// under way nothing, or the numbers.
enum class StageDepth { heads, journey, numbers };
StagePlaces layoutStage(ImVec2 content, float scale, Index heads, StageDepth depth);

/// Creates the page. The arguments must outlive it.
std::unique_ptr<Page> makeStagePage(TokenRow& tokens, CellEditing& editing,
                                    const Playback& playback);

}  // namespace headscope::ui
