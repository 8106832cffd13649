// Prediction views: the origin of a model's prediction at a token: the prediction after each half
// layer, the parts that add to a word's logit, and the effect of replacing a head's output. Each
// view fills the rest of the current window; all computations run in the background.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/live_model.h"
#include "app/ui/parts/fingerprint.h"

namespace headscope::ui {

struct ModelView;
struct PanelContext;

/// The word of the prediction that the view is about: a word at a token, or with `other` the
/// difference of two.
struct ChosenWord {
  Index row = 0;
  Index word = 0;
  std::optional<Index> other;
};
/// Returns the chosen word, or the most probable one; nothing where the moment has no predictions.
std::optional<ChosenWord> chosenWord(const ModelView& view, const ModelMoment& moment);
/// "logit of “cat”", "logit of “cat” − logit of “dog”".
std::string logitName(const ChosenWord& chosen, const ModelMoment& moment);

/// A word at a token of a moment's text, or with `other` the difference of two words.
struct AskedWord {
  std::shared_ptr<const ModelMoment> moment;
  Index row = 0;
  Index word = 0;
  std::optional<Index> other;

  /// The word's name, “cat”, and the logit's, as above.
  std::string name() const;
  std::string logitName() const;
  Fingerprint key(std::string_view what) const;
};

/// Draws the text with arcs from the chosen token to those that the chosen head looks at, and all
/// weights of the head as a matrix. A click on a word chooses it.
void drawChosenHead(const PanelContext& panel, const std::shared_ptr<const ModelMoment>& moment);

/// Draws what the chosen head does by its weights alone (core/model/circuits.h).
void drawHeadCircuits(const PanelContext& panel, const ModelMoment& moment);

void drawLogitLens(const PanelContext& panel, const AskedWord& asked);
void drawLogitParts(const PanelContext& panel, const AskedWord& asked);
/// Draws the effect of replacing the chosen head's output.
void drawHeadReplaced(const PanelContext& panel, const AskedWord& asked);

/// Draws a chain of sums from the word, or from a score (why_question.h), back to the words that
/// were read.
void drawWhy(const PanelContext& panel, const std::shared_ptr<const ModelMoment>& moment);
/// Draws a tensor of the chosen layer outside of its attention, of its residual stream or network,
/// next to its gradient.
void drawLayerTensors(const PanelContext& panel, const AskedWord& asked);
/// Draws the effect of replacing every head, layer or place in turn.
void drawSweep(const PanelContext& panel, const AskedWord& asked);

/// Returns whether a moment's image can be matched with texts: it is read by a CLIP's encoder.
bool matchesTexts(const PanelContext& panel, const ModelMoment& moment);
/// Draws lines of text, and how well each matches the image.
void drawMatch(const PanelContext& panel, const ModelMoment& moment);

/// Draws the words of source and target with lines as strong as the cross-attention between them.
void drawAlignment(const PanelContext& panel, const ModelMoment& moment);
/// Draws the residual streams of two stacks, their parts, and the memory between them.
void drawStreams(const PanelContext& panel, const ModelMoment& moment);

/// The replacement of a part of the pass that the user chose, for one head and for a sweep.
enum class Instead { nothing, mean, otherText };
/// Draws the choice; `caption` says what is replaced.
Instead chooseInstead(const PanelContext& panel, const AskedWord& asked, const char* caption,
                      bool beginsRow = false);
/// Draws the field of the other text, at first one of a template that the model can read.
void otherTextField(const PanelContext& panel, const AskedWord& asked);

/// "0.042"; "<0.001" where three digits would show 0.
std::string probabilityInWords(double probability);
/// "+0.042"; "0.000" where three digits show 0.
std::string changeInWords(double change);
/// "0.42", "12.3".
std::string millisecondsInWords(double ms);

/// The numbers of tokens in a KV cache: keys and values of every layer and key/value head.
struct CacheShown {
  Index text = 0;   // tokens of the text
  Index made = 0;   // tokens made after it
  Index room = 0;   // the most tokens of both kinds
  double ms = 0.0;  // the time of the newest token; 0: none was made
};
void drawKvCache(const PanelContext& panel, const ModelMoment& moment, const CacheShown& cache);

}  // namespace headscope::ui
