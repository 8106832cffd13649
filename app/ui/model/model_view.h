// ModelView: what of a whole model is looked at, and how; a part of the view. Of the
// model itself only where it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/index.h"
#include "core/model/compositions.h"

namespace headscope::ui {

/// Which model is to be open, and on what text.
struct ModelPlace {
  std::string folder;  // or the name of one that comes with the program; empty: none
  std::string text;    // empty: one that suits the model

  bool operator==(const ModelPlace&) const = default;
};

/// What the map of all heads shows in place of a metric.
inline constexpr const char* kLabelMap = "label";
inline constexpr const char* kTokensMap = "chosen tokens";

/// How all heads are arranged and measured.
struct ModelHeadsView {
  bool probe = false;          // measured on the repeated random tokens, not on the text
  bool specialTokens = true;   // their rows and columns are drawn
  std::string order;           // sorted by that metric or kLabelMap; empty: in place
  std::vector<Index> queries;  // tokens of the text, in order; empty: all of them
  std::vector<Index> keys;     // likewise; empty: the first
  std::optional<model::Composition> lines;  // of the strongest pairs of heads
};

struct ModelView {
  ModelPlace place;
  Index layer = 0, head = 0;
  Index token = -1;        // whose prediction is shown; −1: the last one's
  std::string metric;      // its key: the map of a metric in place of the heads' weights
  bool ownScale = false;   // each head to its own largest weight
  bool firstToken = true;  // its column is drawn: many heads rest there
  ModelHeadsView heads;
};

}  // namespace headscope::ui
