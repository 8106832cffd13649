// ModelView: selection and display options of the model page, a part of the view. Of the model it
// holds only the path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/index.h"

namespace headscope::model {
enum class Composition;  // core/model/compositions.h, which includes too much for a view
}

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

inline constexpr Index kMostNewTokens = 4096;
inline constexpr double kLeastSampling = 0.01, kMostSampling = 10.0;  // temperature
inline constexpr std::uint64_t kMostSeed = std::uint64_t{1} << 32U;

/// How a model goes on with its text.
struct GenerationView {
  Index tokens = 16;  // at most so many new ones
  bool sampled = false;
  double temperature = 1.0;
  Index topK = 40;  // 0: all
  std::uint64_t seed = 1;
};

/// What of a token's prediction is looked at, and for which word.
struct PredictionView {
  int reading = 0;      // its tab
  bool folded = false;  // its tabs alone, so that the heads have the room
  Index word = -1;      // −1: the one the model holds most probable
  Index other = -1;     // whose logit is taken from the word's; −1: none
  int instead = 0;      // of a head's output: nothing, its mean, what it was on `otherText`
  std::string otherText;
  GenerationView generation;
};

struct ModelView {
  ModelPlace place;
  Index layer = 0, head = 0;
  Index token = -1;        // whose prediction is shown; −1: the last one's
  std::string metric;      // its key: the map of a metric in place of the heads' weights
  bool ownScale = false;   // each head to its own largest weight
  bool firstToken = true;  // its column is drawn: many heads rest there
  ModelHeadsView heads;
  PredictionView prediction;
};

}  // namespace headscope::ui
