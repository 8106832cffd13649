// Stage page: the page on which the program opens. A sentence in large type with arcs from one word
// to the words it looks at, all heads as small stages, and the journey of the word through the
// steps.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/ui/page.h"
#include "app/ui/stage/stage_story.h"

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

/// The stories of all heads in the sentence shown; null while it is being computed.
const std::vector<HeadStory>* storiesOf(const PanelContext& panel);
/// The word that the page follows in the chosen head.
StageSubject subjectOf(const PanelContext& panel);
/// Chooses a head, and the word that shows it best.
void chooseHead(const PanelContext& panel, Index head);

/// Opens Flow at the step, head and word of the stage. `cell`: the one to choose there; none: the
/// word's own cell of the step's result. Escape comes back.
void showNumbers(const PanelContext& panel, std::optional<CellRef> cell = {});
/// Opens the tool Why in Flow on the word that is looked at most. Escape comes back.
void showWhy(const PanelContext& panel);
/// Returns to the stage from there. Returns false where Flow was opened otherwise.
bool returnToStage(const PanelContext& panel);

/// The places of the cards in content of this size.
struct StagePlaces {
  Rect sentence, heads, journey;  // no heads while the journey is under way
};
StagePlaces layoutStage(ImVec2 content, float scale, Index heads, bool underWay);

std::unique_ptr<Page> makeStagePage(TokenRow& tokens);

}  // namespace headscope::ui
