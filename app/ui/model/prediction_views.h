// Prediction views: how a model comes to a word at a token: what it would say after each half
// layer, which parts add to the word's logit, and what becomes of it when a head gives something
// else. Each fills what is left of the current window; all is computed beside the frames.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/live_model.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// A word at a token of a moment's text; with another, their difference is meant.
struct AskedWord {
  std::shared_ptr<const ModelMoment> moment;
  Index row = 0;
  Index word = 0;
  std::optional<Index> other;

  /// “cat”; the logit's name: "logit of “cat”", "logit of “cat” − logit of “dog”".
  std::string name() const;
  std::string logitName() const;
  Fingerprint key(std::string_view what) const;
};

void drawLogitLens(const PanelContext& panel, const AskedWord& asked);
void drawLogitParts(const PanelContext& panel, const AskedWord& asked);
/// Of the head that is chosen.
void drawHeadReplaced(const PanelContext& panel, const AskedWord& asked);

/// "0.042"; "<0.001" where three digits would make nothing of it.
std::string probabilityInWords(double probability);
/// "+0.042"; "0.000" where three digits make nothing of it.
std::string changeInWords(double change);
/// "0.42", "12.3".
std::string millisecondsInWords(double ms);

/// What is kept of so many tokens while a model goes on with a text, and what each new one takes:
/// keys and values of each layer and each of its key/value heads.
struct CacheShown {
  Index text = 0;   // tokens of the text
  Index made = 0;   // tokens made after it
  Index room = 0;   // most of both
  double ms = 0.0;  // that the newest took; 0: none was made
};
void drawKvCache(const PanelContext& panel, const ModelMoment& moment, const CacheShown& cache);

}  // namespace headscope::ui
