// Looks values: a head's value vectors in the plane of their two main components, and a query's
// output among them as their weighted mean.
#pragma once

#include "app/ui/heads/looks_focus.h"
#include "app/ui/heads/reckoned.h"
#include "app/ui/heads/token_list.h"
#include "app/ui/heads/value_mix.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct ValuesMemory {
  Reckoned<ValuePlane> plane;
  Reckoned<ValueMix> mix;
  TokenListMemory queries;
};

/// Fills what is left of the card.
void looksValues(const Panel& panel, ValuesMemory& memory);

}  // namespace headscope::ui
