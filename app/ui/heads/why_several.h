// Why several: one head asked to do what two heads do, beside the two, on the same sentence.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/background.h"
#include "app/ui/panel.h"
#include "core/analysis/two_in_one.h"

namespace headscope::ui {

/// What was measured, and pictures of the three matrices no finer than they are drawn.
struct WhySeveralFigures {
  std::array<HeadRelation, 2> pair;
  TwoInOne measured;
  Index rows = 0, cols = 0;
  std::array<std::vector<float>, 3> cells;
};

struct WhySeveralMemory {
  struct Asked {
    std::uint64_t pass = 0;
    Index item = 0;
    std::vector<Index> pair;  // the user's; empty: the two that blur most
    PairGains gains = PairGains::equal;
    bool operator==(const Asked&) const = default;
  };
  BackgroundTask<WhySeveralFigures> task;
  std::array<Index, 2> heads{-1, -1};  // of the relations that were shown last
  std::optional<Asked> asked;
  std::shared_ptr<const WhySeveralFigures> figures;
  std::uint64_t serial = 0;  // of the figures
  std::string error;
};

/// Fills what is left of the current card.
void whySeveralTab(const Panel& panel, WhySeveralMemory& memory);

}  // namespace headscope::ui
