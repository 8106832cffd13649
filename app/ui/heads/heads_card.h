// The cards of the heads page, and the functions that they share.
#pragma once

#include <memory>
#include <string>

#include "app/ui/card.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/view_model/grid.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

enum class EnlargedCard;
enum class Lane;

/// The switch that enlarges a small card to the whole column: its width, and the switch itself at
/// the right end of the card's first line, which starts at `top`. The cursor does not move.
float enlargeSwitchWidth(const PanelContext& panel, EnlargedCard card);
void enlargeSwitch(const PanelContext& panel, EnlargedCard card, ImVec2 top);

/// Returns what the content of the page depends on. `figures` may be null while nothing is
/// measured.
HeadsState headsState(const PanelContext& panel, const Figures* figures = nullptr);

std::unique_ptr<Card> makeAllHeadsCard();
std::unique_ptr<Card> makeLooksCard();
std::unique_ptr<Card> makeFiguresCard();
std::unique_ptr<Card> makeSimilarityCard();
std::unique_ptr<Card> makeEffectsCard();

}  // namespace headscope::ui
