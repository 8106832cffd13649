// The cards of the heads page, and what they share.
#pragma once

#include <memory>
#include <string>

#include "app/ui/card.h"
#include "app/ui/heads/figures.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// The switch of a small card that lets it take the whole column: its width, and itself at the
/// right end of the card's first line, which starts at `top`; leaves the cursor alone.
float enlargeSwitchWidth(const PanelContext& panel, EnlargedCard card);
void enlargeSwitch(const PanelContext& panel, EnlargedCard card, ImVec2 top);

/// "cat": a token as shown; "query 3", "key 3", counted from 0, where it has no name.
std::string tokenName(const PanelContext& panel, Lane lane, Index token);

std::unique_ptr<Card> makeAllHeadsCard();
std::unique_ptr<Card> makeLooksCard();
std::unique_ptr<Card> makeFiguresCard();
std::unique_ptr<Card> makeSimilarityCard();
std::unique_ptr<Card> makeEffectsCard();

}  // namespace headscope::ui
