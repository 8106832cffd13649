// Looks lengths: q·k of a query and a key as two arrows with their lengths and angle, and the same
// of every key, to see whether a large score comes from length or from direction.
#pragma once

#include <vector>

#include "app/ui/heads/key_products.h"
#include "app/ui/heads/looks_focus.h"
#include "app/ui/heads/reckoned.h"
#include "app/ui/heads/token_list.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct KeyTable {
  KeyProducts products;
  std::vector<std::vector<Index>> orders;  // by KeyColumn
};

struct LengthsMemory {
  Reckoned<KeyTable> table;
  TokenListMemory queries;
  KeyColumn sortedBy = KeyColumn::product;
};

/// Fills what is left of the card.
void looksLengths(const Panel& panel, LengthsMemory& memory);

}  // namespace headscope::ui
