// Enlarge: the switch of a small card that lets it take the whole column.
#pragma once

#include "app/ui/heads/figures.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// The width it takes.
float enlargeSwitchWidth(const Panel& panel, EnlargedCard card);

/// At the right end of the card's first line, which starts at `top`; leaves the cursor alone.
void enlargeSwitch(const Panel& panel, EnlargedCard card, ImVec2 top);

/// "measuring …" while the figures are of the pass before; nothing else.
void measuringNote(const Panel& panel, const FiguresMemory& measuring);

}  // namespace headscope::ui
